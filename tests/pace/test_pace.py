"""The pace: the cases of the documents, a slow reference, and promises that always hold."""

from __future__ import annotations

import datetime as dt
import json
import math
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot.http.instants import instant
from goodbot.pace import (
    REASONS,
    History,
    Manners,
    Pace,
    PastVisit,
    Turn,
    finding_codes,
    read_retry_after,
    reasons,
)
from tests.support import conformance_cases as data
from tests.support.examples import examples
from tests.support.references import pace_reference
from tests.support.work import lines_run

UTC = dt.timezone.utc
NOON = dt.datetime(2025, 1, 1, 12, tzinfo=UTC)
CASES = data.cases("pace")


def seconds(number: float) -> dt.timedelta:
    """Return a duration."""
    return dt.timedelta(seconds=number)


def pace_for(lines: list[str], manners: Manners | None = None) -> Pace:
    """Return the pace that lines of robots.txt request."""
    robots = goodbot.RobotsTxt("\n".join(["User-agent: *", *lines]))
    return Pace(robots.rules_for("ExampleBot"), manners=manners, robots_txt=robots)


def manners_of(case: data.Case) -> Manners:
    """Return the settings of a case."""
    jitter = case.get("jitter")
    return Manners(
        **case.get("manners", {}), jitter=None if jitter is None else lambda: float(jitter)
    )


def history_of(case: data.Case, manners: Manners) -> History:
    """Return the history of a case."""
    history = History.of(last_ended=case.get("last_ended"), failures=case.get("failures", 0))
    for one in case.get("visits", []):
        history = history.after(visit_of(one), manners)
    return history


def visit_of(one: Any) -> PastVisit:  # noqa: ANN401  a table, or a list for short
    """Return a visit of a case."""
    if isinstance(one, list):
        started, took, status, retry_after = [*one, None, None][:4]
        return PastVisit(started, started + seconds(took), status, retry_after)
    named = {name: value for name, value in one.items() if name not in {"started", "took"}}
    return PastVisit(
        one["started"], one["started"] + seconds(one["took"]), **{"status": None, **named}
    )


@pytest.mark.parametrize(
    "case", [case for case in CASES if "interval" in case], ids=lambda case: str(case["id"])
)
def test_interval(case: data.Case) -> None:
    """The time between two visits is what the documents state for that instant."""
    pace = pace_for(case["lines"], manners_of(case))
    assert pace.interval(case["at"], took=case.get("took", 0.0)) == case["interval"]


@pytest.mark.parametrize(
    "case", [case for case in CASES if "reason" in case], ids=lambda case: str(case["id"])
)
def test_turn(case: data.Case) -> None:
    """The earliest instant, its reason and its line are those of the case."""
    manners = manners_of(case)
    pace = pace_for(case["lines"], manners)
    turn = pace.turn(history_of(case, manners), now=case["now"])
    expected = None if case.get("never") else case["not_before"]
    assert (turn.not_before, turn.reason) == (expected, case["reason"]), str(turn)
    assert turn.line == case.get("line", 0)
    assert [finding.code for finding in pace.findings] == case.get("findings", [])
    assert bool(turn) is (expected == case["now"])


def test_every_case_is_tried() -> None:
    """No case is ignored, and ids are unique over all conformance cases of this layer."""
    assert all(("interval" in case) != ("reason" in case) for case in CASES)
    assert len({case["id"] for case in CASES}) == len(CASES) > 60
    assert {case["reason"] for case in CASES if "reason" in case} == set(REASONS)


# The slow reference.

