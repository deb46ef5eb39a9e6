"""OpenML by number: `openml:1590`, since several sets may have one name.

scikit-learn's `fetch_openml` downloads: it keeps answers of the server and the file in the cache of
aucbench, and checks the MD5 of the file that OpenML states.
"""

from __future__ import annotations

import gzip
import json
import re
import socket
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aucbench.datasets.download import cache_folder
from aucbench.datasets.endings import short_reason
from aucbench.datasets.formats import Wanted
from aucbench.datasets.table import Table, frame_table
from aucbench.errors import DataError

PREFIX = "openml"
TITLE = "any data set of OpenML with a column of labels, by its number"
ADDRESS = "https://www.openml.org/search?type=data"
CITES: tuple[str, ...] = ("vanschoren2014",)

API = "api/v1/json/data"
RETRIES, SECONDS = 2, 1.0  # after an error of the network
SILENT = 30.0  # seconds without an answer
ABOUT_SET = re.compile(r"OpenML (registered|raised)|Version \S+ of dataset")


def at_hand(name: str) -> bool:
    """Return whether all that a set needs is in the cache."""
    files = _files(name)
    return bool(files) and all(file.is_file() for file in files)


def fetch(name: str, progress: bool) -> tuple[Path, ...]:
    """Download one set, unless it is in the cache; return its files; raises as `Source.table`."""
    if not at_hand(name):
        _read(name, None)
    return _files(name)


def table(name: str, wanted: Wanted) -> Table:
    """Read one set, downloaded if necessary; raises as `Source.table`."""
    column = "default-target" if wanted.target is None else str(wanted.target)
    bunch, remarks = _read(name, column)
    if len(bunch.target_names) != 1:
        found = f"{len(bunch.target_names)} columns" if bunch.target_names else "no column"
        raise DataError(
            f"OpenML names {found} of labels for this set; say which one holds them with --target "
            f"COLUMN (in Python target=): {', '.join(map(repr, bunch.feature_names[:8]))} ..."
        )
    [label] = bunch.target_names
    if bunch.frame is None:
        whole = Table(bunch.data, bunch.target, tuple(bunch.feature_names), target=label)
    else:
        whole = frame_table(bunch.frame, replace(wanted, target=label), named=True)
    why = "the target that OpenML names" if wanted.target is None else "as asked"
    return replace(whole, label=f"column {label!r}, {why}", warnings=(*whole.warnings, *remarks))


def _read(name: str, column: str | None) -> tuple[Any, tuple[str, ...]]:
    """Return what `fetch_openml` makes of a set, and what OpenML says against it."""
    number = _number(name)
    with _errors_of(name), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        from sklearn.datasets import fetch_openml

        bunch = fetch_openml(
            data_id=number,
            data_home=str(cache_folder()),
            target_column=column,
            as_frame="auto",
            parser="auto",
            n_retries=RETRIES,
            delay=SECONDS,
        )
    texts = (" ".join(str(warning.message).split()) for warning in caught)
    return bunch, tuple(text for text in texts if ABOUT_SET.match(text))


def _number(name: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,8}", name):
        raise DataError(
            f"{name!r} is no number of OpenML, where several sets may have one name; give the "
            f"number of one, as in {PREFIX}:1590, which {ADDRESS} shows"
        )
    return int(name)


def _folder() -> Path:
    """Return the folder in which `fetch_openml` keeps what it has downloaded."""
    return cache_folder() / "openml" / "openml.org"


def _cached(path: str) -> Mapping[str, Any]:
    """Return an answer of the server from the cache; empty if there is none that can be read."""
    try:
        with gzip.open(_folder() / f"{path}.gz", "rt", encoding="utf-8") as text:
            answer = json.load(text)
    except (OSError, EOFError, ValueError):
        return {}
    return answer if isinstance(answer, dict) else {}


def _files(name: str) -> tuple[Path, ...]:
    """Return where the cache has what the server says of a set, and its rows.

    Empty where the cache does not know the address of the rows.
    """
    url = _cached(f"{API}/{name}").get("data_set_description", {}).get("url", "")
    parts = (f"{API}/{name}", f"{API}/features/{name}", urlsplit(url).path.lstrip("/"))
    return tuple(_folder() / f"{part}.gz" for part in parts) if url else ()


@contextmanager
def _errors_of(name: str) -> Iterator[None]:
    """Turn what `fetch_openml` raises into one sentence."""
    from http.client import HTTPException  # which import ssl: a run seldom downloads
    from urllib.error import HTTPError

    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(SILENT)  # fetch_openml has no parameter for it
    try:
        yield
    except HTTPError as error:
        with error:
            raise _unreachable(f"it answered {error.code} {error.reason}") from error
    except (OSError, HTTPException) as error:
        raise _unreachable(short_reason(getattr(error, "reason", error))) from error
    except KeyError as error:
        raise DataError(f"{short_reason(error)}; give the name of a column") from error
    except ValueError as error:
        if re.fullmatch(r"Dataset with data_id \d+ not found\.", str(error)):
            raise DataError(f"OpenML has no set {name}; see {ADDRESS}") from error
        raise DataError(
            f"it cannot be read ({short_reason(error)}); if the file is damaged, remove {_folder()}"
        ) from error
    finally:
        socket.setdefaulttimeout(before)


def _unreachable(reason: str) -> DataError:
    return DataError(
        f"it is not in the cache, and OpenML cannot be reached ({reason}); read it once where "
        f"there is a network and copy {_folder()} from there, or give a file"
    )
