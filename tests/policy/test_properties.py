"""Properties of policies, whatever a server sends: random answers, alone and in sequence."""

import datetime as dt
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot.policy import (
    FAILURES,
    OUTCOMES,
    Policy,
    cache_control,
    freshness,
    http_date,
    next_hop,
    policy_dialect,
    reasons,
)
from tests.support.references import policy_reference as reference
from tests.support.work import lines_run

URL = "https://h.example/robots.txt"
PAGE = "https://h.example/a/b?c"
NEW_YEAR = dt.datetime(2025, 1, 1, tzinfo=dt.timezone.utc)
DAY = dt.timedelta(days=1)
NAMES = [dialect.name for dialect in goodbot.dialects()]
# These two document that anything but a success is open; each case is in conformance/status.
OPEN = {"lwp", "yandex"}

times = st.datetimes(
    min_value=dt.datetime(1994, 6, 30),  # noqa: DTZ001 - hypothesis wants the bounds naive
    max_value=dt.datetime(2400, 1, 1),  # noqa: DTZ001
    timezones=st.just(dt.timezone.utc),
)
imf_dates = times.map(lambda date: date.strftime("%a, %d %b %Y %H:%M:%S GMT"))
numbers = st.one_of(
    st.integers(-10, 10**6).map(str),
    st.sampled_from(["", "0", "1.5", "99999999999", "²", "1e3", "9" * 5000]),
)
directive = st.one_of(
    st.builds(
        "{}{}{}".format,
        st.sampled_from(["max-age", "s-maxage", "Max-Age", "stale-if-error", " max-age "]),
        st.sampled_from(["=", " = ", "", "=="]),
        st.one_of(numbers, numbers.map('"{}"'.format), numbers.map('"\\{}"'.format)),
    ),
    st.sampled_from(
        ["no-store", "no-cache", 'no-cache="a, b"', "private", "must-revalidate", "must-understand"]
    ),
    st.text(alphabet='",=\\ ax1', max_size=8),
)
cache_controls = st.lists(directive, max_size=5).map(",".join)
loose = st.one_of(st.text(max_size=40), st.binary(max_size=40), numbers, imf_dates, cache_controls)
field_names = st.sampled_from(
    ["Cache-Control", "Expires", "Date", "Age", "Last-Modified", "ETag", "Vary", "Retry-After",
     "Location", "Content-Type", "Content-Range", "cache-control", "X"]
)  # fmt: skip
headers = st.lists(st.tuples(field_names, loose), max_size=6)
statuses = st.one_of(
    st.sampled_from([200, 204, 206, 301, 302, 304, 401, 403, 404, 410, 429, 451, 500, 503]),
    st.integers(-5, 1100),
)
bodies = st.one_of(
    st.binary(max_size=120),
    st.text(alphabet=string.printable, max_size=120).map(str.encode),
    st.sampled_from(
        [
            b"",
            b"User-agent: *\nDisallow: /\n",
            b"User-agent: *\nDisallow: /a\nAllow: /a/b\n",
            b"<!doctype html><p>Hello",
            b"\x1f\x8b\x08\x00",
            b"\xff\xfeU\x00s\x00",
        ]
    ),
)
answers: st.SearchStrategy[Any] = st.one_of(
    st.tuples(statuses, headers, bodies),
    st.tuples(st.sampled_from(FAILURES), st.just([]), st.just(b"")),
)
dialect_names = st.sampled_from(NAMES)


def made(answer: tuple[Any, Any, bytes], now: dt.datetime, **others: Any) -> Policy:  # noqa: ANN401
    """Return the policy of a random answer."""
    what, fields, body = answer
    if isinstance(what, str):
        return Policy.from_failure(URL, what, now=now, **others)
    return Policy.from_response(URL, what, fields, body, now=now, **others)


def is_failure(answer: tuple[Any, Any, bytes]) -> bool:
    """Return whether an answer can be no permission: none, not HTTP, or one that says not now."""
    what = answer[0]
    return isinstance(what, str) or what >= 500 or what < 200 or what in {202, 206, 304, 429}


def check(policy: Policy, now: dt.datetime) -> None:
    """Check the properties of every policy."""
    assert policy.outcome in OUTCOMES
    assert policy.reason in dict(reasons())
    assert policy.fetched_at == now
    assert (policy.access == "rules") is (policy.robots_txt is not None)
    assert policy.failing_since is None or policy.failing_since <= now
    verdict = policy.verdict(PAGE, "ExampleBot")
    assert verdict.allowed is policy.allows(PAGE, "ExampleBot")
    if policy.access != "rules":
        assert verdict.allowed is (policy.access == "allow-all")
    assert str(verdict)
    assert str(policy)
    assert Policy.from_record(policy.as_record()) == policy
    for name, value in policy.conditional_headers().items():
        assert not set(value) & set("\r\n\0"), name


