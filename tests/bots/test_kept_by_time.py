"""What a source keeps of the times that it was asked about: the same answers, in bounded memory."""

import copy
import dataclasses
import pickle
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot import bots
from goodbot.bots import asking
from goodbot.errors import OtherOriginError, WrongTypeError, WrongValueError
from goodbot.history import LearnedPolicy, PolicyTimeline
from goodbot.policy import Policy, RobotsTxtAnswer

SITE = "https://a.example"
ADDRESS = f"{SITE}/robots.txt"
NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
HOUR, SECOND, MOMENT = timedelta(hours=1), timedelta(seconds=1), timedelta(microseconds=1)
PARIS = ZoneInfo("Europe/Paris")
TEXTS = (
    b"",
    b"User-agent: *\nDisallow: /",
    b"User-agent: *\nDisallow: /a\n\nUser-agent: Googlebot\nDisallow: /b",
    b"User-agent: Googlebot-News\nUser-agent: ExampleBot\nAllow: /a\nDisallow: /",
)
ROBOTS = ("ExampleBot", "OtherBot/2.0", "Googlebot", "Googlebot-News", "AdsBot-Google", "bingbot")
URLS = tuple(f"{SITE}{path}" for path in ("/a", "/b", "/%61", "/robots.txt"))

# Many crawlers write times to the second: several answers may be of one.
TIMES = st.integers(0, 4).map(lambda one: one * SECOND) | st.integers(0, 60).map(
    lambda one: one * HOUR
)
RESPONSES = st.builds(
    lambda after, status, body, fields: RobotsTxtAnswer(
        ADDRESS, NOON + after, status, headers=fields, body=body if status == 200 else b""
    ),
    TIMES,
    st.sampled_from([200, 200, 200, 404, 403, 429, 503]),
    st.sampled_from(TEXTS),
    st.sampled_from([(), (("Cache-Control", "max-age=3600"),), (("Cache-Control", "no-cache"),)]),
)
FAILURES = st.builds(
    lambda after, failure: RobotsTxtAnswer(ADDRESS, NOON + after, failure=failure),
    TIMES,
    st.sampled_from(["timeout", "dns"]),
)
REDIRECTS = st.builds(
    lambda after: RobotsTxtAnswer(ADDRESS, NOON + after, 301, hops=(ADDRESS, f"{SITE}/other")),
    TIMES,
)
HELD = st.sampled_from([None, timedelta(0), -HOUR, SECOND, 12 * HOUR, timedelta.max, timedelta.min])


@st.composite
def timelines(draw: st.DrawFn) -> PolicyTimeline:
    """Return a timeline of answers and failures, some of them only known to be within a span."""
    answers = draw(st.lists(RESPONSES | RESPONSES | FAILURES | REDIRECTS, max_size=6))
    dialect = draw(st.sampled_from(["rfc9309", "google", "yandex"]))
    made = PolicyTimeline.of_answers(answers, dialect=dialect, held=draw(HELD))
    spans = st.none() | TIMES
    learned = tuple(
        one._replace(since=None if span is None else one.at - span)
        for one in made.learned
        for span in [draw(spans)]
    )
    unknown = tuple(NOON + one for one in draw(st.lists(TIMES, max_size=2)))
    return PolicyTimeline(learned, made.held, made.unknown_from + unknown, made.origin or SITE)


def moments_of(timeline: PolicyTimeline) -> list[datetime]:
    """Return times at which anything might change, those around them, and those far away."""
    learned = [one.at for one in timeline.learned]
    ends = [one.policy.fresh_until for one in timeline.learned]
    held = timeline.held or HOUR
    if abs(held) < timedelta(days=9):
        ends += [(one.since or one.at) + held for one in timeline.learned]
    near = [*learned, *ends, *timeline.unknown_from]
    around = [one + step for one in near for step in (-MOMENT, 0 * MOMENT, MOMENT, HOUR)]
    return [*around, NOON - HOUR, NOON + 30 * HOUR, NOON + timedelta(days=99)]


