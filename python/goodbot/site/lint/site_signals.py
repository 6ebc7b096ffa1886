"""What a site says about uses outside robots.txt, as lint compares it with robots.txt.

Scope: one record.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from goodbot.page import Page

__all__ = ["SiteSignals"]


@dataclass(frozen=True, slots=True, repr=False)
class SiteSignals:
    r"""What a site says about uses outside its robots.txt.

    >>> from goodbot.site.lint import lint
    >>> signals = SiteSignals(tdmrep=b'[{"location": "/", "tdm-reservation": 1}]')
    >>> file = "User-agent: *\nContent-Signal: ai-train=yes\nAllow: /"
    >>> [one.code for one in lint(file, signals=signals).findings]
    ['signals-contradict']
    """

    tdmrep: bytes = b""
    """The content of `/.well-known/tdmrep.json`; empty if the site has none."""
    licenses: Mapping[str, bytes] = field(default_factory=dict, hash=False)
    """The licences in RSL that robots.txt or the page name, by URL."""
    page: "Page | None" = None
    """A page of the site, with its header."""

    __repr__ = short_repr
