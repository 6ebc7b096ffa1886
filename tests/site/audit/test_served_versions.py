"""What a site may have served over time follows from its timeline, wherever that comes from."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot.history import PolicyTimeline, read_timeline
from goodbot.policy import Policy, RobotsTxtAnswer
from goodbot.site.audit.served_versions import LAST, find_served_versions
from goodbot.store import MemoryStore
from tests.support.examples import examples

SITE, URL = "https://example.com", "https://example.com/robots.txt"
NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
DAY = timedelta(days=1)
FILES = [None, b"User-agent: *\nDisallow: /a", b"User-agent: *\nDisallow: /b"]
TIMES = st.lists(st.tuples(st.integers(0, 9), st.sampled_from(FILES)), max_size=6, unique=True)


def answer(day: int, content: bytes | None) -> RobotsTxtAnswer:
    """Return an answer with a file, or that there is none."""
    return RobotsTxtAnswer(URL, NOON + day * DAY, 200 if content else 404, body=content or b"")


@examples(200)
@given(TIMES)
def test_declared_files_are_served_until_the_next(found: list[tuple[int, bytes | None]]) -> None:
    """At any time, those that began last; and the policies of the timeline are of the same."""
    timeline = PolicyTimeline.declared(SITE, [(NOON + at * DAY, content) for at, content in found])
    versions = find_served_versions(timeline).versions
    for at in range(-1, 11):
        begun = [day for day, _ in found if day <= at]
        expected = {content for day, content in found if begun and day == max(begun)}
        moment = NOON + at * DAY
        begun_versions = [one for one in versions if one.since <= moment]
        in_force = {one.content for one in begun_versions
                    if one.until is None or moment < one.until}  # fmt: skip
        assert in_force == expected
        then = timeline.at(moment)
        assert {one.copy_content for one in then.policies} == expected
        assert then.is_current is bool(expected)


@examples(200)
@given(TIMES)
def test_policies_say_what_their_answers_say(found: list[tuple[int, bytes | None]]) -> None:
    """A timeline of policies, of answers, and of what a store has seen of them.

    A store has the last of several equal answers in a row, so that none are equal here.
    """
    days = sorted(dict(found).items())
    changes = [days[at] for at in range(len(days)) if not at or days[at][1] != days[at - 1][1]]
    answers = [answer(*one) for one in changes]
    of_answers = find_served_versions(PolicyTimeline.of_answers(answers))
    policies = [Policy.from_answer(one) for one in answers]
    assert spans(find_served_versions(PolicyTimeline.of(policies))) == spans(of_answers)
    store = MemoryStore()
    for policy in sorted(policies, key=lambda one: one.fetched_at):
        store.put(SITE, policy.as_record(), policy.fetched_at)
    assert spans(find_served_versions(read_timeline(store, SITE))) == spans(of_answers)


def spans(served: object) -> list[tuple[object, ...]]:
    """Return the versions with their spans."""
    return [(one.content, one.since, one.until, one.seen) for one in served.versions]  # type: ignore[attr-defined]


def test_of_one_answer_at_an_uncertain_time_nothing_is_known() -> None:
    """A single date without seconds says of no moment what was served then; it is no misuse."""
    vague = answer(1, FILES[1])._replace(requested=NOON)
    found = find_served_versions(PolicyTimeline.of_answers([vague]))
    assert (len(found.versions), found.known_span) == (1, None)
    again = find_served_versions(PolicyTimeline.of_answers([vague, answer(3, FILES[1])]))
    assert again.known_span == tuple(
        (NOON + day * DAY - datetime.fromtimestamp(0, timezone.utc)) // timedelta(microseconds=1)
        for day in (1, 3)
    )


def test_a_timeline_without_a_statement_has_no_version() -> None:
    """Failures say nothing about the file; an empty timeline still names its site."""
    failed = PolicyTimeline.of_answers([RobotsTxtAnswer(URL, NOON, 503)])
    for timeline in (failed, PolicyTimeline((), origin=f"{SITE}/page")):
        found = find_served_versions(timeline)
        assert (found.site, found.versions, found.known_span) == (SITE, (), None)
    only = find_served_versions(PolicyTimeline.declared(SITE, [(NOON, b"")]))
    assert only.known_span is not None
    assert only.known_span[1] == LAST
    with pytest.raises(goodbot.WrongTypeError, match="PolicyTimeline"):
        find_served_versions([failed])  # type: ignore[arg-type]
