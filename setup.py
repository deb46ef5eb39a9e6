"""Find the packages, compile cython/*.pyx into aucbench.kernels; the rest is in pyproject.toml.

AUCBENCH_DEBUG=1 turns bounds, overflow and None checks on and optimisation off.
AUCBENCH_PORTABLE=1 takes plain C where GCC and Clang have extensions (cython/compiler.h).
"""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext

DEBUG, PORTABLE = (
    os.environ.get(f"AUCBENCH_{name}", "0") not in {"", "0"} for name in ("DEBUG", "PORTABLE")
)
# A fused product and sum rounds once, and not every CPU has it: results would depend on the CPU.
# With /fp:precise, Visual Studio 2022 fuses none; of earlier ones, compiler.h asks it.
FLAGS_OF_MSVC = ("/std:c11", "/fp:precise", *(("/Od", "/Zi") if DEBUG else ("/O2",)))
FLAGS = ("-ffp-contract=off", *(("-O0", "-g") if DEBUG else ("-O3", "-g0")))
CHECKS = ("boundscheck", "wraparound", "initializedcheck", "nonecheck", "overflowcheck")
# What all kernels need of Cython to read arrays is compiled once, in a module that they share:
# in each of them it would be two thirds of the C.
SHARED = "aucbench.kernels.memoryviews"

sources = sorted(Path("cython").glob("*.pyx"))
if not sources:
    # A source tree without kernels builds a wheel that cannot work, silently.
    raise SystemExit("no cython/*.pyx found: the source distribution is incomplete")
JOBS = min(os.cpu_count() or 1, len(sources))


class CythonThenC(build_ext):
    """Write the C when it is compiled: pip runs this file twice before, only for metadata."""

    def finalize_options(self):
        """Compile on all cores; an editable installation forgets `options` of setup()."""
        super().finalize_options()
        self.parallel = self.parallel or JOBS

    def run(self):
        """Replace each .pyx by its C, then compile."""
        written = cythonize(
            [Extension(ext.name, ext.sources) for ext in self.extensions],
            include_path=["cython"],
            shared_utility_qualified_name=SHARED,
            nthreads=JOBS,
            build_dir=f"{self.build_temp}/cython",
            # The same sources compile differently in a debug build, so do not reuse C.
            force=True,
            compiler_directives={
                "language_level": "3",
                "binding": False,
                "embedsignature": False,
                "cdivision": not DEBUG,
                **dict.fromkeys(CHECKS, DEBUG),
            },
        )
        for ext, with_c in zip(self.extensions, written, strict=True):
            assert ext.name == with_c.name
            ext.sources = with_c.sources
        super().run()

    def build_extensions(self):
        """Compile with the flags of the compiler in use: Windows has GCC and Clang too."""
        flags = FLAGS_OF_MSVC if self.compiler.compiler_type == "msvc" else FLAGS
        for ext in self.extensions:
            ext.extra_compile_args.extend(flags)
        super().build_extensions()


# Only the process that builds: where processes are not forked, each of those that write C for it
# runs this file as well, under another name.
if __name__ == "__main__":
    setup(
        packages=[
            *find_packages(include=["aucbench", "aucbench.*"]),
            # A link to cython/: the .pxd and .h files that other plugins cimport.
            "aucbench.include",
            "aucbench_plugins",
            *(f"aucbench_plugins.{family}" for family in find_packages("plugins")),
        ],
        cmdclass={"build_ext": CythonThenC},
        ext_modules=[
            Extension(SHARED, ["cython/memoryviews.c"]),  # takes longest; Cython writes it
            *(
                Extension(
                    f"aucbench.kernels.{source.stem}",
                    [str(source)],
                    include_dirs=["cython"],
                    depends=[str(p) for p in sorted(Path("cython").glob("*.[hp]*"))],
                    define_macros=[("AUCBENCH_PORTABLE", None)] if PORTABLE else [],
                )
                for source in sources
            ),
        ],
    )