TIMES = st.integers(0, 1439)
WINDOWS = st.one_of(
    st.just(""),
    st.tuples(TIMES, TIMES).map(
        lambda pair: " {:02d}{:02d}-{:02d}{:02d}".format(*divmod(pair[0], 60), *divmod(pair[1], 60))
    ),
)
RATES = st.tuples(
    st.integers(1, 4),
    st.sampled_from([1, 2, 5, 20, 60, 240, 1440, 2000]),
    st.one_of(WINDOWS, st.just(" at night")),
).map(lambda rate: f"Request-rate: {rate[0]}/{rate[0] * rate[1]}m{rate[2]}")
DELAYS = st.sampled_from([0, 60, 300, 3600, 90000]).map(lambda delay: f"Crawl-delay: {delay}")
VISITS = WINDOWS.filter(bool).map(lambda window: f"Visit-time:{window}")
LINES = st.tuples(
    st.lists(RATES, max_size=4), st.lists(DELAYS, max_size=1), st.lists(VISITS, max_size=1)
).map(lambda found: [*found[0], *found[1], *found[2]])
OWN_HOURS = st.lists(
    st.tuples(TIMES, TIMES)
    .filter(lambda pair: pair[0] != pair[1])
    .map(
        lambda pair: "{:02d}:{:02d}-{:02d}:{:02d}".format(
            *divmod(pair[0], 60), *divmod(pair[1], 60)
        )
    ),
    max_size=2,
).map(", ".join)
MINUTE = seconds(60)


@st.composite
def pasts(draw: st.DrawFn, now: dt.datetime, unit: dt.timedelta) -> pace_reference.Past:
    """Draw past visits, in whole units."""
    ended = draw(st.one_of(st.none(), st.integers(0, 300)))
    if ended is None:
        return pace_reference.Past()
    took = draw(st.integers(0, 3))
    last = now - ended * unit
    starts = [last - took * unit]
    for gap in draw(st.lists(st.integers(0, 200), max_size=5)):
        starts.append(starts[-1] - gap * unit)
    block = draw(st.one_of(st.none(), st.integers(-10, 2000)))
    until = None if block is None else now + block * unit
    by = draw(st.sampled_from(["retry-after", "back-off"]))
    scale = int(unit.total_seconds())
    octets = draw(st.sampled_from([0, 0, 1, 50, 500])) * scale
    answer = draw(st.integers(took, 9)) * scale
    return pace_reference.Past(last, took * scale, starts, until, by, octets, answer)


def known_history(past: pace_reference.Past) -> History:
    """Return the same past as a history."""
    history = History.of(
        last_ended=past.ended,
        took=past.took,
        starts=past.starts,
        blocked_until=past.blocked_until,
        blocked_by=past.blocked_by,
    )
    microseconds = int(past.answer * 1_000_000)
    return replace(history, bytes=past.size, answer=microseconds)


def check_against_reference(
    lines: list[str],
    manners: Manners,
    past: pace_reference.Past,
    now: dt.datetime,
    step: dt.timedelta,
) -> None:
    """Compare the fast answer with the plain one."""
    pace = pace_for(lines, manners)
    turn = pace.turn(known_history(past), now=now)
    rules = goodbot.RobotsTxt("\n".join(["User-agent: *", *lines])).rules_for("ExampleBot")
    expected = pace_reference.turn(rules, manners, past, now, step=step, horizon=4500 * step)
    if expected[0] is None:
        assert turn.not_before is None or turn.not_before > now + 4500 * step
    else:
        assert (turn.not_before, turn.reason) == expected, (str(turn), lines, past, now)


@examples(400, deadline=None)
@given(st.data())
def test_the_reference_goes_minute_by_minute(draw: st.DataObject) -> None:
    """Windows, delays and blocks in minutes: three days, minute after minute."""
    now = NOON + draw.draw(st.integers(0, 1439)) * MINUTE
    manners = Manners(
        floor=60.0 * draw.draw(st.integers(0, 3)),
        factor=float(draw.draw(st.integers(0, 3))),
        default=60.0 * draw.draw(st.integers(0, 30)),
        patience=draw.draw(st.sampled_from([None, 1200.0, 86400.0])),
        hours=draw.draw(OWN_HOURS),
        bytes_per_second=draw.draw(st.sampled_from([None, 1.0, 2.5])),
        adaptive=draw.draw(st.booleans()),
    )
    past = draw.draw(pasts(now, MINUTE))
    check_against_reference(draw.draw(LINES), manners, past, now, MINUTE)


