"""Compiled kernels; sources in cython/, naive twins in tests/reference.py."""

from aucbench.kernels import simd as simd  # refuses a wrong AUCBENCH_SIMD before a kernel reads it
