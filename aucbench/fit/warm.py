"""What every cell needs, imported by the process that the cells are forked from.

Importing this module reads the metadata of all plugins and imports the built-in ones; a
third party's is never imported here, since it may crash, start threads or draw numbers.
"""

from __future__ import annotations

import sklearn.linear_model
import sklearn.svm  # noqa: F401

from aucbench.fit import jobs, machine
from aucbench.registry.discovery import entries, load

for entry in entries():
    if entry.builtin:
        load(entry)
machine.here()
jobs.own_code()
