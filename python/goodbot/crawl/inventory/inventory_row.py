"""The rows of an inventory: one for each page, with its facts and its place in the site.

Scope: the record and its columns. CSV, JSON, Parquet and docs/reference/inventory.md are printed
from the columns.
"""

from datetime import datetime
from typing import Any, NamedTuple

from goodbot.crawl.folder.parquet import ColumnKind
from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass

__all__ = ["COLUMNS", "InventoryColumn", "InventoryRow"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class InventoryRow:
    """A URL that was requested, or that must not be, with all that the inventory has of it.

    Numbers are `None` where they are unknown, and texts where there are none or where they are
    withheld; `withheld` then has the statement that forbids to index them.
    """

    url: str
    url_id: int
    """The number of the URL in the crawl."""
    visited: datetime | None
    state: str
    """The state of the URL; see `goodbot.crawl.folder.states`."""
    status: int | None
    failure: str | None
    declared: str
    declared_source: str
    served: str | None
    content_type: str | None
    indexable: bool
    indexable_reason: str
    indexable_source: str
    title: str | None
    description: str | None
    h1: str | None
    withheld: str
    h1_count: int | None
    language: str | None
    canonical: str | None
    canonical_fault: str
    words: int | None
    bytes: int | None
    first_byte_ms: int | None
    depth: int
    is_start: bool
    """Whether the crawl started with it."""
    is_sitemap: bool
    """Whether it is a sitemap; only those that are broken have rows."""
    is_step: bool
    """Whether it is only a step of a chain of redirects, which another URL begins."""
    broken: bool
    queued_again: bool
    is_external: bool
    inlinks: int | None
    sitemaps: int | None
    is_orphan: bool
    is_unlisted: bool
    redirects: tuple[str, ...]
    redirect_fault: str
    same_title: int
    same_title_as: str | None
    same_description: int
    same_description_as: str | None
    same_text: int
    same_text_as: str | None
    mixed_content: tuple[str, ...]
    blocked_resources: tuple[str, ...]
    blocked_by: str
    languages: int
    hreflang_faults: tuple[str, ...]
    contradictions: tuple[str, ...]

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {one.name: as_json(getattr(self, one.name)) for one in COLUMNS}

    def as_cells(self) -> dict[str, Any]:
        """Return values without lists, for tables: several values stand in one cell."""
        values = ((one.name, getattr(self, one.name)) for one in COLUMNS)
        return {
            name: BETWEEN.join(value) if isinstance(value, tuple) else value
            for name, value in values
        }


BETWEEN = " | "
"""What stands between several values in one cell."""


def as_json(value: Any) -> Any:  # noqa: ANN401  of many types
    """Return a value as JSON has it."""
    if isinstance(value, datetime):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value


class InventoryColumn(NamedTuple):
    """A column of the inventory."""

    name: str
    kind: ColumnKind
    meaning: str
    is_list: bool = False
    """Whether it may have several values: a list in JSON, separated by ` | ` elsewhere."""


COLUMNS = (
    InventoryColumn("url", "text", "The URL."),
    InventoryColumn("visited", "time", "When it was last visited, or found to be disallowed."),
    InventoryColumn("state", "text", "Its [state](evidence.md#states-of-a-url) in the crawl."),
    InventoryColumn("status", "number", "The status of the latest answer; null if none came."),
    InventoryColumn("failure", "text", "Why no usable answer came, a slug."),
    InventoryColumn(
        "declared",
        "text",
        "What robots.txt declared to the robot of the crawl: `allowed`, `disallowed` or `unknown`; "
        "see [declared and served](declared-and-served.md).",
    ),
    InventoryColumn(
        "declared_source",
        "text",
        "The line of robots.txt that disallows it to that robot; empty if none does.",
    ),
    InventoryColumn(
        "served",
        "text",
        "What the site served to it: `served`, `refused`, `challenged`, `priced`, `limited` or "
        "`failed`; null if it was not requested.",
    ),
    InventoryColumn(
        "broken", "truth", "Whether a reader gets an error or no answer, also behind redirects."
    ),
    InventoryColumn(
        "queued_again",
        "truth",
        "Whether it is queued for another visit: the row is what the last one found.",
    ),
    InventoryColumn("content_type", "text", "The media type of the latest answer."),
    InventoryColumn(
        "indexable",
        "truth",
        "Whether a search engine may have the page in its index, at this URL.",
    ),
    InventoryColumn(
        "indexable_reason",
        "text",
        "The slug of the reason: of a verdict on the page or on robots.txt, `redirect`, "
        "`canonical`, why there is no page, `removed` if it was removed from the crawl, or "
        "`reconsidered` if only from its index.",
    ),
    InventoryColumn(
        "indexable_source", "text", "Who said so: the statement with its line; empty if nobody did."
    ),
    InventoryColumn("title", "text", "The title; null if there is none, or if it is withheld."),
    InventoryColumn("description", "text", "META description; null as for the title."),
    InventoryColumn("h1", "text", "The text of the first H1; null as for the title."),
    InventoryColumn("withheld", "text", "The statement that forbids to store these texts."),
    InventoryColumn("h1_count", "number", "How many H1 the page has."),
    InventoryColumn(
        "language", "text", "The language that the page states; null as for the title."
    ),
    InventoryColumn("canonical", "text", "The canonical URL that the page states."),
    InventoryColumn("canonical_fault", "text", "What is wrong with the canonical URL."),
    InventoryColumn("words", "number", "How many words no mark keeps out of the index."),
    InventoryColumn("bytes", "number", "How many bytes the content has, decoded."),
    InventoryColumn(
        "first_byte_ms",
        "number",
        "Time to first byte in milliseconds: from when the connection was ready until the header "
        "had come.",
    ),
    InventoryColumn("depth", "number", "How many links lead from a start URL to it."),
    InventoryColumn(
        "is_external", "truth", "Whether it is at another site, of links that are checked."
    ),
    InventoryColumn("inlinks", "number", "How many other pages link to it."),
    InventoryColumn("sitemaps", "number", "How many sitemaps list it."),
    InventoryColumn(
        "is_orphan", "truth", "Whether it is a page that a sitemap lists and no page links to."
    ),
    InventoryColumn(
        "is_unlisted",
        "truth",
        "Whether it is an indexable page of HTML that pages link to and no sitemap lists, although "
        "the site has sitemaps.",
    ),
    InventoryColumn("redirects", "text", "The URLs that it redirects to, in turn.", is_list=True),
    InventoryColumn("redirect_fault", "text", "What is wrong with its redirects."),
    InventoryColumn("same_title", "number", "How many indexable pages of the site have its title."),
    InventoryColumn("same_title_as", "text", "The first of them, if it is another one."),
    InventoryColumn("same_description", "number", "How many have its description."),
    InventoryColumn("same_description_as", "text", "The first of them, if it is another one."),
    InventoryColumn("same_text", "number", "How many have its text, or nearly."),
    InventoryColumn("same_text_as", "text", "The first of them, if it is another one."),
    InventoryColumn(
        "mixed_content", "text", "What a page over https loads over http.", is_list=True
    ),
    InventoryColumn(
        "blocked_resources", "text", "What it loads and robots.txt disallows.", is_list=True
    ),
    InventoryColumn("blocked_by", "text", "The line of robots.txt that blocks the first of them."),
    InventoryColumn("languages", "number", "How many `hreflang` links it has."),
    InventoryColumn("hreflang_faults", "text", "What is wrong with them.", is_list=True),
    InventoryColumn(
        "contradictions",
        "text",
        "What its signals on the use of content contradict, use by use: robots.txt, header, META, "
        "TDMRep, RSL, Content-Signal and Content-Usage.",
        is_list=True,
    ),
)
"""The columns of CSV and Parquet, which are the keys of JSON."""
