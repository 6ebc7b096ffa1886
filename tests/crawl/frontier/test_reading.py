"""What other rooms read of the queue agrees with its tables."""

from pathlib import Path
from typing import TYPE_CHECKING

from goodbot.crawl.frontier import reading
from tests.support.crawls.sample_crawl import SHOP, sample

if TYPE_CHECKING:
    from goodbot.crawl.folder.states import State


def test_what_is_read_is_what_is_there(tmp_path: Path) -> None:
    """Reading one URL, some, all, and their counts gives consistent results."""
    with sample(tmp_path).database as database:
        every = list(reading.entries(database))
        assert [one.url_id for one in every] == sorted(one.url_id for one in every)
        assert all(reading.entry_of(database, one.url) == one for one in every)
        ids = [one.url_id for one in every]
        visits = reading.visits_of(database, ids)
        assert visits == {one.url_id: (one.url, one.visited) for one in every}
        assert reading.urls_of(database, ids[:3]) == {one.url_id: one.url for one in every[:3]}
        assert reading.entry_of(database, f"{SHOP}/unknown") is None
        counts = reading.count_by_reason(database)
        assert sum(many for *_, many in counts) == len(every)
        states: set[State] = {"failed", "queued"}
        groups = list(reading.unfetched_groups(database, states))
        unfetched = list(reading.unfetched(database, states))
        assert sum(one.total for one in groups) == len(unfetched) > 0
        assert {one.reason for one in groups} == set(reading.unfetched_reasons(database, states))
        assert {one.url for one in unfetched} <= {one.url for one in every if one.state in states}


def test_neighbours_stand_beside_a_url(tmp_path: Path) -> None:
    """The URLs before it come first, then those after it, each nearest first."""
    with sample(tmp_path).database as database:
        urls = sorted(one.url for one in reading.entries(database))
        at = f"{SHOP}/m"
        before = [url for url in reversed(urls) if url < at][:2]
        behind = [url for url in urls if url > at][:2]
        assert reading.neighbours(database, at, 2) == before + behind
