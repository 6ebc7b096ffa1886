"""One inquiry for robots.txt: what is requested, how it is cut, and that all get one result."""

import asyncio
import threading
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot import Policy
from goodbot.adapters.policy_cache import PolicyCache, ask, drive
from goodbot.grounds import NEVER_ASKED
from goodbot.policy import POLICY_DIALECTS
from goodbot.policy.cutting import whole_lines
from goodbot.policy.inquiry import (
    LIMIT,
    NOT_ASKED,
    Question,
    inquire,
)
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer
from goodbot.robot import Robot
from goodbot.testing import FakeClock, FakeSite
from tests.support.robot_sites import ME
from tests.support.robots_txt_answers import answered

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
HOST = "https://a.example"
RULES = b"User-agent: *\nDisallow: /private\n"
ONE_LINE = b"#" * (LIMIT + 1)
BEYOND_THE_DIALECT = "one line within the limit, over the dialect's"
CUT = {
    "one line over the limit": ONE_LINE,
    "one line, and all rules behind it": ONE_LINE + b"\n" + RULES,
    BEYOND_THE_DIALECT: b"#" * 600_000 + b"\n" + RULES,
    "white space, then one line": b"\xef\xbb\xbf\r\n \t\n" + ONE_LINE,
    "an Allow that does not end": b"Allow: /" + b"a" * LIMIT,
}


def of_inquiry(reply: RobotsTxtAnswer, **choices: Any) -> Policy:  # noqa: ANN401  as `inquire` has them
    """Return the policy of one reply."""
    return drive(ask(f"{HOST}/b", clock=lambda: NOW, **choices), lambda _: reply)


def of_robot(body: bytes, dialect: str = "rfc9309") -> Policy:
    """Return what a robot learns about a site with this robots.txt."""

    async def learn() -> Policy:
        clock = FakeClock()
        site = FakeSite({"/robots.txt": body}, clock=clock)
        async with Robot("ExampleBot/1.0", fetcher=site, clock=clock, dialect=dialect, **ME) as one:
            return await one.policy(f"{HOST}/")

    return asyncio.run(learn())


WITHOUT_LIMIT = {"lwp", "kollar1996"}
"""They read a file of this size completely."""
CUT_IN = [
    (dialect, name)
    for dialect in POLICY_DIALECTS
    for name in CUT
    if dialect != "yandex" and not (dialect in WITHOUT_LIMIT and name == BEYOND_THE_DIALECT)
]


@pytest.mark.parametrize(("dialect", "name"), CUT_IN)
def test_what_is_cut_within_its_only_line_is_no_permission(name: str, dialect: str) -> None:
    """The robot and the adapters forbid all, in every dialect but Yandex's, which documents it."""
    told = of_inquiry(answered(200, (), CUT[name]), dialect=dialect)
    learned = of_robot(CUT[name], dialect)
    for policy in (told, learned):
        assert not policy.verdict(f"{HOST}/b", "ExampleBot").allowed, policy
    assert (told.access, told.reason) == (learned.access, learned.reason)


def test_yandex_opens_the_site_over_its_limit() -> None:
    """Its documentation states that (500 KB)."""
    for policy in (
        of_inquiry(answered(200, (), ONE_LINE), dialect="yandex"),
        of_robot(ONE_LINE, "yandex"),
    ):
        assert policy.verdict(f"{HOST}/b", "ExampleBot").allowed, policy


@pytest.mark.parametrize("status", [404, 403, 503])
def test_a_page_of_errors_may_be_as_long_as_it_likes(status: int) -> None:
    """Only the content of a success counts."""
    policy = of_inquiry(answered(status, (), ONE_LINE))
    assert policy.outcome == of_inquiry(answered(status, (), b"")).outcome


@given(st.binary(max_size=40).map(lambda line: line * 40_000), st.booleans())
def test_what_is_cut_is_cut_at_the_end_of_a_line(body: bytes, truncated: bool) -> None:  # noqa: FBT001
    """Only what the whole file would state, too, counts; a file cut to nothing is none."""
    dialect = goodbot.dialect("lwp")  # it has no limit of its own
    kept, is_lost = whole_lines(body, dialect, truncated=truncated)
    assert body.startswith(kept)
    if not truncated:
        assert (kept, is_lost) == (body, False)
    else:
        rest = body[len(kept) :]
        assert kept[-1:] in {b"", b"\r", b"\n"}
        assert b"\n" not in rest
        assert b"\r" not in rest
        assert is_lost is not bool(kept.strip(b"\xef\xbb\xbf \t\x0b\x0c\r\n"))


