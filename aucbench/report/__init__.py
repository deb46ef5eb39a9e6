"""How results look: the HTML page, figures for print, and the server that shows a run.

It reads records and calls `aucbench.stats`; it computes no statistic itself.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aucbench.report.evidence import Condition, Evidence, Fit, FoldKey, Group, evidence_of
    from aucbench.report.figures import drawn_figure
    from aucbench.report.findings import Findings, Settings, findings_of
    from aucbench.report.folder import FolderReader
    from aucbench.report.page import Page, page_of
    from aucbench.report.render import to_html
    from aucbench.report.serve import LivePage, server

__all__ = [
    "Condition",
    "Evidence",
    "Findings",
    "Fit",
    "FoldKey",
    "FolderReader",
    "Group",
    "LivePage",
    "Page",
    "Settings",
    "drawn_figure",
    "evidence_of",
    "findings_of",
    "page_of",
    "server",
    "to_html",
]

_HOMES = {
    "Condition": "evidence",
    "Evidence": "evidence",
    "Findings": "findings",
    "Fit": "evidence",
    "FoldKey": "evidence",
    "FolderReader": "folder",
    "Group": "evidence",
    "LivePage": "serve",
    "Page": "page",
    "Settings": "findings",
    "drawn_figure": "figures",
    "evidence_of": "evidence",
    "findings_of": "findings",
    "page_of": "page",
    "server": "serve",
    "to_html": "render",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'aucbench.report' has no attribute {name!r}")
    found = getattr(import_module(f"aucbench.report.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
