"""The process of a measurement: it reads the data set and calls the function."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from aucbench.bench.worker import machine
from aucbench.bench.worker.jobs import OTHER_CODE, data_of
from aucbench.bench.worker.rows import data_hash
from aucbench.errors import DataError, UnsupportedError
from aucbench.papers.measuring import code_of
from aucbench.processes.room import Kept, Room


def look_up(request: Mapping[str, Any], room: Room, steps: Mapping[str, Kept]) -> dict[str, Any]:
    """Read a data set; return the hash of its content."""
    return {"hash": data_hash(data_of(request))}


def measure(request: Mapping[str, Any], room: Room, steps: Mapping[str, Kept]) -> dict[str, Any]:
    """Call the function with the data set; a line says first on which machine."""
    if request["code"] != code_of(request["call"]):
        raise UnsupportedError(OTHER_CODE)
    data = data_of(request)
    if data_hash(data) != request["hash"]:
        raise DataError(f"{request['dataset']} has changed since the run began; start it again")
    room.line({"machine": machine.here()})
    module, _, name = request["call"].partition(":")
    answer: dict[str, Any] = getattr(import_module(module), name)(data, **request["request"])
    return answer
