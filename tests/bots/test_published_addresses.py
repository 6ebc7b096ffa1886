"""What a published list of addresses says, whatever it contains, and when it is requested again."""

import json
from datetime import datetime, timedelta, timezone
from ipaddress import ip_network
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.bots import AddressList
from goodbot.bots.known_robot import ListForm
from goodbot.bots.list_copy import DEFAULT_LIFETIME, LONGEST, SHORTEST, ListCopy, copy_after
from goodbot.bots.published_addresses import (
    LARGEST_LIST,
    MOST_PREFIXES,
    MOST_REFUSED,
    PREFIX_PROBLEMS,
    prefix_of,
    read_addresses,
)
from goodbot.errors import WrongValueError

NOW = datetime(2026, 11, 22, 12, tzinfo=timezone.utc)
URL = "https://a.example/list.json"
LIST = AddressList(URL)


def google_list(*prefixes: str) -> bytes:
    """Return a list in Google's form."""
    rows = [{"ipv6Prefix" if ":" in one else "ipv4Prefix": one} for one in prefixes]
    return json.dumps({"creationTime": "2026-11-20T22:00:12", "prefixes": rows}).encode()


@pytest.mark.parametrize(
    ("prefix", "problem"),
    [
        ("66.249.64.0/27", ""),
        ("2001:4860:4801:10::/64", ""),
        ("8.8.8.8", ""),
        ("17.0.0.0/8", ""),
        ("66.249.64.5/27", ""),
        ("0.0.0.0/0", "too-broad"),
        ("16.0.0.0/7", "too-broad"),
        ("2000::/3", "too-broad"),
        ("::/0", "too-broad"),
        ("10.0.0.0/8", "private"),
        ("172.16.0.0/12", "private"),
        ("172.0.0.0/8", "private"),
        ("192.168.0.0/15", "private"),
        ("127.0.0.1", "private"),
        ("169.254.169.254/32", "private"),
        ("100.64.0.0/10", "private"),
        ("224.0.0.1", "private"),
        ("::1", "private"),
        ("fd00::/16", "private"),
        ("fe80::/64", "private"),
        ("2001:db8::/32", "private"),
        ("::ffff:8.8.8.8", "private"),
        ("", "not-a-prefix"),
        ("example.com", "not-a-prefix"),
        ("1.2.3.4/33", "not-a-prefix"),
        ("1" * 10_000, "not-a-prefix"),
    ],
)
def test_prefixes_that_are_refused(prefix: str, problem: str) -> None:
    """Broad, private and special prefixes are refused, and what is none."""
    network, found = prefix_of(prefix)
    assert (network is None, found) == (bool(problem), problem)


def test_the_forms_of_lists() -> None:
    """JSON with a path, text with a prefix a line, and geofeeds (RFC 8805)."""
    text = AddressList(URL, form="text")
    assert read_addresses(b"# ours\n8.8.8.8\n\n8.8.4.4 # two\n", text).prefixes == (
        "8.8.8.8/32",
        "8.8.4.4/32",
    )
    feed = AddressList(URL, form="geofeed")
    assert read_addresses(b"8.8.8.0/24,US,US-CA,,\n", feed).prefixes == ("8.8.8.0/24",)
    body = {"a": {"v4": ["8.8.8.8"], "v6": ["2600::/32"]}, "b": ["8.8.4.4"], "c": 7}
    for path, expected in {
        "a.v4|v6.*": ("8.8.8.8/32", "2600::/32"),
        "b.*": ("8.8.4.4/32",),
        "a.*.*": ("8.8.8.8/32", "2600::/32"),
        "c.*": (),
        "no.such": (),
    }.items():
        found = read_addresses(json.dumps(body).encode(), AddressList(URL, path=path))
        assert found.prefixes == expected
    rows = [{"service": "A", "ip": "8.8.8.8"}, {"service": "B", "ip": "8.8.4.4"}]
    chosen = AddressList(URL, path="*[service=B].ip")
    assert read_addresses(json.dumps(rows).encode(), chosen).prefixes == ("8.8.4.4/32",)


def test_a_bad_prefix_costs_only_itself() -> None:
    """The others of the list are used; the first twenty refused ones are named, all are counted."""
    bad = [f"10.0.{number}.0/24" for number in range(MOST_REFUSED + 5)]
    found = read_addresses(google_list("66.249.64.0/27", *bad, "66.249.64.0/27"), LIST)
    assert found.prefixes == ("66.249.64.0/27",)
    assert found.refused[0] == ("10.0.0.0/24", "private")
    assert (len(found.refused), found.refused_count) == (MOST_REFUSED, MOST_REFUSED + 5)
    assert (found.problem, found.created) == (None, "2026-11-20T22:00:12")


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"", "not-readable"),
        (b"<html>", "not-readable"),
        (b"[" * 100_000, "not-readable"),
        (b'{"prefixes": ' + b"9" * 10_000 + b"}", "not-readable"),
        (b"{}", "no-prefixes"),
        (b'{"prefixes": []}', "no-prefixes"),
        (b'{"prefixes": [{"ipv4Prefix": 7}, 7, null]}', "no-prefixes"),
        (google_list("0.0.0.0/0"), "no-prefixes"),
        (b" " * (LARGEST_LIST + 1), "too-large"),
        (b"[" + b'{"ipv4Prefix": "8.8.8.8"},' * MOST_PREFIXES + b"{}]", "no-prefixes"),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_a_list_that_cannot_be_used_is_refused_whole(body: bytes, problem: str) -> None:
    """Whatever comes is reported, and never raises."""
    assert read_addresses(body, LIST).problem == problem
    assert problem in PREFIX_PROBLEMS