@examples(200, deadline=None)
@given(st.data())
def test_the_reference_goes_second_by_second(draw: st.DataObject) -> None:
    """Windows that open and close within the hour: second after second."""
    now = NOON + seconds(draw.draw(st.integers(0, 3600)))
    close = st.integers(715, 790)
    window = st.tuples(close, close).map(
        lambda pair: " {:02d}{:02d}-{:02d}{:02d}".format(*divmod(pair[0], 60), *divmod(pair[1], 60))
    )
    rate = st.tuples(st.integers(1, 5), st.integers(1, 400), st.one_of(st.just(""), window)).map(
        lambda drawn: f"Request-rate: {drawn[0]}/{drawn[0] * drawn[1]}{drawn[2]}"
    )
    delay = st.integers(0, 300).map(lambda number: f"Crawl-delay: {number}")
    visit = window.map(lambda drawn: f"Visit-time:{drawn}")
    lines = [
        *draw.draw(st.lists(rate, max_size=4)),
        *draw.draw(st.lists(delay, max_size=1)),
        *draw.draw(st.lists(visit, max_size=1)),
    ]
    manners = Manners(floor=float(draw.draw(st.integers(0, 20))))
    check_against_reference(lines, manners, draw.draw(pasts(now, seconds(1))), now, seconds(1))


@examples(200, deadline=None)
@given(st.data())
def test_a_robot_that_keeps_its_turns_never_breaks_a_rate(draw: st.DataObject) -> None:
    """In 100 visits by the turns, no rate in force is broken, and no delay is shortened."""
    lines = draw.draw(LINES)
    pace = pace_for(lines)
    rules = goodbot.RobotsTxt("\n".join(["User-agent: *", *lines])).rules_for("ExampleBot")
    history, past, now = History(), pace_reference.Past(), NOON
    for _ in range(20):
        turn = pace.turn(history, now=now)
        assert turn.not_before is not None
        assert not pace_reference.objections(rules, Manners(), past, turn.not_before)
        ended = turn.not_before + seconds(draw.draw(st.integers(0, 90)))
        visit = PastVisit(turn.not_before, ended, 200)
        history = history.after(visit, pace.manners)
        took = int((ended - turn.not_before).total_seconds())
        past = pace_reference.Past(ended, took, [turn.not_before, *past.starts])
        now = ended


@examples(100, deadline=None)
@given(st.data())
def test_a_turn_does_not_depend_on_those_asked_before(draw: st.DataObject) -> None:
    """A pace that was asked about a history at other times says the same as a new one."""
    lines, manners = draw.draw(LINES), Manners(adaptive=draw.draw(st.booleans()))
    rules = goodbot.RobotsTxt("\n".join(["User-agent: *", *lines])).rules_for("ExampleBot")
    pace = Pace(rules, manners=manners)
    histories = [
        History.of(last_ended=NOON, took=float(draw.draw(st.integers(0, 30)))) for _ in range(2)
    ]
    for _ in range(8):
        history = draw.draw(st.sampled_from(histories))
        now = NOON + seconds(draw.draw(st.integers(0, 200)))
        is_due = pace.is_due(history, instant(now, "now"))
        expected = Pace(rules, manners=manners).turn(history, now=now)
        assert pace.turn(history, now=now) == expected
        assert expected or not is_due


# Exactness and bounds.


def test_never_a_microsecond_early() -> None:
    """Intervals that no float can express are rounded up."""
    for documents in (3, 7, 11, 13, 999_983):
        pace = pace_for([f"Request-rate: {documents}/1h"], Manners(default=0.0))
        turn = pace.turn(History.of(last_ended=NOON), now=NOON)
        assert turn.not_before is not None
        micro = (turn.not_before - NOON) // dt.timedelta(microseconds=1)
        assert micro * documents >= 3600 * 10**6 > (micro - 1) * documents
    for delay, micro in (("0.1000001", 100_001), ("1.1", 1_100_000), ("0.30000000001", 300_001)):
        turn = pace_for([f"Crawl-delay: {delay}"]).turn(History.of(last_ended=NOON), now=NOON)
        assert turn.not_before == NOON + micro * dt.timedelta(microseconds=1)


def test_a_hostile_file_costs_a_few_steps_for_each_line() -> None:
    """14,000 timed rates and a delay of centuries become a day divided into 1,440 parts."""
    count = 14_000
    chance = random.Random(7)  # noqa: S311  the same each time
    lines = [
        f"Request-rate: {chance.randint(1, 9)}/{chance.randint(1, 9999)}w"
        f" {chance.randint(0, 23):02d}{chance.randint(0, 59):02d}"
        f"-{chance.randint(0, 23):02d}{chance.randint(0, 59):02d}"
        for _ in range(count)
    ]
    turns = []

    def ask() -> None:
        pace = pace_for([*lines, "Visit-time: 0600-0559", "Crawl-delay: 9000000000"])
        turns.append(pace.turn(History.of(last_ended=NOON), now=NOON))

    assert lines_run(ask) < 100 * count
    assert turns[0].reason == "crawl-delay"


