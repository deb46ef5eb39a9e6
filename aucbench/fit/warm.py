"""Import what every cell needs, in the process from which the cells are forked.

Importing this module reads the metadata of all plugins and imports the built-in ones.
Plugins of third parties are never imported here, since they may crash, start threads or draw
random numbers.
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
