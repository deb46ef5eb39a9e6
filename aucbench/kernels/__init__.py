"""Compiled kernels; sources in cython/, naive twins in tests/reference.py."""
