"""How a board is published: what its pages and its metadata say of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from aucbench.errors import ParameterError
from aucbench.report.site.names import web_address


@dataclass(frozen=True, slots=True)
class Publishing:
    """How a board is published.

    Attributes
    ----------
    title : str, optional
        Of the board. [default: the name of the results folder]
    url : str, optional
        Address at which the site will be, for its metadata.
    licence : str, optional
        Of the results, as an address or an SPDX name such as CC-BY-4.0.
    author : tuple of str
        Who publishes the board; repeatable.
    """

    title: str | None = None
    url: str | None = None
    licence: str | None = None
    author: tuple[str, ...] = field(default=(), metadata={"whole": True})

    def __post_init__(self) -> None:
        if self.url is not None and not web_address(self.url):
            raise ParameterError(
                f"the address of a board begins with https:// or http://, got {self.url!r}"
            )
        for name, value in (("title", self.title), ("licence", self.licence)):
            if value is not None and not value.strip():
                raise ParameterError(f"{name} is empty; leave it out or write one")

    @property
    def licence_address(self) -> str:
        """The licence as an address; empty where none was named."""
        known = self.licence or ""
        return web_address(known) or (f"https://spdx.org/licenses/{known}" if known else "")

    def address(self, path: str) -> str:
        """Return the address of a file of the site; its path where no address was named."""
        return path if self.url is None else f"{self.url.rstrip('/')}/{path}"
