"""What a `PolicyTable` says of itself: its bounds, and its table in each dialect."""

from datetime import datetime, timedelta, timezone

import pyarrow as pa
import pytest

import goodbot
from goodbot.policy import RobotsTxtAnswer
from goodbot.tables.columns import PolicyTable, allows
from goodbot.tables.columns.fact_rows import make_table, pack_row
from goodbot.tables.columns.policy_table import CACHE_BYTES
from goodbot.tables.columns.reckoning import Reckoner, reckon
from tests.support.columns.captures import NOON, policies

ORIGIN = "https://a.example"


def with_facts() -> pa.Table:
    """Return the policy that follows from a 429 (Too Many Requests), with the facts."""
    facts = RobotsTxtAnswer(f"{ORIGIN}/robots.txt", NOON, 429)
    return make_table([pack_row(facts, Reckoner().reckon([facts])[0])], "rfc9309")


def test_the_bounds_are_those_that_were_given() -> None:
    """The time is in whole microseconds, rounded down; the cache is bounded in any case."""
    assert PolicyTable(policies()).held is None
    assert PolicyTable(policies()).cache_bytes == CACHE_BYTES
    table = PolicyTable(policies(), held=timedelta(hours=1, microseconds=7), cache_bytes=0)
    assert (table.held, table.cache_bytes) == (3_600_000_007, 0)


def test_a_bound_on_time_replaces_the_end_of_each_policy() -> None:
    """What permits until the next day does so no longer than it is held, or longer if so."""
    url = "https://b.example/open"
    for hours, expected in ((2, [True, None, None]), (48, [True, True, True])):
        table = PolicyTable(policies(), held=timedelta(hours=hours))
        at = [NOON + timedelta(hours=hour) for hour in (6, 8, 30)]
        assert allows([url] * 3, table, "CCBot", at).tolist() == expected


def test_a_table_without_facts_stays_as_it_is() -> None:
    """It is the same object for every dialect, and reckoned in its own."""
    given = policies()
    table = PolicyTable(given)
    for dialect in goodbot.dialects():
        assert table.in_arrow(dialect.name) is given
        assert table.choose_dialect(dialect.name) == table.dialect == "rfc9309"


@pytest.mark.parametrize("dialect", [one.name for one in goodbot.dialects()])
def test_a_table_with_facts_is_reckoned_in_each_dialect(dialect: str) -> None:
    """In its own dialect it is the table that was given, and in another one what `reckon` makes."""
    given = with_facts()
    table = PolicyTable(given)
    found = table.in_arrow(dialect)
    assert table.choose_dialect(dialect) == dialect
    assert found is given if dialect == table.dialect else found.equals(reckon(given, dialect))
    assert len(table.in_dialect(dialect)) == 1


def test_a_table_is_reckoned_once() -> None:
    """The policies of a dialect are opened when they are first needed, and kept."""
    table = PolicyTable(with_facts(), held=timedelta(hours=1))
    assert table.in_dialect("yandex") is table.in_dialect("yandex")
    assert table.in_dialect("yandex") is not table.in_dialect("rfc9309")
    at = [datetime(2025, 3, 1, 12, 30, tzinfo=timezone.utc), NOON + timedelta(hours=2)]
    # Yandex's robots go on after a 429; for both dialects the same bound on time holds.
    assert allows([f"{ORIGIN}/"] * 2, table, "YandexBot", at).tolist() == [True, None]
