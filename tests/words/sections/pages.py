"""What pages say of themselves: verdicts, findings, and what a form cannot express."""

from collections.abc import Callable, Iterator
from datetime import datetime, timezone

import pytest

import goodbot
from goodbot.errors import MisuseError
from goodbot.robot.identity import identity_of
from goodbot.robot.robot_page import RobotCard
from goodbot.site.writing import FORMS, Wish, wish_of, write
from tests.page.test_conformance import all_cases, pages
from tests.words.writing import entries

URL = "https://a.example/page"
INFO_URL, CONTACT = "https://example.com/bot", "bot@example.com"
BODY = (
    '<meta name=robots content="noarchive, notranslate, noai"><p>a <span data-nosnippet>b</span>'
    "<a href=/c rel=nofollow>c</a>"
)
HEAD = '<head profile="http://example.org/xmdp/robots-profile#"></head>'
PARTS = (
    "<span data-nosnippet>a</span><!--googleoff: all-->b<noindex>c</noindex>"
    "<a rel=nofollow href=/d>d</a>"
    "<b class='robots-noarchive robots-noidex'>e</b>"
)
WISH = Wish.parse(
    "all, noindex, nosnippet, max-snippet: 20, noarchive, noodp, "
    "examplebot: nofollow, viewport: noindex"
)


def verdicts() -> Iterator[tuple[str, str]]:
    """Yield the verdicts on a page, on its parts, and on a page that is not the document."""
    page = goodbot.Page(URL, BODY, robot="ExampleBot")
    for act, verdict in page.verdicts.items():
        yield act, str(verdict)
    yield "snippet of a part", str(page.runs[1].snippet)
    yield "follow of a link", str(page.links[0].follow)
    yield "index, any robot", str(goodbot.Page(URL, BODY).index)
    yield "index, status 404", str(goodbot.Page(URL, BODY, status=404).index)
    yield (
        "index, a PDF document as HTML",
        str(goodbot.Page(URL, b"%PDF-1.7", content_type="text/html").index),
    )
    late = goodbot.Page(URL, "<meta name=robots content='unavailable_after: 2001-01-01'>")
    yield (
        "index after unavailable_after",
        str(late.index_at(datetime(2025, 1, 1, tzinfo=timezone.utc))),
    )


def findings() -> Iterator[tuple[str, str]]:
    """Yield the first finding with each code in the conformance cases."""
    seen = set()
    for case, page in zip(all_cases(), pages(), strict=True):
        for finding in page.findings:
            if finding.code not in seen:
                seen.add(finding.code)
                yield f"{case['id']} ({finding.code})", str(finding)


def losses() -> Iterator[tuple[str, str]]:
    """Yield what no form can express of a wish, and the marks on parts of a page."""
    for form in FORMS:
        for loss in write(WISH, form).losses:
            yield f"{form}: {loss.code}", loss.message
    for name, body in (("", PARTS), ("Profile, ", HEAD + PARTS)):
        for loss in wish_of(goodbot.Page(URL, body), body).losses:
            yield f"{name}{loss.code}", loss.message


MISUSES: dict[str, Callable[[], object]] = {
    "the name of a browser": lambda: identity_of("Mozilla/5.0", INFO_URL, CONTACT),
    "the name of a known robot": lambda: identity_of("Googlebot", INFO_URL, CONTACT),
    "a malformed name": lambda: identity_of("Example Bot", INFO_URL, CONTACT),
    "no URL": lambda: identity_of("ExampleBot", "nowhere", CONTACT),
    "a password": lambda: identity_of("ExampleBot", "https://a:b@example.com/", CONTACT),
    "no email address": lambda: identity_of("ExampleBot", INFO_URL, "nobody"),
    "no address of a robot": lambda: RobotCard(
        identity=identity_of("ExampleBot", INFO_URL, CONTACT), addresses=("x y",)
    ),
    "one str for a list": lambda: goodbot.Page(URL, "", marks="ugc"),
    "an unknown mark": lambda: goodbot.Page(URL, "", marks=["ucg"]),
    "an unknown page dialect": lambda: goodbot.Page(URL, "", dialect="gogle"),
    "a file in place of its content": lambda: goodbot.Page(URL, 7),
    "a misspelt directive": lambda: Wish.parse("noidex"),
    "a malformed value": lambda: Wish.parse("max-snippet: many"),
}


def misuses() -> Iterator[tuple[str, str]]:
    """Yield the message of each wrong argument."""
    for name, misuse in MISUSES.items():
        with pytest.raises(MisuseError) as caught:
            misuse()
        yield name, str(caught.value)


def lines() -> Iterator[str]:
    """Yield the sentences on pages, then those on wrong arguments of pages and robots."""
    yield from entries("Verdicts on a page", verdicts())
    yield from entries("Findings, by the cases of conformance/page", findings())
    yield from entries("What a form cannot express", losses())
    yield from entries("Wrong arguments of pages and robots", misuses())