def plainly(timeline: PolicyTimeline, url: str, robot: str, at: datetime) -> goodbot.Verdict | None:
    """Return the verdict that held at a time, by asking each policy; `None` if it is unknown."""
    then = timeline.at(at)
    return then.decide(asking.rules_for(one, robot).verdict(url) for one in then.policies)


@given(timelines(), st.data())
def test_what_is_kept_is_what_is_found(timeline: PolicyTimeline, data: st.DataObject) -> None:
    """However often and in which order times are asked about, and in which zone."""
    times = data.draw(st.permutations(moments_of(timeline)))[:24]
    robots = data.draw(st.lists(st.sampled_from(ROBOTS), min_size=1, max_size=2))
    url = data.draw(st.sampled_from(URLS))
    for robot in robots:
        for at in times:
            found = goodbot.verdict(timeline, url, robot, at)
            assert goodbot.verdict(timeline, url, robot, at.astimezone(PARIS)) == found
            fresh = goodbot.verdict(pickle.loads(pickle.dumps(timeline)), url, robot, at)  # noqa: S301  its own
            assert (found, found.as_dict(), str(found)) == (fresh, fresh.as_dict(), str(fresh))
            expected = plainly(timeline, url, robot, at)
            if expected is not None:
                assert found == expected
                continue
            reason = "expired" if timeline.at(at) else "unknown"
            assert (found.allowed, found.reason, found.robot) == (False, reason, robot)
            assert ("nothing is known" in str(found)) is not bool(timeline.at(at))


@given(RESPONSES | FAILURES, st.sampled_from(ROBOTS), st.sampled_from(URLS))
def test_a_policy_keeps_what_its_timeline_would(
    answer: RobotsTxtAnswer, robot: str, url: str
) -> None:
    """It permits nothing before it was learned, and nothing beyond its end."""
    policy = Policy.from_answer(answer)
    timeline = PolicyTimeline.of([policy])
    for at in 2 * moments_of(timeline):
        fresh = goodbot.verdict(PolicyTimeline.of([policy]), url, robot, at)
        assert goodbot.verdict(policy, url, robot, at) == fresh


def answer(hours: float, body: bytes) -> Policy:
    """Return the policy of a robots.txt that was found."""
    return Policy.from_response(ADDRESS, 200, {}, body, now=NOON + hours * HOUR)


def sources() -> list[goodbot.RobotsTxt | Policy | PolicyTimeline]:
    """Return each source that there is, of which nobody asked yet."""
    return [
        goodbot.RobotsTxt(TEXTS[2]),
        answer(0, TEXTS[2]),
        PolicyTimeline.of([answer(0, TEXTS[2]), answer(100, TEXTS[1])]),
        PolicyTimeline((), origin=SITE),
    ]


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("place", range(4))
def test_what_is_kept_is_not_found_again(
    monkeypatch: pytest.MonkeyPatch, place: int, robot: str
) -> None:
    """A source is asked once for a robot and an interval, whatever the URL and the zone."""
    asked = []

    def counted(
        asker: Callable[..., goodbot.Verdict],
    ) -> Callable[..., goodbot.Verdict]:
        def ask(*arguments: object) -> goodbot.Verdict:
            asked.append(arguments)
            return asker(*arguments)

        return ask

    monkeypatch.setattr(asking, "ask", counted(asking.ask))
    source = sources()[place]
    for hours in range(1, 9):
        at = NOON + hours * HOUR
        for url in URLS:
            for time in (at, at.astimezone(PARIS), at.astimezone(timezone(9 * HOUR))):
                goodbot.verdict(source, url, robot, time)
    assert len(asked) == 1


def test_a_longer_timeline_is_another_one() -> None:
    """What was kept for the shorter one is not said of the longer one, nor if held otherwise."""
    short = PolicyTimeline.of([answer(0, TEXTS[0])])
    at = NOON + HOUR
    assert goodbot.verdict(short, f"{SITE}/a", "ExampleBot", at)
    later = LearnedPolicy(at, answer(1, TEXTS[1]))
    longer = dataclasses.replace(short, learned=(*short.learned, later))
    assert not goodbot.verdict(longer, f"{SITE}/a", "ExampleBot", at)
    held = dataclasses.replace(short, held=timedelta(0))
    assert goodbot.verdict(held, f"{SITE}/a", "ExampleBot", at).reason == "expired"
    assert goodbot.verdict(short, f"{SITE}/a", "ExampleBot", at)


