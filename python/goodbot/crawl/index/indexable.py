"""The parts of a page that may be indexed: of its text, and of the texts of its links.

Scope: selecting these parts. There is no table, disk or clock.
"""

from collections.abc import Iterable
from datetime import datetime

from goodbot._core import LinkTable, denials
from goodbot.crawl.folder.records import Document
from goodbot.crawl.index.phrase_marks import marks_in
from goodbot.crawl.index.query import folded, spaced, words_in
from goodbot.page import Page, Run
from goodbot.page.words import GAP, QUOTED, joined, quotable

__all__ = ["anchors_of", "document_of"]

MAX_DESCRIPTION = 1_000
"""The most characters of a META description that are indexed and shown."""


def document_of(page: Page, now: datetime) -> Document | None:
    """Return the parts of a page that may be indexed; `None` if there are none.

    Ellipses written by the author become three full stops, so that `…` always marks a gap. A title
    that may be indexed but not shown becomes part of the text that is not quoted. Of what must not
    be archived, the words are returned, sorted and one in a line, and marks of its phrases: they
    can be found, and the index of a crawl is no copy of it (HTTP book, chapter 9, NOARCHIVE).

    Raises:
        WrongValueError: `now` has no time zone.

    >>> from datetime import timezone
    >>> now = datetime(2025, 1, 1, tzinfo=timezone.utc)
    >>> body = b"<title>Sea</title><p>Fish, <span data-nosnippet>shark,</span> mackerel"
    >>> document = document_of(Page("https://a.example/", body), now)
    >>> document.text, document.quotable
    ('Fish, shark, mackerel', 'Fish, … mackerel')
    """
    if not page.index_at(now).allowed:
        return None
    described = described_by(page)
    is_whole, text = may_archive_all(page), page.text()
    may_snippet = page.snippet.allowed
    runs = None
    if GAP in text:
        runs = [plain(run) for run in page.runs]
        text = joined(runs, ("index",))
    quoted = ""
    limits = page.limits
    limit = limits.max_snippet
    if may_snippet and limit != 0:
        quoted = text if may_quote_all(page) else quotable(runs or page.runs)
    shown_title = page.title
    # A title that is shown is not hidden, and most are.
    title = None if shown_title else page.title_run
    is_hidden = title is not None and title.index.allowed
    hidden = [plain(title)] if title is not None and is_hidden else []
    marks: list[str] = []
    if not is_whole:
        of_head = () if page.archive.allowed else described
        marks = phrases_only("\n".join([*(run.text for run in hidden), text, *of_head]))
        runs = runs or page.runs
        kept = joined(runs, ("index", "archive"))
        withheld = [run.text for run in (*hidden, *runs) if may_index(run) and not may_keep(run)]
        text = "\n".join(filter(None, [kept, *words_only([*withheld, *of_head])]))
        described = described[len(of_head) :]
    elif hidden:
        text = f"{hidden[0].text}\n{text}"
    longest = limit if limit is not None and limit > 0 else None
    until = limits.unavailable_after
    abstract = described[0] if described and page.description and may_snippet else ""
    if limit == 0:
        abstract = ""
    return Document(shown_title, text, quoted, longest, until, tuple(marks), described, abstract)


def described_by(page: Page) -> tuple[str, ...]:
    """Return how the author of a page describes it in its head: the description, the keywords.

    They assist searching, and the description is the abstract of a result.

    Source: HTTP book, chapter 9, table 9-5.
    """
    if not (page.description or page.keywords):
        return ()
    description = " ".join((page.description or "").replace(GAP, "...").split())
    keywords = (" ".join(word.replace(GAP, "...").split()) for word in page.keywords)
    return tuple(filter(None, (description[:MAX_DESCRIPTION], *keywords)))


def may_index(run: Run) -> bool:
    """Whether a run may be indexed."""
    return run.index.allowed


def may_keep(run: Run) -> bool:
    """Whether a run may be archived: only then may a text be stored as it stands."""
    return run.archive.allowed


def may_archive_all(page: Page) -> bool:
    """Whether every run of a page, and its title, may be archived."""
    if page.is_uniform:
        return page.archive.allowed
    title = page.title_run
    if title is not None and not title.archive.allowed:
        return False
    return not denials(page.runs, "archive")


def words_only(texts: Iterable[str]) -> list[str]:
    """Return the words of some texts in an order that does not show the texts.

    >>> words_only(["the lamp and", "the sea"])
    ['and', 'lamp', 'sea', 'the', 'the']
    """
    return sorted(word for text in texts for word in spaced(text).split())


def phrases_only(text: str) -> list[str]:
    """Return the marks of the phrases of a text, in whose place they are stored."""
    lines = (words_in(piece) for line in text.split("\n") for piece in line.split(GAP))
    return marks_in([folded(word) for word in words] for words in lines)


def may_quote_all(page: Page) -> bool:
    """Whether every run of a page that may be indexed may be quoted, as by `Page.snippet_for`."""
    if page.is_uniform:
        return page.archive.allowed and page.snippet.allowed
    return not any(denials(page.runs, act) for act in QUOTED)


def plain(run: Run) -> Run:
    """Return a run without ellipses of the author, which would look like gaps."""
    if GAP not in run.text:
        return run
    text = run.text.replace(GAP, "...")
    return Run(text, run.index, run.archive, run.snippet, run.block, run.line)


def anchors_of(page: Page, table: LinkTable) -> list[tuple[int, str]]:
    """Return the texts of the links of a page, each with the place of its target in a table.

    Only links are included whose text may describe the target (`Link.describes`): they may be
    followed, or a nearer mark allows the text explicitly. If the page itself must not be indexed,
    none of its words are, so the list is empty. `…` marks where a part is missing (`Link.gaps`).

    >>> body = b"<p><a href=/b>Brass lamps</a> <a href=/c rel=nofollow>Chairs</a>"
    >>> page = Page("https://a.example/", body)
    >>> anchors_of(page, LinkTable(page.links))
    [(0, 'Brass lamps')]
    """
    if not page.index.allowed:
        return []
    return table.anchors
