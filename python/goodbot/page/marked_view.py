"""A view of a page in one HTML file that shows and names its marked parts.

"A more complex example is available which also shows how the robots metadata may be visualized"
(Robot Exclusion Profile, Examples). Everything from the site appears as plain text: the file runs
no scripts and fetches nothing.
"""

import re
from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby
from typing import NamedTuple

from goodbot.html_page import document
from goodbot.page.document import Page
from goodbot.page.parts import Cut, Link, Run
from goodbot.page.verdict import PageVerdict

__all__ = ["marked_view"]

MOST_RUNS = 5_000
MOST_LINKS = 1_000
MOST_FINDINGS = 100
LONGEST = 4_000
"""The most characters of one run that are shown."""
MOST_CHARACTERS = 1_000_000

UNSEEN = re.compile(
    r"[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters, also those that change the direction of text, and lone surrogates."""

ACTS = {
    "index": ("not indexed", "indexed"),
    "archive": ("not in a copy", "in a copy"),
    "snippet": ("not quoted", "quoted"),
}
"""The labels for each act that a mark on text forbids or allows."""


class RunMarks(NamedTuple):
    """The marks on a run of text."""

    said: tuple[tuple[str, int, bool, str], ...]
    """Mark, its line, whether it allows, the act."""

    @property
    def classes(self) -> str:
        """The CSS classes of its box."""
        return " ".join(sorted({("yes-" if yes else "no-") + act for _, _, yes, act in self.said}))

    def labels(self) -> Iterator[str]:
        """Yield the name, the line and the effect of each mark."""
        for (name, line), said in groupby(self.said, key=lambda one: one[:2]):
            acts = ", ".join(ACTS[act][yes] for _, _, yes, act in said)
            yield f"{name}, line {line}: {acts}"


def marked_view(page: Page) -> str:
    """Return an HTML view of a page that shows and names its marked parts.

    Args:
        page: The page, read for one robot.

    Returns:
        One HTML document. It has no scripts and fetches nothing.

    >>> body = '<p>fish <span data-nosnippet>shark</span>'
    >>> view = marked_view(Page("https://example.com/", body))
    >>> "data-nosnippet, line 1: not quoted" in view, "<script" in view
    (True, False)

    Source: Robot Exclusion Profile, Examples.

    """
    read = f"For {shown(page.robot, 100)}, read as {shown(page.dialect.name, 50)}."
    body = (
        f'<header><p class="kicker">goodbot page</p><h1>{shown(page.title or page.url, 300)}</h1>',
        f'<p class="lede">{shown(page.url, 500)}</p>',
        f'<p class="note">{read}</p></header><main>',
        *whole(page),
        "<section><h2>The page</h2>",
        *blocks(page.runs),
        *without_text(page),
        "</section>",
        *links(page.links),
        *findings(page),
        "</main>",
    )
    lines = (f"{line}\n" for line in body)
    title = f"Marks of {cut(page.url, 200)}"
    return "".join(document(title, lines, style=STYLE, robots="noindex, nofollow"))


def shown(text: str, most: int = LONGEST) -> str:
    """Return text of a site, escaped and cut."""
    return escape(cut(text, most))


def cut(text: str, most: int) -> str:
    """Return text of a site with no character that does not show, and cut."""
    text = UNSEEN.sub("\N{REPLACEMENT CHARACTER}", text[: most + 1])
    return text if len(text) <= most else f"{text[:most]}…"


def whole(page: Page) -> Iterator[str]:
    """Yield the table of verdicts on the whole document."""
    yield '<section><h2>The whole document</h2><table class="acts">'
    for act, verdict in page.verdicts.items():
        may = "yes" if verdict.allowed else "no"
        why = shown(verdict.source or "nothing forbids it", 300)
        name = act.replace("_", " ")
        yield f'<tr class="{may}"><th>{name}</th><td>{may}</td><td>{why}</td></tr>'
    yield "</table></section>"


def part_of(run: Run) -> RunMarks:
    """Return the marks on a run."""
    said = []
    verdicts: tuple[tuple[str, PageVerdict], ...] = (
        ("index", run.index),
        ("archive", run.archive),
        ("snippet", run.snippet),
    )
    for act, verdict in verdicts:
        if verdict.said is not None and verdict.said.kind == "mark":
            said.append((verdict.said.name, verdict.said.line, verdict.allowed, act))
    return RunMarks(tuple(sorted(said)))


def blocks(runs: list[Run]) -> Iterator[str]:
    """Yield the text: a paragraph for each block, and a box for blocks with the same marks."""
    paragraphs: list[list[tuple[RunMarks, str]]] = []
    room = MOST_CHARACTERS
    for run in runs[:MOST_RUNS]:
        if run.block or not paragraphs:
            paragraphs.append([])
        text = shown(run.text)
        room -= len(text)
        if room < 0:
            break
        paragraphs[-1].append((part_of(run), text))
    for part, group in groupby(paragraphs, key=common):
        inner = [paragraph(one, part) for one in group]
        yield from inner if not (part and part.said) else boxed(part, inner)
    if room < 0 or len(runs) > MOST_RUNS:
        yield "<p><i>The page is too long; the rest is not shown.</i></p>"
    if not paragraphs:
        yield "<p><i>No text was found in the page.</i></p>"


def without_text(page: Page) -> Iterator[str]:
    """Yield a box for each part without text that must not be kept, such as an image."""
    found = textless(page)
    for cut in found[:MOST_RUNS]:
        said = cut.verdict.said
        told = cut.verdict.source if said is None else f"{said.name}, line {said.line}"
        named = f'<b class="label">{shown(f"{told}: not in a copy", 500)}</b>'
        what = f"An image, or another element without text, line {cut.line}"
        yield f'<div class="part no-archive">{named}<p>{what}</p></div>'
    if len(found) > MOST_RUNS:
        yield f"<p><i>And {len(found) - MOST_RUNS} more.</i></p>"


def textless(page: Page) -> list[Cut]:
    """Return the parts without text that must not be kept in a copy."""
    if not page.may_have_cuts:
        return []
    return [cut for cut in page.archive_copy().cuts if not cut.bytes]


def common(block: list[tuple[RunMarks, str]]) -> RunMarks | None:
    """Return the marks on a whole block if all of its text has the same marks."""
    said = {part for part, text in block if text.strip() or part.said}
    return said.pop() if len(said) == 1 else None


def paragraph(block: list[tuple[RunMarks, str]], around: RunMarks | None) -> str:
    """Return one block as HTML."""
    spans = []
    for part, text in block:
        if part.said and part != around:
            inner = f'{label(part)} <span class="text">{text.strip()}</span>'
            spans.append(f'<span class="part {part.classes}">{inner}</span>')
        else:
            spans.append(text)
    return f"<p>{''.join(spans)}</p>" if "".join(spans).strip() else ""


def boxed(part: RunMarks, paragraphs: Iterable[str]) -> Iterator[str]:
    """Yield one box around paragraphs with the same marks."""
    yield f'<div class="part {part.classes}">{label(part)}'
    yield from paragraphs
    yield "</div>"


def label(part: RunMarks) -> str:
    """Return the label that names the marks on a part."""
    return f'<b class="label">{shown("; ".join(part.labels()), 500)}</b>'


def links(found: list[Link]) -> Iterator[str]:
    """Yield the table of links with their verdicts, as text that cannot be clicked."""
    yield f"<section><h2>Links</h2><p>Total: {len(found):,}.</p>"
    if found:
        yield "<table><tr><th>follow</th><th>text for the target</th><th>link</th></tr>"
    for link in found[:MOST_LINKS]:
        cells = "".join(cell(verdict) for verdict in (link.follow, link.anchor))
        text = f"{shown(link.text, 200)} <code>{shown(link.url, 300)}</code>"
        yield f"<tr>{cells}<td>{text}</td></tr>"
    if found:
        yield "</table>"
    if len(found) > MOST_LINKS:
        yield f"<p><i>And {len(found) - MOST_LINKS} more.</i></p>"
    yield "</section>"


def cell(verdict: PageVerdict) -> str:
    """Return the table cell of a verdict on a link, with its source."""
    may = "yes" if verdict.allowed else "no"
    why = f"<small>{shown(verdict.source, 120)}</small>" if verdict.source else ""
    return f'<td class="{may}">{may} {why}</td>'


def findings(page: Page) -> Iterator[str]:
    """Yield the findings on the page."""
    found = page.findings
    if not found:
        return
    yield "<section><h2>Findings</h2><ul>"
    for one in found[:MOST_FINDINGS]:
        yield f"<li>{shown(str(one), 500)}</li>"
    yield "</ul>"
    if len(found) > MOST_FINDINGS:
        yield f"<p><i>And {len(found) - MOST_FINDINGS} more.</i></p>"
    yield "</section>"


STYLE = """
main p { unicode-bidi: isolate; white-space: pre-wrap; max-width: none; }
td { overflow-wrap: anywhere; }
small { color: var(--faint); }
.no > td:nth-child(2), td.no { color: var(--bad); font-weight: 600; }
.yes > td:nth-child(2), td.yes { color: var(--good); }
td small { display: block; font-weight: 400; }
.part { background: var(--odd-paper); border: 1px dashed var(--odd); border-radius: .35rem; }
div.part { padding: .25rem .75rem .35rem; margin: .75rem 0; }
span.part { padding: .1rem .35rem; margin: 0 .15rem;
  -webkit-box-decoration-break: clone; box-decoration-break: clone; }
.label { font-size: .78rem; font-weight: 600; color: var(--odd); }
div.part > .label { display: block; }
.part.yes-index, .part.yes-archive { border-style: solid; }
div.no-index > p, .no-index > .text { text-decoration: line-through;
  text-decoration-thickness: 1px; }
li { margin: .25rem 0; }
"""