def check_life(policy: Policy, now: dt.datetime) -> None:
    """Check that a life is never empty, and never longer than the dialect allows."""
    life, choices = policy.fresh_until - now, policy.policy_dialect
    assert life > dt.timedelta(0)
    if choices.life_rule != "utc-day":
        assert life >= dt.timedelta(seconds=choices.shortest_life)
    if policy.retry_at is not None:
        assert policy.retry_at == policy.fresh_until
        assert life <= dt.timedelta(seconds=choices.longest_retry_after)
    elif choices.life_rule == "utc-day":
        assert life <= DAY
    else:
        most = choices.longest_life or max(choices.default_life, reference.LIMIT)
        assert life <= dt.timedelta(seconds=most)


@given(answers, dialect_names, times)
def test_any_answer_has_a_policy(answer: Any, dialect: str, now: dt.datetime) -> None:  # noqa: ANN401
    """Nothing that a server sends raises; the policy is complete, bounded, and can be stored."""
    policy = made(answer, now, dialect=dialect)
    check(policy, now)
    check_life(policy, now)


@given(answers.filter(is_failure), dialect_names.filter(lambda name: name not in OPEN), times)
def test_a_failed_fetch_is_never_permission(answer: Any, dialect: str, now: dt.datetime) -> None:  # noqa: ANN401
    """Without a copy no failure allows anything, in any dialect that does not document it."""
    policy = made(answer, now, dialect=dialect)
    assert policy.access in {"disallow-all", "defer"}
    assert not policy.allows(PAGE, "ExampleBot")
    assert policy.retry_at is not None


@given(st.sampled_from(FAILURES), st.sampled_from(["private-address", "bad-encoding"]), times)
def test_what_was_not_read_is_never_permission(first: str, failure: str, now: dt.datetime) -> None:
    """The same holds in permissive dialects, too, and after any earlier answers."""
    for dialect in NAMES:
        policy = Policy.from_failure(URL, first, now=now, dialect=dialect)
        policy = Policy.from_failure(URL, failure, now=now, dialect=dialect, previous=policy)
        assert not policy.allows(PAGE, "ExampleBot"), dialect


@given(st.lists(st.tuples(answers, st.integers(0, 40 * 86_400)), max_size=6), dialect_names, times)
def test_answers_in_a_row(row: list[tuple[Any, int]], dialect: str, now: dt.datetime) -> None:
    """Each policy follows from the one before; a copy only comes from a success."""
    policy: Policy | None = None
    brought: set[bytes] = set()
    for answer, seconds in row:
        now += dt.timedelta(seconds=seconds)
        policy = made(answer, now, dialect=dialect, previous=policy)
        check(policy, now)
        check_life(policy, now)
        if isinstance(answer[0], int) and answer[0] // 100 == 2:
            brought.add(answer[2])
        if policy.robots_txt is not None:
            assert policy.robots_txt.content in brought
        if policy.unreachable_since is not None:
            assert policy.failing_since is not None
            assert policy.failing_since <= policy.unreachable_since <= now


@given(cache_controls, cache_controls)
def test_cache_control_is_read_as_the_reference_reads_it(first: str, second: str) -> None:
    """The first occurrence of each directive, on whichever line, quoted or not."""
    stated = reference.directives([first, second])
    read = cache_control([first, second])
    for name, value in (("max-age", read.max_age), ("s-maxage", read.s_maxage)):
        arguments = [argument for one, argument in stated if one == name]
        assert value == (reference.seconds(arguments[0]) if arguments else None)
        assert (name in read.invalid) is bool(arguments and reference.seconds(arguments[0]) is None)
    names = {name for name, _ in stated}
    assert read.no_store is ("no-store" in names)
    assert read.no_cache is ("no-cache" in names)
    assert read.private is ("private" in names)


@given(
    st.lists(cache_controls, max_size=2),
    st.one_of(st.none(), imf_dates, st.sampled_from(["0", "", "-1"])),
    st.one_of(st.none(), imf_dates),
    times,
    st.booleans(),
)
def test_lifetimes_are_those_of_the_reference(
    lines: list[str],
    expires: str | None,
    date: str | None,
    now: dt.datetime,
    shared: bool,  # noqa: FBT001
) -> None:
    """RFC 9111 section 4.2.1, read twice."""
    fields = [("Cache-Control", line) for line in lines]
    fields += [("Expires", expires)] if expires is not None else []
    fields += [("Date", date)] if date is not None else []
    told = freshness(fields, now=now, shared=shared, heuristic=False)
    assert told.lifetime == reference.lifetime(lines, expires, date, now, shared=shared)
    assert told.age >= 0


