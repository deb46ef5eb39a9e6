"""Import what every cell needs, in the process from which the cells are forked.

Importing this module reads the metadata of all plugins and imports the built-in ones, which
import scikit-learn when they build something that uses it. Plugins of third parties are never
imported here, since they may crash, start threads or draw random numbers.
"""

from __future__ import annotations

import encodings.cp437  # noqa: F401 - `zipfile` reads the names of arrays by it
import mmap  # noqa: F401 - NumPy maps arrays by it

from aucbench.bench.worker import jobs, machine
from aucbench.datasets import collections, formats  # noqa: F401 - 33 ms, which each set would take
from aucbench.registry.discovery import entries, load

NEVER = ("metrics", "sample", "whole")  # plugins whose functions no cell calls

for entry in entries():
    if entry.builtin and entry.name not in NEVER:
        load(entry)
machine.here()
jobs.own_code()
