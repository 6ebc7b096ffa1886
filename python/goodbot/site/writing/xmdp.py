"""The document of the Robot Exclusion Profile, and the findings on a page's use of it."""

from functools import lru_cache
from importlib.resources import files

from goodbot._core import Finding
from goodbot.page.document import Page

__all__ = ["PROFILE_CODES", "profile_document", "profile_findings"]

PROFILE_CODES = frozenset({
    "classes-without-profile",
    "conflicting-classes",
    "excluded-text-repeated",
    "listed-robots",
    "misspelt-class",
    "names-not-read",
    "undeclared-robot",
})  # fmt: skip
"""The codes of findings on marks of the Profile."""


@lru_cache(maxsize=1)
def profile_document() -> str:
    """Return the document that defines the classes of the Profile, an XMDP profile in HTML.

    >>> '<dt id="robots-noindex">robots-noindex</dt>' in profile_document()
    True

    Source: Robot Exclusion Profile, XMDP Profile.
    """
    return (files("goodbot.site.writing") / "robots-profile.html").read_text(encoding="utf-8")


def profile_findings(page: Page) -> list[Finding]:
    """Return the findings on a page that are about marks of the Profile.

    >>> body = '<p class="robots-noindex">text'
    >>> [one.code for one in profile_findings(Page("https://example.com/", body))]
    ['classes-without-profile']

    Source: Robot Exclusion Profile, Profile URI; Issues.
    """
    return [one for one in page.findings if one.code in PROFILE_CODES]
