"""A page that a notebook shows inline, and that `save` writes to a file."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from os import PathLike
from pathlib import Path

from aucbench.data.showing import words
from aucbench.store import own_file, require_writable

HEIGHT = 640  # pixels


@dataclass(frozen=True, slots=True, eq=False)
class InlinePage:
    """A page of HTML: a notebook shows it in a frame of its own.

    Attributes
    ----------
    content : bytes
        The page in UTF-8; it opens without a network.
    title : str
        What it is about.
    """

    content: bytes
    title: str = "report"

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file, whole or not at all.

        Raises
        ------
        ParameterError
            When the file cannot be written.
        """
        require_writable(Path(path))
        with own_file(Path(path)) as file:
            file.write(self.content)

    def __repr__(self) -> str:
        """Return what it is, and how to keep it."""
        return f"<{self.title}: a page of {len(self.content) / 1e6:.1f} MB; .save(path) keeps it>"

    def _repr_html_(self) -> str:
        """Return a frame that holds the page; its scripts see nothing of the notebook."""
        return (
            f'<iframe title="{words(self.title)}" sandbox="allow-scripts" '
            f'style="width:100%;height:{HEIGHT}px;border:1px solid #88888866;background:#fff" '
            f'srcdoc="{escape(self.content.decode("utf-8"))}"></iframe>'
        )