@pytest.mark.stress
@pytest.mark.parametrize("length", [8, 10, 13])
def test_a_list_of_most_of_the_internet_is_refused_in_whatever_pieces(length: int) -> None:
    """Each prefix is narrow enough, and together they verify anyone; repeated ones count once."""
    special = {10, 100, 127, 169, 172, 192, 198, 203}
    eights = [ip_network(f"{first}.0.0.0/8") for first in range(1, 224) if first not in special]
    public = [block for eight in eights for block in eight.subnets(new_prefix=length)]
    whole = read_addresses("\n".join(map(str, public)).encode(), AddressList(URL, form="text"))
    assert (whole.prefixes, whole.problem) == ((), "covers-too-much")
    part = [str(one) for one in public[: 16 << (length - 8)]]
    for pieces in (part, part + part):
        found = read_addresses("\n".join(pieces).encode(), AddressList(URL, form="text"))
        assert (len(found.prefixes), found.problem) == (len(part), None)
    six = [f"{first:x}::/16" for first in range(0x2400, 0x2411)]
    assert read_addresses(google_list(*six), LIST).problem == "covers-too-much"
    assert read_addresses(google_list(*six[:16]), LIST).problem is None


@pytest.mark.stress
def test_too_many_prefixes_are_refused() -> None:
    """A list of more than 100,000 prefixes is none of an operator's."""
    text = AddressList(URL, form="text")
    assert read_addresses(b"8.8.8.8\n" * (MOST_PREFIXES + 1), text).problem == "too-large"
    assert read_addresses(b"8.8.8.8\n" * MOST_PREFIXES, text).problem is None


@given(st.binary(max_size=200), st.sampled_from(["json", "text", "geofeed"]))
def test_no_content_raises(body: bytes, form: ListForm) -> None:
    """Bytes of any kind are a list or a problem."""
    found = read_addresses(body, AddressList(URL, form=form))
    assert bool(found.prefixes) == (found.problem is None)


# Copies.


def copy_of(**headers: str) -> ListCopy:
    """Return a copy that came now, with fields of a header."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    copy, said = copy_after(None, LIST, (200, named, google_list("8.8.8.0/24")), now=NOW)
    assert copy is not None
    assert said is not None
    return copy


@pytest.mark.parametrize(
    ("headers", "lifetime"),
    [
        ({}, DEFAULT_LIFETIME),
        ({"Cache_Control": "max-age=7200"}, 7200),
        ({"Cache_Control": "max-age=1"}, SHORTEST),
        ({"Cache_Control": "max-age=99999999"}, LONGEST),
        ({"Cache_Control": "no-cache"}, SHORTEST),
        ({"Cache_Control": "max-age=7200", "Age": "1200"}, 6000),
        ({"Expires": "Sun, 22 Nov 2026 16:00:00 GMT"}, 4 * 3600),
        ({"Expires": "0"}, SHORTEST),
    ],
)
def test_how_long_a_copy_is_used(headers: dict[str, str], lifetime: float) -> None:
    """As long as its header says, but at least an hour and at most a week; else a day."""
    copy = copy_of(**headers)
    assert copy.lifetime() == lifetime
    assert not copy.is_due(NOW)
    assert not copy.is_due(NOW + timedelta(seconds=lifetime - 1))
    assert copy.is_due(NOW + timedelta(seconds=lifetime))
    assert copy.is_due(NOW - timedelta(seconds=1)), "a clock that was set back"
    assert copy.age(NOW + timedelta(seconds=7)) == 7


def test_a_304_confirms_the_copy() -> None:
    """Its content and the day on which it came stay; it is fresh again."""
    first = copy_of(ETag='"a"', Cache_Control="max-age=3600")
    assert first.conditional_headers() == {"If-None-Match": '"a"'}
    later = NOW + timedelta(hours=2)
    answer = (304, {"Cache-Control": "max-age=7200"}, b"")
    copy, said = copy_after(first, LIST, answer, now=later)
    assert copy is not None
    assert (said, copy.prefixes, copy.fetched, copy.confirmed) == (
        None,
        first.prefixes,
        NOW,
        later,
    )
    assert (copy.lifetime(), copy.conditional_headers()) == (7200, {"If-None-Match": '"a"'})


@pytest.mark.parametrize(
    "answer",
    [
        (500, {}, b""),
        (404, {}, google_list("8.8.8.8")),
        (200, {}, b"<html>"),
        (200, {}, google_list("0.0.0.0/0")),
        (302, {"Location": "/"}, b""),
    ],
)
def test_an_answer_without_a_usable_list_changes_nothing(
    answer: tuple[int, dict[str, str], bytes],
) -> None:
    """The copy so far stays, with its dates."""
    first = copy_of()
    assert copy_after(first, LIST, answer, now=NOW + timedelta(days=2))[0] is first
    assert copy_after(None, LIST, answer, now=NOW)[0] is None
    assert copy_after(None, LIST, (304, {}, b""), now=NOW)[0] is None


def test_records() -> None:
    """A copy is made again of its record; anything else is refused with what to do."""
    copy = copy_of(ETag='"a"')
    assert ListCopy.from_record(json.loads(json.dumps(copy.as_record()))) == copy
    several: list[Any] = [{}, {**copy.as_record(), "fetched": "yesterday"}, {"url": 7}, [], None]
    for wrong in several:
        with pytest.raises(WrongValueError, match="fetch the list again"):
            ListCopy.from_record(wrong)
