"""Sitemaps that cannot be read as they stand."""

from collections.abc import Iterator

from goodbot.site.lint.checked_file import CheckedFile
from goodbot.site.lint.lint_rule import LintProblem, LintRule

__all__ = ["RULE", "in_sentences"]


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report each problem of the sitemaps that were read for this file."""
    for problem in dict.fromkeys(file.sitemap_problems):
        yield LintProblem(0, in_sentences(problem))


def in_sentences(problem: str) -> str:
    """Return a problem of a sitemap and its cure.

    >>> in_sentences("the sitemap a.xml, it is no sitemap: its root element is html")
    'The sitemap a.xml, it is no sitemap: its root element is html. Correct the sitemap.'
    """
    return f"{problem[:1].upper()}{problem[1:].rstrip('.')}. Correct the sitemap."


RULE = LintRule(
    code="faulty-sitemap",
    severity="warning",
    finds="A sitemap is not well-formed, is cut, or is none.",
    why="Search engines refuse such a sitemap, or read only a part of it.",
    example="User-agent: *\nDisallow: /news\n",
    instead="User-agent: *\nDisallow: /news\n",
    sitemap_problems=(
        "the sitemap a.xml, line 3: the XML is not well-formed: a tag is malformed; 2 URLs read",
    ),
    source="sitemaps.org protocol, Entity escaping and Sitemap file formats; XML 1.0 section 2.1",
    check=check,
)
