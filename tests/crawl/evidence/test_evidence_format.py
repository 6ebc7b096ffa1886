"""The verdict on fetching, packed once for all URLs of which it says the same."""

import pickle
from datetime import datetime, timezone

from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot.crawl.evidence import evidence_format
from goodbot.crawl.evidence.evidence_format import fetch_values, pack_fetch
from goodbot.policy import Policy
from tests.support.examples import examples

SITE = "https://a.example"
NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
LINES = st.sampled_from(
    ["Allow: /", "Disallow: /a", "Disallow: /A%61", "Allow: /a*b$", "Disallow: /*b", "Allow: b"]
)
FILES = st.tuples(
    st.sampled_from(["*", "ExampleBot", "Googlebot", "Other"]), st.lists(LINES, max_size=4)
).map(lambda parts: "\n".join([f"User-agent: {parts[0]}", *parts[1]]).encode())
STATUSES = st.sampled_from([200, 200, 200, 404, 403, 503])
ROBOTS = st.sampled_from(["ExampleBot", "Googlebot", "AdsBot-Google"])
PATHS = st.sampled_from(["/", "/a", "/ab", "/%61", "/Aa", "/b", "/c", "/robots.txt", "/a?b"])


@examples(400)
@given(st.lists(FILES, min_size=1, max_size=3), STATUSES, ROBOTS, st.lists(PATHS, max_size=8))
def test_packed_once_is_as_packed_each_time(
    files: list[bytes], status: int, robot: str, paths: list[str]
) -> None:
    """Whichever verdicts share their words: several files, robots and statuses, in any order."""
    policies = [
        Policy.from_response(f"{SITE}/robots.txt", status, {}, file, now=NOON) for file in files
    ]
    rules = [goodbot.bots.rules_for(one, robot, fetching=True) for one in policies]
    for path in paths:
        for one in rules:
            verdict = one.verdict(SITE + path)
            assert pack_fetch(verdict).values == fetch_values(verdict)


def test_verdicts_that_say_the_same_share_one() -> None:
    """Of one robot and one file; a literal or restored verdict is packed by itself."""
    file = b"User-agent: *\nDisallow: /b"
    policy = Policy.from_response(f"{SITE}/robots.txt", 200, {}, file, now=NOON)
    rules = goodbot.bots.rules_for(policy, "ExampleBot")
    first, second, other = (rules.verdict(f"{SITE}/{name}") for name in ("a", "c", "b"))
    assert pack_fetch(first) is pack_fetch(second)
    assert pack_fetch(other).values["reason"] == "rule-disallows"
    restored = pickle.loads(pickle.dumps(first))  # noqa: S301  our own
    assert pack_fetch(restored) is not pack_fetch(first)
    assert pack_fetch(restored).values == pack_fetch(first).values


def test_packed_verdicts_are_bounded() -> None:
    """However many policies there are; each has a judge of its own."""
    for _ in range(evidence_format.MOST_PACKED + 10):
        pack_fetch(goodbot.verdict(goodbot.RobotsTxt(b""), f"{SITE}/", "ExampleBot"))
        assert len(evidence_format.PACKED_FETCHES) <= evidence_format.MOST_PACKED
