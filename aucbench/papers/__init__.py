"""The experiments of the source papers as data, and their repetition by the harness."""

from __future__ import annotations
