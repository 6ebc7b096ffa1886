"""However much a site or a page says, what restricts a use behind it is not lost to a bound."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import goodbot
from goodbot.content_use import UseSources, statements_of_page, unpack_statements

if TYPE_CHECKING:
    from goodbot.content_use import Uses

URL = "https://example.com/a"
MANY = 5_000
START = "<rsl xmlns='https://rslstandard.org/rsl'><content url='/'><license>"
RSL = START + "{}</license></content></rsl>"
NO = RSL.format("<prohibits type='usage'>all</prohibits>")
YES = RSL.format("<permits type='usage'>all</permits>")


def of_header(name: str, first: str, last: str) -> dict[str, Any]:
    """Return a header with many different fields of one name, and one more."""
    fields = [(name, first.format(number)) for number in range(MANY)]
    return {"headers": [*fields, (name, last)]}


def of_page(first: str, last: str) -> dict[str, Any]:
    """Return a page with many different elements, and one more."""
    text = "".join(first.format(number) for number in range(MANY))
    return {"page": goodbot.Page(URL, f"<head>{text}{last}</head>")}


def ask(**sources: Any) -> Uses:  # noqa: ANN401
    """Return the answers; a licence that is asked for permits everything, unless it is named no."""
    number = range(MANY)
    licenses = {f"https://example.com/{one}.xml": YES for one in number}
    page = sources.pop("page", None)
    return goodbot.uses(URL, page, licenses=licenses | {"https://example.com/no": NO}, **sources)


def of_file(first: str, last: str, head: str = "User-agent: *\nAllow: /\n") -> dict[str, Any]:
    """Return a robots.txt with many different lines, and one more."""
    lines = "".join(f"{first.format(number)}\n" for number in range(MANY))
    return {"robots_txt": goodbot.RobotsTxt(f"{head}{lines}{last}\n")}


KIND = 'rel="license"; type="application/rsl+xml"'
LINKS = of_header(
    "Link", f"<https://example.com/{{}}.xml>; {KIND}", f"<https://example.com/no>; {KIND}"
)
LINK = '<link rel="license" type="application/rsl+xml" href="/{}">'
SCRIPT = '<script type="application/rsl+xml">{}</script>'
BEHIND = {
    "headers": [
        *(("tdm-reservation", f"x{number}") for number in range(MANY)),
        ("tdm-reservation", "0"),
        ("Link", f"<https://example.com/no>; {KIND}"),
    ]
}
PURPOSE = "User-agent: __usage_{}\n{}: /"


@pytest.mark.stress
@pytest.mark.parametrize(
    "sources",
    [
        of_header("Content-Signal", "ai-train=yes, x{}=yes", "ai-train=no"),
        of_header("Content-Usage", "train-ai=y, x{}=y", "train-ai=n"),
        of_header("tdm-reservation", "x{}", "1"),
        of_header("tdm-reservation", "0", "1"),
        of_header("X-Robots-Tag", "index, x{}", "noai"),
        of_page('<meta name="tdm-reservation" content="x{}">',
                '<meta name="tdm-reservation" content="1">'),
        of_page('<meta name="robots" content="index, x{}">', '<meta name="robots" content="noai">'),
        of_file("Content-Signal: ai-train=yes, x{}=yes", "Content-Signal: ai-train=no"),
        of_file("Content-Usage: train-ai=y, x{}=y", "Content-Usage: train-ai=n"),
        of_file(PURPOSE.format("x{}", "Allow"), PURPOSE.format("ai-training", "Disallow"), ""),
    ],
    ids=["signals", "usage", "odd-tdm", "tdm", "tags", "tdm-meta", "meta", "file-signals",
         "file-usage", "file-purposes"],
)  # fmt: skip
def test_the_last_of_many_statements_counts(sources: dict[str, Any]) -> None:
    """One that reserves training, behind thousands that allow it or say nothing."""
    assert ask(**sources).train.status == "reserved"


@pytest.mark.stress
@pytest.mark.parametrize(
    "sources",
    [
        LINKS,
        of_page(LINK.format("{}.xml"), LINK.format("no")),
        of_page(SCRIPT.format(YES.replace("<license>", "<license><!-- {} -->")), SCRIPT.format(NO)),
        of_file("License: https://example.com/{}.xml", "License: https://example.com/no"),
        BEHIND,
    ],
    ids=["link", "link-element", "inline", "license-lines", "behind-others"],
)
def test_what_is_behind_many_licences_is_no_permission(sources: dict[str, Any]) -> None:
    """A licence that is not read because there are so many asks for more than it gives."""
    assert ask(**sources).train.status in {"licensed", "reserved"}


OF_HEADER = [
    LINKS,
    BEHIND,
    of_header("Content-Signal", "ai-train=yes, x{}=yes", "ai-train=no"),
    of_header("X-Robots-Tag", "index, x{}", "noai"),
]


@pytest.mark.parametrize("sources", OF_HEADER)
def test_the_record_of_a_crawl_loses_nothing_either(sources: dict[str, Any]) -> None:
    """What is kept of a page has a bound, too, and never says more than the page."""
    page = goodbot.Page(URL, "", headers=sources["headers"])
    record = unpack_statements(json.loads(json.dumps(statements_of_page(page, None).pack() or {})))
    assert UseSources(URL, "*", record, None).answer().train.status in {"licensed", "reserved"}


def test_no_rule_of_tdmrep_is_lost() -> None:
    """Of too many rules those that were not read may reserve what no other one is about."""
    rules = ", ".join('{"location": "/b", "tdm-reservation": 0}' for _ in range(11_000))
    file = f'[{rules}, {{"location": "/", "tdm-reservation": 1}}]'
    assert goodbot.uses(URL, tdmrep=file).train.reason == "tdmrep-not-read"
