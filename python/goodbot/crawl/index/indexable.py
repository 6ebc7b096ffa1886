"""What the index may have of a page: of its text, and of what its links say of others.

What may live here: choosing. It has no table, disk or clock.
"""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from goodbot.crawl.folder.records import Document
from goodbot.page import Page, Run
from goodbot.page.words import GAP, joined, quotable

__all__ = ["anchors_of", "document_of"]

SEARCHED = 20_000_000
"""How many characters are looked at for where parts are left out of the texts of links."""


def document_of(page: Page, now: datetime) -> Document | None:
    """Give what the index may have of a page; `None` if that is nothing.

    An ellipsis that the author wrote becomes three full stops, so that `…` always means that
    something is left out. A title that may be indexed and not be shown is part of the text, where
    it is not quoted.

    Raises:
        WrongValueError: `now` has no zone.

    >>> from datetime import timezone
    >>> now = datetime(2025, 1, 1, tzinfo=timezone.utc)
    >>> body = b"<title>Sea</title><p>Fish, <span data-nosnippet>shark,</span> mackerel"
    >>> document = document_of(Page("https://a.example/", body), now)
    >>> document.text, document.quotable
    ('Fish, shark, mackerel', 'Fish, … mackerel')
    """
    if not page.index_at(now):
        return None
    text, runs = page.text(), page.runs
    if GAP in text:
        runs = [plain(run) for run in runs]
        text = joined(runs, may_index)
    quoted = ""
    limit = page.limits.max_snippet
    if page.snippet and limit != 0:
        quoted = text if all(may_quote(run) for run in runs) else quotable(runs, may_quote)
    title = page.title_run
    if title is not None and title.index.allowed and not page.title:
        text = f"{plain(title).text}\n{text}"
    longest = limit if limit is not None and limit > 0 else None
    return Document(page.title, text, quoted, longest, page.limits.unavailable_after)


def may_index(run: Run) -> bool:
    """Whether a run may be indexed."""
    return run.index.allowed


def may_quote(run: Run) -> bool:
    """Whether a run may be quoted: as `Page.snippet_for` has it."""
    return run.index.allowed and run.archive.allowed and run.snippet.allowed


def plain(run: Run) -> Run:
    """Write the author's own ellipses another way than ours."""
    if GAP not in run.text:
        return run
    text = run.text.replace(GAP, "...")
    return Run(text, run.index, run.archive, run.snippet, run.block, run.line)


def anchors_of(page: Page) -> list[tuple[str, str]]:
    """Give what the links of a page say of their targets: URL and text.

    Only links whose text may describe the target, and that may be followed unless a nearer mark
    allows the text explicitly (`Link.describes`); none, if the page itself may not be indexed, for
    then its words are in no index.

    >>> body = b"<p><a href=/b>Brass lamps</a> <a href=/c rel=nofollow>Chairs</a>"
    >>> anchors_of(Page("https://a.example/", body))
    [('https://a.example/b', 'Brass lamps')]
    """
    if not page.index:
        return []
    found = [
        (link.explicit, (link.url, text))
        for link in page.links
        if link.resolved and link.describes and (text := " ".join(link.text.split()))
    ]
    if all(run.index.allowed for run in page.runs):
        return [anchor for _, anchor in found]
    # What describes a target explicitly may stand where the page itself is not indexed.
    plainly, explicitly = ([one for way, one in found if way is wanted] for wanted in (False, True))
    whole = joined(page.runs, lambda _: True) if explicitly else ""
    return [*parted(page.text(), plainly), *parted(whole, explicitly)]


def parted(text: str, anchors: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Put gaps into texts of links out of which a part may have been left.

    `Link.text` does not tell where that was. So the words of a text that does not stand on the page
    in one piece as often as links say it are parted all: no phrase goes across what is left out.
    """
    anchors = list(anchors)
    flat = " ".join(text.split())
    whole = {}
    left = SEARCHED
    for words, count in Counter(words for _url, words in anchors).items():
        left -= len(flat)
        whole[words] = " " not in words or (left > 0 and flat.count(words) >= count)
    return [
        (url, words if whole[words] else re.sub(" ", f" {GAP} ", words)) for url, words in anchors
    ]
