"""TXT records of real DNS messages, from a name server on loopback."""

from __future__ import annotations

import asyncio

import pytest

from goodbot.crawl.verbs.own_site.txt_records import TxtRecords
from tests.support.name_server import Answers, name_server, records

NAME = "_goodbot.shop.example"
ASKED = f"{NAME}."


def values(answers: Answers) -> tuple[str, ...]:
    """Return what a name server with these answers says."""

    async def ask() -> tuple[str, ...]:
        async with name_server(answers) as server:
            return await TxtRecords(["127.0.0.1"], port=server.port).values_of(NAME)

    return asyncio.run(ask())


def test_the_records_of_the_name_itself_count() -> None:
    """Each is one value, whose strings belong together (RFC 1035, 3.3.14)."""
    answer = records(f'{ASKED} 60 IN TXT "one"', f'{ASKED} 60 IN TXT "t" "wo"')
    assert sorted(values({(ASKED, "TXT"): answer})) == ["one", "two"]


@pytest.mark.parametrize(
    "lines",
    [
        (f"{ASKED} 60 IN CNAME tenant.cdn.example.", 'tenant.cdn.example. 60 IN TXT "one"'),
        (f"{ASKED} 60 IN CNAME other.example.",),
        ('other.example. 60 IN TXT "one"',),
    ],
    ids=["name-of-a-host-elsewhere", "name-alone", "other-name"],
)
def test_those_of_another_name_do_not(lines: tuple[str, ...]) -> None:
    """A wildcard CNAME of a domain often leads to a host that tenants share."""
    assert values({(ASKED, "TXT"): records(*lines)}) == ()


def test_no_record_and_no_answer_are_none() -> None:
    """Neither raises."""
    assert values({}) == ()
    assert values({(ASKED, "TXT"): records()}) == ()
