"""The job of a supervised process that checks what a text names, law by law."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import chdir
from dataclasses import asdict
from pathlib import Path
from typing import Any

from aucbench.processes.room import Kept, Room
from aucbench.testing.asking import asked, require_laws
from aucbench.testing.subjects import named


def check_laws(request: Mapping[str, Any], room: Room, steps: Mapping[str, Kept]) -> dict[str, Any]:
    """Check all laws that are not in request["done"], [kind, name, law, extent] each.

    A line {"begin": [kind, name, law, extent]} is written to the file request["lines"] before each
    law, and {"end": fields} of its finding after it, see `aucbench.processes.isolated`.
    """
    require_laws(request["laws"])
    done = {tuple(row) for row in request["done"]}
    sys.path.append(request["folder"])  # for module:Class, which need not be installed
    with chdir(request["folder"]), Path(request["lines"]).open("a", encoding="utf-8") as lines:
        for subject in named(request["target"]):
            for key, take in asked(subject, {}, request["laws"], thorough=request["thorough"]):
                if key not in done:
                    print(json.dumps({"begin": key}), file=lines, flush=True)
                    print(json.dumps({"end": asdict(take())}), file=lines, flush=True)
    return {}