@given(st.binary(max_size=80) | st.text(max_size=80))
def test_any_retry_after_is_read_or_not(value: bytes | str) -> None:
    """Nothing that a server sends raises."""
    at = read_retry_after(value, now=NOON)
    assert at is None or at.tzinfo is UTC


@pytest.mark.parametrize(
    ("value", "at"),
    [
        (" 0 ", NOON),
        (b"60", NOON + seconds(60)),
        ("007", NOON + seconds(7)),
        ("Sun, 06 Nov 1994 08:49:37 GMT", dt.datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC)),
        ("sunday, 06-nov-94 08:49:37 gmt", dt.datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC)),
        ("Saturday, 31-Dec-16 23:59:60 GMT", dt.datetime(2017, 1, 1, tzinfo=UTC)),
        ("", None),
        (None, None),
        ("1.5", None),
        ("+60", None),
        ("\u0661", None),
        ("1" * 5000, NOON + seconds(2**31)),
        ("0" * 5000 + "1", NOON + seconds(1)),
        ("Sun, 06 Nov 1994 08:49:37 GMT" * 100, None),
        ("60, 120", None),
        ("Sun, 31 Feb 2025 08:49:37 GMT", None),
        ("Sun, 06 Nov 1994 08:49:37 PST", None),
        ("Sun, 06 Nov 1994 24:49:37 GMT", None),
    ],
)
def test_retry_after(value: str | bytes | None, at: dt.datetime | None) -> None:
    """RFC 9110 section 10.2.3: digits or a date in one of three forms, and nothing else."""
    assert read_retry_after(value, now=NOON) == at


ANSWERS = st.sampled_from([200, 404, 429, 500, 503, "timeout", "refused", "bad-encoding"])


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), ANSWERS), max_size=40),
    st.integers(1, 4),
    st.floats(0, 1),
)
def test_the_reference_blames_the_same_party(
    answers: list[tuple[str, int | str]], threshold: int, chance: float
) -> None:
    """The step is that of the reference; the wait is as long, or at most half longer."""
    manners = Manners(
        jitter=lambda: chance, back_off_longest=600.0, back_off_after=threshold, default=0.0
    )
    history, at = History(), NOON
    past: list[tuple[str, str]] = []
    for path, answer in answers:
        url = f"https://a.example/{path}"
        status, failure = (answer, "") if isinstance(answer, int) else (None, answer)
        history = history.after(PastVisit(at, at, status, url=url, failure=failure), manners)
        past.append((url, pace_reference.kind_of(status, failure)))
        step = pace_reference.back_off(past, threshold)
        assert history.failures == step
        assert History.from_dict(json.loads(json.dumps(history.as_dict()))) == history
        if step:
            wait = min(30 * 2 ** (step - 1), 600)
            assert history.blocked_until is not None
            kept_off = (history.blocked_until - at).total_seconds()
            assert wait <= kept_off <= 1.5 * wait
        at = max(at, history.blocked_until or at)


def test_few_failing_urls_are_remembered() -> None:
    """A history does not grow with the number of failing URLs."""
    history = History()
    for number in range(300):
        visit = PastVisit(NOON, NOON, 500, url=f"https://a.example/{number}")
        history = history.after(visit, Manners())
        history = history.after(PastVisit(NOON, NOON, 200, url="https://a.example/"), Manners())
    assert len(history.failing) == 32
    assert history.failures == 0


def test_a_history_of_0_1_0_is_read() -> None:
    """It had no row of failures and no failing URLs."""
    written = {"end": 5, "took": 1, "starts": [4], "block": 9, "blocked_by": "back-off"}
    history = History.from_dict({**written, "failures": 2})
    assert (history.failures, history.row, history.failing) == (2, 0, ())