@given(times, st.sampled_from(["%a, %d %b %Y", "%A, %d-%b-%y", "%a %b %e"]))
def test_dates_are_read_back(date: dt.datetime, form: str) -> None:
    """What is written in one of the three forms is read back, to the second."""
    date = date.replace(microsecond=0)
    has_year = "%e" not in form
    clock = "%H:%M:%S"
    text = date.strftime(f"{form} {clock} GMT" if has_year else f"{form} {clock} %Y")
    assert http_date(text, now=date) == date


@given(st.text(max_size=80), times)
def test_any_text_is_a_date_or_none(text: str, now: dt.datetime) -> None:
    """No text raises."""
    date = http_date(text, now=now)
    assert date is None or date.tzinfo is dt.timezone.utc


locations = st.one_of(
    st.text(max_size=60),
    st.binary(max_size=60),
    st.builds(
        "{}{}{}".format,
        st.sampled_from(["", "/", "//", "http:", "http://", "https://", "ftp://", "HTTP://", "?"]),
        st.sampled_from(["", "a.example", "[::1]", "[", "user@b.example", "c.example:99999"]),
        st.text(alphabet="/?#%a.é:[]@", max_size=10),
    ),
)


@given(
    locations,
    st.lists(st.sampled_from(["/1", "/2", "/3", "/4"]), max_size=7),
    st.integers(300, 399),
)
def test_a_redirect_leads_to_an_address_or_has_an_outcome(
    location: str | bytes, before: list[str], status: int
) -> None:
    """It never has both, never leads to another scheme or in a ring, and never over five times."""
    hops = [URL, *("https://h.example" + path for path in before)]
    hop = next_hop(hops[-1], status, {"Location": location}, hops)
    assert (hop.url is None) is not (hop.outcome is None)
    if hop.url is not None:
        assert goodbot.origin(hop.url).startswith(("http://", "https://"))
        assert "#" not in hop.url
        assert hop.url not in hops
        assert len(hops) <= 5
    elif hop.outcome != "answered":
        assert hop.outcome in OUTCOMES
        headers = {"Location": location}
        policy = Policy.from_response(URL, status, headers, b"", now=NEW_YEAR, hops=hops)
        assert policy.outcome == hop.outcome


HOSTILE = {
    "quotes": ("Cache-Control", '"' * 200_000),
    "commas": ("Cache-Control", "," * 200_000),
    "open quotes": ("Cache-Control", 'a="b,' * 50_000),
    "escapes": ("Cache-Control", '"' + "\\" * 200_000),
    "digits": ("Cache-Control", "max-age=" + "9" * 200_000),
    "dates": ("Expires", "Sun, 06 Nov 1994 " * 20_000),
    "varies": ("Vary", "a," * 100_000),
    "location": ("Location", "/" * 200_000),
    "range": ("Content-Range", "bytes " + "0" * 200_000),
}


@pytest.mark.stress
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_headers_cost_what_they_weigh(name: str) -> None:
    """A header of hundreds of thousands of bytes takes a few steps for each of them."""
    field = HOSTILE[name]
    for status in (200, 206, 301):
        steps = lines_run(
            lambda status=status: Policy.from_response(  # type: ignore[misc]
                URL, status, [field], b"User-agent: *\nDisallow: /", now=NEW_YEAR
            )
        )
        assert steps < 30 * len(field[1])


@pytest.mark.parametrize("body", [b"\n" * 400_000, b" \n" * 200_000, b"Disallow " * 50_000])
def test_hostile_bodies_cost_what_they_weigh(body: bytes) -> None:
    """The lines of a file are the core's: here no step is taken for each of them."""
    content = b"User-agent: *\n" + body
    steps = lines_run(
        lambda: Policy.from_response(URL, 200, {}, content, now=NEW_YEAR, dialect="lwp")
    )
    assert steps < 5_000


def test_time_does_not_run_out() -> None:
    """Near the last possible year, a life ends with it."""
    last = dt.datetime.max.replace(tzinfo=dt.timezone.utc)
    for dialect in NAMES:
        found = Policy.from_response(URL, 200, {}, b"", now=last, dialect=dialect)
        failed = Policy.from_failure(URL, "dns", now=last, dialect=dialect)
        assert found.fresh_until == failed.retry_at == last
    assert policy_dialect("lwp").default_life == 365 * 86_400
