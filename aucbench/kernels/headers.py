"""Where the kernel headers for other packages are, and which version they have."""

from __future__ import annotations

from importlib.resources import files

from aucbench.errors import PluginError

KERNEL_API = 1  # as in aucbench_kernels.pxd, which says when it grows


def get_include() -> str:
    """Return the folder of `aucbench_kernels.pxd` and of the C headers that it includes.

    A `setup.py` gives it to `Extension(include_dirs=...)` for the C compiler, and to
    `cythonize(include_path=...)` for Cython.
    """
    return str(files("aucbench") / "include")


def require_kernel_api(built: int, kernel: str) -> None:
    """Raise unless a compiled kernel was built with the headers of this version.

    Parameters
    ----------
    built : int
        The `KERNEL_API` that the kernel cimports, which the compiler has put into it.
    kernel : str
        Its module: `__name__`.

    Raises
    ------
    PluginError
        When the headers had another version.
    """
    if built != KERNEL_API:
        raise PluginError(
            f"{kernel} was compiled with version {built} of the kernel headers of aucbench, and "
            f"the installed aucbench has version {KERNEL_API}; build the package of {kernel} again"
        )