def test_a_block_is_not_shortened_by_a_later_answer() -> None:
    """Of two blocks the longer applies, with its reason."""
    history = History().after(PastVisit(NOON, NOON, 503, "3600"), Manners())
    history = history.after(PastVisit(NOON, NOON, 503), Manners())
    assert (history.blocked_until, history.blocked_by) == (NOON + seconds(3600), "retry-after")


def test_starts_are_few_and_sorted() -> None:
    """A history does not grow without bound, and the order of visits does not matter."""
    history = History()
    for number in range(300):
        at = NOON + seconds(number ^ 5)
        history = history.after(PastVisit(at, at, 200), Manners())
    assert len(history.starts) == 100
    assert list(history.starts) == sorted(history.starts, reverse=True)
    assert history.last_ended == NOON + seconds(max(number ^ 5 for number in range(300)))
    assert History.from_dict(json.loads(json.dumps(history.as_dict()))) == history


# The face.


def test_a_turn_is_told_and_kept() -> None:
    """A turn is a sentence for people, and plain values for programs."""
    turn = pace_for(["Request-rate: 3/10m"]).turn(History.of(last_ended=NOON), now=NOON)
    assert str(turn) == (
        "Not before 2025-01-01 12:03:20 UTC: "
        "robots.txt line 2 asks for at most 3 documents in 10 minutes."
    )
    assert turn.as_dict() == {
        "now": False,
        "not_before": "2025-01-01T12:03:20+00:00",
        "wait": 200.0,
        "reason": "request-rate",
        "source": "robots.txt line 2",
        "line": 2,
        "sentence": str(turn),
    }
    never = pace_for(["Crawl-delay: 9999"], Manners(patience=60.0)).turn(History(), now=NOON)
    assert (never.not_before, never.wait, bool(never)) == (None, math.inf, False)
    assert str(never).startswith("Do not visit: robots.txt line 2 asks for 9999 seconds")
    json.dumps(never.as_dict(), allow_nan=False)
    assert str(Pace(None).turn(History(), now=NOON)) == "Now: no wait is needed."


def test_lines_are_those_of_the_group() -> None:
    """The reported line is of a group that the robot obeys; without the file there is none."""
    text = (
        b"User-agent: A\nCrawl-delay: 5\nAllow: /\nUser-agent: B\nCrawl-delay: x\nCrawl-delay: 5.0"
    )
    robots = goodbot.RobotsTxt(text)
    past = History.of(last_ended=NOON)
    for robot, line in (("A", 2), ("B", 6)):
        rules = robots.rules_for(robot)
        assert Pace(rules, robots_txt=robots).turn(past, now=NOON).line == line
        without = Pace(rules).turn(past, now=NOON)
        assert (without.line, without.source) == (0, "robots.txt")
        other = Pace(rules, robots_txt=goodbot.RobotsTxt(b"")).turn(past, now=NOON)
        assert (other.line, other.reason) == (0, "crawl-delay")


@pytest.mark.parametrize("dialect", ["google", "yandex", "apple", "lwp", "koster1994"])
def test_a_dialect_without_crawl_delay_has_none(dialect: str) -> None:
    """Robots do not obey what their dialect does not read; only manners apply."""
    robots = goodbot.RobotsTxt(b"User-agent: *\nDisallow:\nCrawl-delay: 77\n", dialect=dialect)
    assert Pace(robots.rules_for("ExampleBot"), robots_txt=robots).interval(NOON) == 10.0


def test_every_reason_and_finding_has_a_meaning() -> None:
    """Programs use a slug, people a sentence."""
    for slug, meaning in reasons():
        assert slug == slug.lower()
        assert meaning.endswith((".", "seconds."))
    codes = [code for code, _, _ in finding_codes()]
    assert codes == ["unreadable-visit-time", "long-pace", "short-pace"]
    (finding,) = pace_for(["Crawl-delay: 7200"]).findings
    assert (finding.line, finding.severity) == (2, "info")
    (finding,) = pace_for(["Visit-time: at night"]).findings
    assert (finding.line, finding.severity) == (2, "warning")


