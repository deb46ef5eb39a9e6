"""The job of a supervised process: import one plugin, and tell what it registers."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

from aucbench.errors import PluginError
from aucbench.registry import description_of
from aucbench.registry.discovery import Loaded, PluginEntry, describe_error, load
from aucbench.registry.lookup import Claim
from aucbench.registry.packing import packed

if TYPE_CHECKING:
    from aucbench.processes.room import Kept, Room


def told(request: Mapping[str, Any], room: Room, steps: Mapping[str, Kept]) -> dict[str, Any]:
    """Import the plugin request["entry"], and return what it registers; both may end the process.

    Under "registers" is, by kind and name, what `packed` returns, or {"error": sentence}; under
    "failure" why it could not be imported, or None; and under "seconds" how long that took.
    """
    sys.path[:] = request["path"]  # the process that forked this one may be older
    begin = perf_counter()
    entry = PluginEntry(**request["entry"])
    known = load(entry) or Loaded()
    seconds = perf_counter() - begin
    registers = {
        kind: {name: _described(Claim(entry, kind, name, thing)) for name, thing in named.items()}
        for kind, named in known.factories.items()
    }
    return {"seconds": seconds, "registers": registers, "failure": known.failure}


def _described(claim: Claim) -> dict[str, Any]:
    try:
        return packed(description_of(claim))
    except PluginError as error:
        return {"error": str(error)}
    except Exception as error:
        return {"error": f"{claim.qualified} cannot be described ({describe_error(error)})"}
