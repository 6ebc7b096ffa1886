"""The dates of a list: from when until when does a copy speak?"""

import ipaddress
import json
import random
from datetime import datetime, timedelta, timezone

import pytest

from goodbot import bots
from goodbot.address_lists import copy_after
from goodbot.bots.prefix_set import PrefixSet
from goodbot.site.audit.identity import DatedList

FETCHED = datetime(2026, 1, 10, tzinfo=timezone.utc)
MADE = "2026-01-07T14:46:11.000000"
CHANGED = "Thu, 08 Jan 2026 10:00:00 GMT"


@pytest.mark.parametrize(
    ("created", "changed", "begins"),
    [
        (None, None, FETCHED),
        (MADE, None, datetime(2026, 1, 7, 14, 46, 11, tzinfo=timezone.utc)),
        (None, CHANGED, datetime(2026, 1, 8, 10, tzinfo=timezone.utc)),
        (MADE, CHANGED, datetime(2026, 1, 7, 14, 46, 11, tzinfo=timezone.utc)),
        ("2027-01-01T00:00:00Z", "soon", FETCHED),
        ("0001-01-01T00:00:00+23:00", None, FETCHED),
        ("yesterday", None, FETCHED),
    ],
)
def test_a_list_begins_when_it_was_made(
    created: str | None, changed: str | None, begins: datetime
) -> None:
    """A statement of the list or of its server counts if it is a time before the request."""
    body = {"creationTime": created, "prefixes": [{"ipv4Prefix": "66.249.64.0/27"}]}
    headers = {"Cache-Control": "max-age=7200"} | ({"Last-Modified": changed} if changed else {})
    answer = (200, headers, json.dumps(body).encode())
    copy, _ = copy_after(None, bots.get("GPTBot").addresses[0], answer, now=FETCHED)
    assert copy is not None
    found = DatedList.of_copy(copy)
    assert found.begins == begins
    assert found.ends == FETCHED + timedelta(hours=2)
    assert found.is_complete
    assert found.prefixes == ("66.249.64.0/27",)


def test_a_list_with_refused_prefixes_is_not_whole() -> None:
    """What was refused may have had any address."""
    body = b'{"prefixes": [{"ipv4Prefix": "66.249.64.0/27"}, {"ipv4Prefix": "10.0.0.0/8"}]}'
    copy, _ = copy_after(None, bots.get("GPTBot").addresses[0], (200, {}, body), now=FETCHED)
    assert copy is not None
    assert not DatedList.of_copy(copy).is_complete


def test_lookups_are_those_of_the_standard_library() -> None:
    """Many random prefixes and addresses of both versions, near to one another."""
    chance = random.Random(11)  # noqa: S311  the same each time
    networks = []
    for _ in range(300):
        bits = chance.choice((32, 128))
        value = chance.getrandbits(12) << (bits - 12)
        kind = ipaddress.IPv4Address if bits == 32 else ipaddress.IPv6Address
        length = chance.randint(4, 16)
        networks.append(ipaddress.ip_network(f"{kind(value)}/{length}", strict=False))
    found = PrefixSet([*map(str, networks), "no prefix"])
    held = 0
    for _ in range(2_000):
        bits = chance.choice((32, 128))
        value = chance.getrandbits(bits)
        address = ipaddress.IPv4Address(value) if bits == 32 else ipaddress.IPv6Address(value)
        holding = [one for one in networks if one.version == address.version and address in one]
        longest = max(holding, key=lambda one: one.prefixlen, default=None)
        assert found.holding(address) == (None if longest is None else str(longest))
        held += longest is not None
    assert 0 < held < 2_000