def test_whole_lines_before_the_cut_hold() -> None:
    """What comes after the cut does not count."""
    body = RULES + b"# more\n" * 200_000 + b"Disallow: /behind\n"
    for policy in (of_inquiry(answered(200, (), body)), of_robot(body)):
        assert not policy.allows(f"{HOST}/private", "ExampleBot")
        assert policy.allows(f"{HOST}/behind", "ExampleBot")
        assert policy.robots_txt is not None
        assert "too-large" in {finding.code for finding in policy.robots_txt.findings}
        assert LIMIT - 10 < len(policy.robots_txt.content) <= LIMIT


def test_a_truncated_answer_is_cut_wherever_it_ends() -> None:
    """A fetcher may have stopped earlier: half of `Allow: /a/b` would allow too much."""
    told = answered(200, (), RULES + b"Allow: /p", truncated=True)
    policy = of_inquiry(told)
    assert policy.robots_txt is not None
    assert policy.robots_txt.content == RULES


def test_the_limit_is_above_that_of_every_dialect() -> None:
    """Each dialect can report what is too large for it."""
    limits = [int(goodbot.dialect(name).choices["size_limit"]) for name in POLICY_DIALECTS]
    assert 500 * 1024 <= max(limits) < LIMIT


def test_the_copy_is_asked_about_where_it_came_from() -> None:
    """It is revalidated only at its own address, and only a 304 from there confirms it."""
    cache = PolicyCache(threading.Lock, lambda: clock[0])
    clock = [NOW]
    moved = answered(301, (("Location", "/r.txt"),), b"")
    file = answered(200, (("ETag", '"a"'),), RULES)
    asked: list[Question] = []

    def learn(*replies: RobotsTxtAnswer) -> Policy:
        coming = iter(replies)
        asked.clear()

        def fetch(question: Question) -> RobotsTxtAnswer:
            asked.append(question)
            return next(coming)

        return drive(cache.ask(f"{HOST}/b"), fetch)

    assert learn(moved, file).access == "rules"
    assert [question.conditions for question in asked] == [(), ()]
    clock[0] += timedelta(days=2)
    assert learn(moved, answered(304, (), b"")).outcome == "not-modified"
    assert [question.conditions for question in asked] == [(), (("If-None-Match", '"a"'),)]
    clock[0] += timedelta(days=2)
    unasked = learn(answered(304, (), b""))
    assert [question.conditions for question in asked] == [()]
    assert (unasked.outcome, unasked.reason) == ("not-modified-without-copy", "stale-copy")
    # A failure elsewhere does not change where the copy came from.
    elsewhere = answered(302, (("Location", "/busy.txt"),), b"")
    for _ in range(2):
        clock[0] += timedelta(days=2)
        assert learn(elsewhere, answered(503, (), b"")).reason == "stale-copy"
        assert [question.conditions for question in asked] == [(), ()]
    clock[0] += timedelta(days=2)
    assert learn(elsewhere, answered(304, (), b"")).outcome == "not-modified-without-copy"
    clock[0] += timedelta(days=2)
    assert learn(moved, answered(304, (), b"")).outcome == "not-modified"
    assert [question.conditions for question in asked] == [(), (("If-None-Match", '"a"'),)]


def test_a_copy_of_an_older_record_is_asked_about_only_where_it_surely_came_from() -> None:
    """0.1.0 did not store the address."""
    url = f"{HOST}/robots.txt"
    file = Policy.from_response(url, 200, {"ETag": '"a"'}, RULES, now=NOW, hops=[f"{HOST}/r.txt"])
    later = NOW + timedelta(days=2)
    failed = Policy.from_response(url, 503, {}, b"", now=later, previous=file, hops=[f"{HOST}/s"])
    assert (file.copy_url, failed.copy_url) == (f"{HOST}/r.txt", f"{HOST}/r.txt")
    for policy, known in ((file, f"{HOST}/r.txt"), (failed, None)):
        record = policy.as_record()
        assert Policy.from_record(record).copy_url == f"{HOST}/r.txt"
        del record["copy"]["url"]
        assert Policy.from_record(record).copy_url == known


def test_a_loop_is_seen_in_the_normal_form() -> None:
    """`/a/../robots.txt` is robots.txt itself."""
    there = inquire(f"{HOST}/b")
    next(there)
    with pytest.raises(StopIteration) as end:
        there.send((answered(301, (("Location", "/a/../robots.txt"),), b""), NOW))
    assert end.value.value.outcome in {"redirect-loop", "redirect-not-followed"}


@given(st.sampled_from(sorted(NOT_ASKED)) | st.text(max_size=9))
def test_no_failure_is_permission(kind: str) -> None:
    """Failures include a kind that no policy knows."""
    policy = of_inquiry(RobotsTxtAnswer(failure=kind))
    assert not policy.verdict(f"{HOST}/b", "ExampleBot").allowed
    if kind in {"blocked-port", "private-address"}:
        assert policy.outcome in NEVER_ASKED