def test_little_is_kept() -> None:
    """However many robots and times are asked about, and however large their rules are."""
    large = "".join(f"Disallow: /{number:>040}\n" for number in range(3_000))
    body = f"User-agent: Large\n{large}\nUser-agent: *\nDisallow: /a".encode()
    timeline = PolicyTimeline.of(answer(100 * days, body) for days in range(9))
    policy = timeline.learned[0].policy
    most = 16 * 1024 * 1024 // (2 * 1024)
    for name in ("Large", "x" * 1_000):
        for source in (timeline, policy):
            assert not goodbot.verdict(source, f"{SITE}/a", name, NOON).allowed or name == "Large"
    assert policy._judges_by_time is not None  # noqa: SLF001  nobody else sees it
    assert len(policy._judges_by_time) == len(timeline._judges_by_time) == 0  # noqa: SLF001
    counts = []
    for number in range(1_200):
        for days in range(9):
            at = NOON + 100 * days * HOUR
            assert not goodbot.verdict(timeline, f"{SITE}/a", f"robot{number}", at)
        counts.append(len(timeline._judges_by_time))  # noqa: SLF001  nobody else sees it
    assert most / 2 < max(counts) <= most
    assert counts[-1] < max(counts)


def test_a_copy_keeps_nothing() -> None:
    """What is kept is not part of the value, and is not pickled."""
    timeline = PolicyTimeline.of([answer(0, TEXTS[1])])
    before = hash(timeline), len(pickle.dumps(timeline))
    for number in range(100):
        goodbot.verdict(timeline, f"{SITE}/a", f"robot{number}", NOON)
    assert (hash(timeline), len(pickle.dumps(timeline))) == before
    for other in (pickle.loads(pickle.dumps(timeline)), copy.deepcopy(timeline)):  # noqa: S301  its own
        assert other == timeline
        assert len(other._judges_by_time) == 0  # noqa: SLF001  nobody else sees it


def test_what_is_no_time_is_misuse_also_where_a_robot_is_kept() -> None:
    """A source that would answer without the time checks it nevertheless."""
    for source in sources():
        for at in (NOON, NOON.astimezone(PARIS)):
            goodbot.verdict(source, f"{SITE}/a", "ExampleBot", at)
        with pytest.raises(WrongValueError, match="naive"):
            goodbot.verdict(source, f"{SITE}/a", "ExampleBot", NOON.replace(tzinfo=None))
        with pytest.raises(WrongTypeError, match="date"):
            goodbot.verdict(source, f"{SITE}/a", "ExampleBot", NOON.date())  # type: ignore[arg-type]
        last = datetime.max.replace(tzinfo=timezone(-HOUR))
        with pytest.raises(WrongValueError, match="first or last year"):
            goodbot.verdict(source, f"{SITE}/a", "ExampleBot", last)
        if not isinstance(source, goodbot.RobotsTxt):
            with pytest.raises(OtherOriginError):
                goodbot.verdict(source, "https://b.example/a", "ExampleBot", NOON)


def test_a_known_robot_that_is_passed_itself_has_the_same_answer() -> None:
    """It is not kept, since it may be one of the caller's own."""
    news = bots.known("Googlebot-News")
    assert news is not None
    for source in sources():
        by_name = goodbot.verdict(source, f"{SITE}/b", "Googlebot-News", NOON)
        assert goodbot.verdict(source, f"{SITE}/b", news, NOON).as_dict() == by_name.as_dict()


class FinerTime(datetime):
    """A time of another library, which may be finer than microseconds."""


def test_a_time_of_another_class_has_the_same_answer() -> None:
    """It is compared by its own rules, each time."""
    for source in sources():
        for _ in range(2):
            at = FinerTime(2026, 1, 1, 12, tzinfo=timezone.utc)
            found = goodbot.verdict(source, f"{SITE}/b", "Googlebot-News", at)
            assert found == goodbot.verdict(source, f"{SITE}/b", "Googlebot-News", NOON)
