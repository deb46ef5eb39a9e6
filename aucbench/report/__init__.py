"""How results look: the HTML page, figures for print, and the server that shows a run.

It reads records and calls `aucbench.stats`; it computes no statistic itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import lazy_loader

if TYPE_CHECKING:
    from aucbench.report.evidence import Evidence, FoldKey, Group, evidence_of
    from aucbench.report.figures import drawn_figure
    from aucbench.report.findings import Findings, Settings, findings_of
    from aucbench.report.fits import Condition, Fit
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

__getattr__, __dir__, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "evidence": ("Evidence", "FoldKey", "Group", "evidence_of"),
        "figures": ("drawn_figure",),
        "findings": ("Findings", "Settings", "findings_of"),
        "fits": ("Condition", "Fit"),
        "folder": ("FolderReader",),
        "page": ("Page", "page_of"),
        "render": ("to_html",),
        "serve": ("LivePage", "server"),
    },
)
