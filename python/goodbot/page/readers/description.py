"""A document's description of itself: title, keywords, related pages, licences."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple, Protocol, TypeAlias

from goodbot.page.finding_codes import Findings
from goodbot.page.inputs import days
from goodbot.page.readers.arguments import Given
from goodbot.page.readers.instead import Instead
from goodbot.page.readers.marked import Verdicts
from goodbot.page.readers.related import NAMES, LinkElements, Related
from goodbot.page.resolving import Resolver
from goodbot.page.usage import PageUsage, may_state_use, usage_lines, usage_of

DESCRIBING = frozenset({"description", "keywords", "revisit-after", "spider by"})
"""The names of the META elements that are read here."""
NO_CONTENT: tuple[None, int] = (None, 0)
"""What stands for a META element that is not there: its content and its line."""
MOST_KEYWORDS = 1_000
MOST_LICENSE_BYTES = 64 * 1024
"""The most bytes that the URLs of all licences may have together."""
Metas: TypeAlias = list[tuple[str, str, bool, bool, int]]
"""META elements: name, content, whether it is an http-equiv, whether in the HEAD, line."""


class Description(NamedTuple):
    """A document's description of itself, apart from directives."""

    title: str
    """The title as it may be shown; empty if a mark forbids indexing or quoting it."""
    written_title: str
    """The title as it is written; empty if there is none."""
    title_line: int
    """Its line."""
    description: str | None
    keywords: list[str]
    revisit_after: timedelta | None
    spider_by: str | None
    index_instead: str | None
    canonical: str | None
    names_url: str | None
    usage: PageUsage | None
    """The statements on the use of the content; `None` if there are none."""


class Describes(Protocol):
    """The facts of a document with elements that are used here."""

    @property
    def title(self) -> str:
        """The text of TITLE."""

    @property
    def title_line(self) -> int:
        """The line of TITLE."""

    @property
    def metas(self) -> Metas:
        """META elements."""

    @property
    def links(self) -> LinkElements:
        """LINK elements."""

    @property
    def rsl_licenses(self) -> list[tuple[str, int, bool]]:
        """Scripts that are licences of RSL."""


def describe(
    given: Given,
    related: Related,
    findings: Findings,
    facts: Describes | None = None,
    verdicts: Sequence[Verdicts] = (),
    instead: Instead | None = None,
) -> Description:
    """Return the description of a document from its header and its elements.

    Args:
        given: The arguments of the page.
        related: The resources that the page is related to.
        findings: The list to which findings are added.
        facts: The facts of its elements; `None` if it has none.
        verdicts: The verdicts on its title, its description and its keywords; empty if the
            document has no marks.
        instead: The URL that the author wants indexed instead.

    """
    metas, links, scripts = (
        (facts.metas, facts.links, facts.rsl_licenses) if facts else ([], [], [])
    )
    written_title = facts.title if facts else ""
    first = first_contents(metas)
    title, description, keywords = (
        [may_be_shown(on_one) for on_one in verdicts] if verdicts else (True, True, True)
    )
    words, _ = first.get("keywords", NO_CONTENT)
    base = related.base
    licenses = read_licenses(related.of("license"), base, findings) if related.targets else ()
    return Description(
        title=written_title if title else "",
        written_title=written_title,
        title_line=facts.title_line if facts else 0,
        description=first.get("description", NO_CONTENT)[0] if description else None,
        keywords=keywords_in(words) if words and keywords else [],
        revisit_after=read_revisit_after(first, findings),
        spider_by=first.get("spider by", NO_CONTENT)[0],
        index_instead=None if instead is None else instead.url,
        canonical=related.first("canonical"),
        names_url=related.first(NAMES),
        usage=usage_of(
            given.fields,
            metas,
            licenses,
            base,
            given.vocabulary,
            usage_lines(given.fields, metas, links, scripts, base),
        )
        if licenses or scripts or may_state_use(given.fields, given.names, metas, links)
        else None,
    )


def first_contents(metas: Metas) -> dict[str, tuple[str, int]]:
    """Return the content and the line of the first META element of each name that is used here."""
    first: dict[str, tuple[str, int]] = {}
    for name, content, _, _, line in metas:
        lower = name.lower()
        if lower in DESCRIBING and lower not in first:
            first[lower] = content, line
    return first


def keywords_in(words: str) -> list[str]:
    """Return the words of META keywords."""
    listed = words.split(",", MOST_KEYWORDS)[:MOST_KEYWORDS]
    return [word.strip() for word in listed if word.strip()]


def read_revisit_after(
    first: Mapping[str, tuple[str, int]], findings: Findings
) -> timedelta | None:
    """Return the time that META revisit-after states; report one that cannot be read."""
    content, line = first.get("revisit-after", NO_CONTENT)
    written = (content or "").strip()
    if not written:
        return None
    revisit_after = days(written)
    if revisit_after is None:
        message = f"META REVISIT-AFTER {written[:60]!r} is not a number of days such as '10 days'"
        findings.add("unreadable-revisit-after", message, line)
    return revisit_after


def may_be_shown(verdicts: Verdicts) -> bool:
    """Return whether no mark forbids indexing, keeping or quoting a text."""
    index, archive, snippet = verdicts
    return "mark-forbids" not in (index.reason, archive.reason, snippet.reason)


def read_licenses(targets: Iterable[str], base: str, findings: Findings) -> tuple[str, ...]:
    """Return the URLs of licences, each once; one that is not a URL is returned as written."""
    targets = dict.fromkeys(targets)
    if not targets:
        return ()
    resolver = Resolver(MOST_LICENSE_BYTES)
    found: dict[str, None] = {}
    for target in targets:
        url, why = resolver.resolve(base, target)
        if url is not None or why == "invalid":
            found[url or target] = None
        else:
            message = f"the URL of the licence {target[:60]!r} is too long to be kept; shorten it"
            findings.add("link-too-long", message)
        if why == "over-budget":
            break
    return tuple(found)
