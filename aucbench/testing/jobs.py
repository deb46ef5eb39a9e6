"""The job of a supervised process: check what a text names, law by law."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import chdir
from dataclasses import asdict
from typing import Any

from aucbench.infra.supervise.kept import Kept
from aucbench.infra.supervise.room import Room
from aucbench.registry.visits import tell
from aucbench.testing.subjects import asked, named


def check_laws(request: Mapping[str, Any], room: Room, steps: Mapping[str, Kept]) -> dict[str, Any]:
    """Check all laws that are not in request["done"], [kind, name, law] each.

    A line {"begin": [kind, name, law]} is said before each law, and {"finding": fields} after
    it. So the parent knows which law was checked when the process ended.
    """
    tell(request["homes"])
    done = {tuple(row) for row in request["done"]}
    sys.path.append(request["folder"])  # for module:Class, which need not be installed
    with chdir(request["folder"]):
        for subject in named(request["target"]):
            for law, take in asked(subject, {}):
                key = (subject.kind, subject.name, law.name if law else "built")
                if key in done:
                    continue
                room.line({"begin": key})
                room.line({"finding": asdict(take())})
    return {}