def test_times_of_any_zone_are_taken() -> None:
    """An aware time of another zone is the same instant; answers are in UTC."""
    east = NOON.astimezone(dt.timezone(dt.timedelta(hours=5, minutes=30)))
    turn = pace_for(["Crawl-delay: 5"]).turn(History.of(last_ended=east), now=east)
    assert turn.not_before == NOON + seconds(5)
    assert turn.not_before.tzinfo is UTC
    assert pace_for(["Visit-time: 1200-1200"]).welcomes(east)


NAIVE = NOON.replace(tzinfo=None)
MISUSES: list[tuple[Any, type[goodbot.GoodbotError], str]] = [
    (lambda: Pace(None).turn(History(), now=NAIVE), goodbot.WrongValueError, "timezone.utc"),
    (lambda: Pace(None).turn(History(), now=1), goodbot.WrongTypeError, "timezone.utc"),  # type: ignore[arg-type]
    (lambda: Pace(None).turn(None, now=NOON), goodbot.WrongTypeError, "first visit"),  # type: ignore[arg-type]
    (lambda: Pace(None, manners=5), goodbot.WrongTypeError, "Manners or None"),  # type: ignore[arg-type]
    (lambda: Pace("x"), goodbot.WrongTypeError, "rules_for"),  # type: ignore[arg-type]
    (
        lambda: Pace(goodbot.RobotsTxt(b"").rules_for("A"), robots_txt=b""),  # type: ignore[arg-type]
        goodbot.WrongTypeError,
        "RobotsTxt",
    ),
    (lambda: Pace(None).interval(NOON, took=-1.0), goodbot.WrongValueError, "0 or more"),
    (lambda: Manners(floor=-1.0), goodbot.WrongValueError, "floor"),
    (lambda: Manners(factor=math.nan), goodbot.WrongValueError, "finite"),
    (lambda: Manners(default="10"), goodbot.WrongTypeError, "number of seconds"),  # type: ignore[arg-type]
    (lambda: Manners(jitter=0.5), goodbot.WrongTypeError, "random.random"),  # type: ignore[arg-type]
    (lambda: Manners(jitter=lambda: 2.0).keep_off(1), goodbot.WrongValueError, "random.random"),
    (lambda: Manners(back_off_after=0), goodbot.WrongValueError, "1 or more"),
    (lambda: Manners(back_off_after=2.5), goodbot.WrongTypeError, "whole number"),  # type: ignore[arg-type]
    (lambda: Manners(hours="22-6"), goodbot.WrongValueError, "22:00-06:00"),
    (lambda: Manners(hours="06:00-06:00"), goodbot.WrongValueError, "whole day"),
    (lambda: Manners(hours=22), goodbot.WrongTypeError, "22:00-06:00"),  # type: ignore[arg-type]
    (lambda: Manners(bytes_per_second=0), goodbot.WrongValueError, "above 0"),
    (lambda: Manners(back_off_first=9e9), goodbot.WrongValueError, "shorter"),
    (lambda: PastVisit(NOON, NOON - seconds(1), 200), goodbot.WrongValueError, "one clock"),
    (lambda: PastVisit(NOON, NOON, "200"), goodbot.WrongTypeError, "None for no answer"),  # type: ignore[arg-type]
    (lambda: PastVisit(NAIVE, NOON, 200), goodbot.WrongValueError, "started"),
    (lambda: History.from_dict({}), goodbot.WrongValueError, "as_dict"),
    (
        lambda: History.of(blocked_until=NOON, blocked_by="whim"),
        goodbot.WrongValueError,
        "as_dict",
    ),
    (lambda: read_retry_after("1", now=NAIVE), goodbot.WrongValueError, "timezone.utc"),
]


@pytest.mark.parametrize(("misuse", "error", "cure"), MISUSES)
def test_misuse_tells_the_cure(misuse: Any, error: type[Exception], cure: str) -> None:  # noqa: ANN401
    """Misuse raises an error of the tree, and the message says what to do."""
    with pytest.raises(error, match=cure) as caught:
        misuse()
    assert type(caught.value) is error


def test_turns_are_values() -> None:
    """Equal questions have equal answers, which can be keys."""
    pace = pace_for(["Crawl-delay: 5"])
    turns = {pace.turn(History.of(last_ended=NOON), now=NOON) for _ in range(3)}
    assert len(turns) == 1
    assert all(isinstance(turn, Turn) for turn in turns)
