"""What functions of plugins return of finished results must have the form that is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aucbench.errors import PluginError, short
from aucbench.sections import Section


def plain_section(made: Any) -> dict[str, Any]:
    """Return the plain values of what a function of a report section has returned.

    Raises
    ------
    PluginError
        When it is no section.
    """
    if not isinstance(made, Section):
        raise PluginError(f"it returned {short(made)}, wanted an aucbench.sections.Section")
    return made.to_json()


def contents_of(made: Any) -> dict[str, bytes]:
    """Return the contents of files by name of what an exporter has returned; one alone has "".

    Raises
    ------
    PluginError
        When it is no content of a file, and no mapping of names to some.
    """
    contents = made if isinstance(made, Mapping) else {"": made}
    found = {}
    for name, content in contents.items():
        if not isinstance(name, str) or not isinstance(content, bytes | str):
            what = f"{short(name)}: {short(content)}" if contents is made else short(made)
            raise PluginError(f"it returned {what}, wanted bytes or a text for each file")
        found[name] = content.encode("utf-8") if isinstance(content, str) else content
    return found
