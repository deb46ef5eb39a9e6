"""Compile cython/*.pyx into aucbench.kernels; everything else is in pyproject.toml.

AUCBENCH_DEBUG=1 turns bounds, overflow and None checks on and optimisation off.
"""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

DEBUG = os.environ.get("AUCBENCH_DEBUG", "0") not in {"", "0"}
CHECKS = ("boundscheck", "wraparound", "initializedcheck", "nonecheck", "overflowcheck")

sources = sorted(Path("cython").glob("*.pyx"))
if not sources:
    # A source tree without kernels builds a wheel that cannot work, silently.
    raise SystemExit("no cython/*.pyx found: the source distribution is incomplete")

setup(
    ext_modules=cythonize(
        [
            Extension(
                f"aucbench.kernels.{source.stem}",
                [str(source)],
                include_dirs=["cython"],
                depends=[str(p) for p in sorted(Path("cython").glob("*.[hp]*"))],
                extra_compile_args=["-O0", "-g"] if DEBUG else ["-O3", "-g0"],
            )
            for source in sources
        ],
        include_path=["cython"],
        build_dir="build/cython",
        # The same sources compile differently in a debug build, so do not reuse C.
        force=True,
        compiler_directives={
            "language_level": "3",
            "binding": False,
            "embedsignature": False,
            "cdivision": not DEBUG,
            **dict.fromkeys(CHECKS, DEBUG),
        },
    ),
    options={"build_ext": {"parallel": os.cpu_count()}},
)
