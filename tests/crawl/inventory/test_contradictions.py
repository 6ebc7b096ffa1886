"""Signals of a page that contradict one another, found from what the crawl kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.inventory.row_building import inventory_rows
from goodbot.crawl.inventory.site_findings import site_findings
from goodbot.testing import Answer
from tests.support.crawls.memory_crawls import SITE, crawl, html, site_of

if TYPE_CHECKING:
    from pathlib import Path

ROBOTS_TXT = "User-agent: *\nAllow: /\nContent-Signal: ai-train=yes\n"
ROBOTS_TXT_LINE = "robots.txt, line 3: ai-train=yes"
TDM_0, NOINDEX = "META tdm-reservation, line 1: 0", "META robots, line 1: noindex"
CASES: dict[str, tuple[str, list[tuple[str, str]], tuple[str, ...]]] = {
    "nothing": ("", [], ()),
    "the-same": ("<meta name=tdm-reservation content=0>", [], ()),
    "noai": (
        "<meta name=robots content=noai>", [],
        (f"train: {ROBOTS_TXT_LINE} allows it, and META robots, line 1: noai reserves it",),
    ),
    "tdmrep": (
        "<meta name=tdm-reservation content=1>", [],
        (f"train: {ROBOTS_TXT_LINE} allows it, and META tdm-reservation, line 1: 1 reserves it",),
    ),
    "header-and-meta": (
        "<meta name=tdm-reservation content=0>", [("Content-Usage", "train-ai=n")],
        (f"train: {TDM_0} allows it, and header Content-Usage: train-ai=n reserves it",),
    ),
    "index-and-noindex": (
        "<meta name=robots content=noindex>", [("X-Robots-Tag", "index")],
        (f"search: header X-Robots-Tag: index allows it, and {NOINDEX} reserves it",),
    ),
    "another-robot": ("<meta name=gptbot content=noai>", [], ()),
}  # fmt: skip
"""For each page its HEAD, its header, and what contradicts."""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the rows of a crawl of all pages by name."""
    pages: dict[str, Any] = {
        name: Answer(body=html("text", head=head).encode(), headers=[*header, KIND])
        for name, (head, header, _) in CASES.items()
    }
    site = site_of(ROBOTS_TXT, home=html("home", *(f"/{name}" for name in CASES)), **pages)
    folder: Path = tmp_path_factory.mktemp("signals") / "crawl"
    crawl(folder, site)
    with open_readonly(folder) as database:
        rows = list(inventory_rows(database, site.clock.now()))
    return {row.url.removeprefix(f"{SITE}/"): row for row in rows}


KIND = ("Content-Type", "text/html; charset=utf-8")


@pytest.mark.parametrize("name", CASES)
def test_what_contradicts_is_named_on_both_sides(found: dict[str, Any], name: str) -> None:
    """The row has a sentence for each use, and the finding joins them."""
    row, expected = found[name], CASES[name][2]
    assert row.contradictions == expected
    messages = [one.message for one in site_findings(row) if one.code == "signals-contradict"]
    assert messages == ([("; ".join(expected))] if expected else [])
