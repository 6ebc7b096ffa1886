"""Conditional requests for pages: when one is made, and what a 304 confirms."""

import asyncio
from dataclasses import replace

import pytest

import goodbot
from goodbot.errors import WrongTypeError
from goodbot.net import Response
from goodbot.robot import Visit
from goodbot.testing import Answer, FakeClock, FakeSite, FakeVisit
from tests.support.robot_sites import ME, SITE

PAGE = b"<title>Lamps</title><a href=/b>b</a>"
TAG = ("ETag", '"1"')
SINCE = ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")


def visited(site: FakeSite, stored: Response | None = None, url: str = f"{SITE}/a") -> Visit:
    """Visit a page."""

    async def visit() -> Visit:
        async with goodbot.Robot("ExampleBot/1.0", **ME, fetcher=site, clock=site.clock) as robot:
            return await robot.visit(url, stored=stored)

    return asyncio.run(visit())


def site_with(first: Answer, then: Answer) -> FakeSite:
    """Build a site that treats a conditional request differently."""

    def answer(visit: FakeVisit) -> Answer:
        return then if conditions(visit) else first

    return FakeSite({"/a": answer}, clock=FakeClock())


def conditions(visit: FakeVisit) -> dict[str, str]:
    """Return the conditions of a request."""
    return {name: value for name, value in visit.headers if name.startswith("If-")}


def test_a_304_confirms_the_earlier_answer() -> None:
    """RFC 9111 section 4.3.4: the earlier content, with the header fields of the 304."""
    news = (
        TAG,
        ("X-Robots-Tag", "noindex"),
        ("Content-Length", "0"),
        ("Cache-Control", "no-cache"),
    )
    site = site_with(
        Answer(body=PAGE, headers=[TAG, SINCE, ("Cache-Control", "max-age=60"), ("Age", "9")]),
        Answer(status=304, headers=news),
    )
    first = visited(site)
    again = visited(site, first.response)
    asked = conditions(site.visits[-1])
    assert asked == {"If-None-Match": TAG[1], "If-Modified-Since": SINCE[1]}
    assert again
    assert again.response.status == 200
    assert again.response.body == PAGE
    assert again.response.field_values("cache-control") == ["no-cache"]
    assert again.response.field("Age") is None
    assert again.not_modified is not None
    assert again.not_modified.status == 304
    assert not again.page.index
    assert [link.url for link in again.page.links] == [f"{SITE}/b"]
    assert first.not_modified is None


@pytest.mark.parametrize(
    ("fields", "body"),
    [
        ([], PAGE),
        ([("ETag", "x" * 1_000_000)], PAGE),
        ([("ETag", '"\xe9"')], PAGE),
        ([("Last-Modified", "long ago")], PAGE),
        ([TAG], b""),
        ([TAG, ("Vary", "Accept, *")], PAGE),
        ([TAG, ("X-Robots-Tag", "noindex")], PAGE),
        ([TAG, ("Content-Usage", "train-ai=n")], PAGE),
        ([TAG, ("TDM-Reservation", "1")], PAGE),
    ],
)
def test_no_condition_is_sent_where_a_304_would_not_suffice(
    fields: list[tuple[str, str]], body: bytes
) -> None:
    """A prohibition in the header would have to be repeated, which a 304 need not do."""
    site = site_with(Answer(body=body, headers=fields), Answer(status=304))
    again = visited(site, visited(site).response)
    assert conditions(site.visits[-1]) == {}
    assert again.response.body == body
    assert again.not_modified is None


def test_no_condition_is_sent_for_what_was_cut_or_was_no_page() -> None:
    """The rest of it is not known."""
    site = site_with(Answer(body=PAGE, headers=[TAG]), Answer(status=304))
    stored = visited(site).response
    for other in (replace(stored, truncated=True), replace(stored, status=203)):
        visited(site, other)
        assert conditions(site.visits[-1]) == {}
    visited(site, replace(stored, url=f"{SITE}/other"))
    assert conditions(site.visits[-1]) == {}


def test_a_304_for_another_answer_confirms_nothing() -> None:
    """RFC 9111 section 4.3.4: its entity tag is that of another version."""
    site = site_with(
        Answer(body=PAGE, headers=[TAG]), Answer(status=304, headers=[("ETag", '"2"')])
    )
    again = visited(site, visited(site).response)
    assert not again
    assert again.response.status == 304
    assert again.not_modified is None


def test_a_304_that_nobody_asked_for_confirms_nothing() -> None:
    """RFC 9110 section 15.4.5 is about conditional requests."""
    site = FakeSite({"/a": Answer(status=304, headers=[TAG])}, clock=FakeClock())
    assert not visited(site)


def test_what_is_stored_must_be_an_answer() -> None:
    """A page or a text raises."""
    with pytest.raises(WrongTypeError, match=r"such as Visit\.response, not str"):
        visited(FakeSite({}, clock=FakeClock()), "text")  # type: ignore[arg-type]
