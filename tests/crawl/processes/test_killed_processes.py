"""All processes of a crawl may be killed at any moment, and the clock may be set meanwhile."""

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from goodbot.crawl.evidence import punctuality
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.pace import Manners
from goodbot.testing import FakeClock, FakeSite, FakeVisit
from tests.support.crawls.memory_crawls import run
from tests.support.crawls.process_crawls import SITES, crawl_in_parts, parts_crawl_at, ring, states
from tests.support.examples import examples, some_of, thorough

pytestmark = pytest.mark.stress

PAUSE = 5.0
SLOW = Manners(default=PAUSE, factor=0.0, floor=2.0)
SLACK = 1e-5
HOUR = 3600.0
ALL: dict[str, Any] = {
    "processes": 3,
    "manners": SLOW,
    "patience": None,
    "bounds": {"origins": SITES},
}


@dataclass
class Kill:
    """Copies the folder of a running crawl, as killed processes would leave it."""

    folder: Path
    at: int
    """At which step, counted from 1."""
    site: FakeSite
    steps: int = 0
    visits: list[FakeVisit] = field(default_factory=list)
    """The visits before that moment."""

    def __call__(self, step: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401  of any function
        """Count a step, copy the folder first if it is the one, and do the step."""
        self.steps += 1
        if self.steps == self.at:
            self.visits = list(self.site.visits)
            shutil.copytree(self.folder / "running", self.folder / "killed")
            clock = self.site.clock
            self.clock = FakeClock(clock.now(), boot=clock.boot, monotonic=clock.monotonic())
        return step(*arguments)


def at_request(kill: Kill) -> Any:  # noqa: ANN401  a context
    """Count the requests of all processes."""
    return patch.object(kill.site, "_route", partial(kill, kill.site._route))  # noqa: SLF001  where each comes by


def at_commit(kill: Kill) -> Any:  # noqa: ANN401  a context
    """Count the commits of all processes."""
    commit = Database.commit
    return patch.object(Database, "commit", lambda database: kill(commit, database))


@thorough
@pytest.mark.parametrize(
    ("counting", "moments"), [(at_request, range(1, 26)), (at_commit, range(2, 82, 8))]
)
def test_all_may_be_killed_at_any_step(
    counting: Callable[[Kill], Any], moments: Sequence[int], tmp_path: Path
) -> None:
    """No page is lost or there twice, none that is recorded is fetched again, and none is early."""
    for at in some_of(moments):
        kill = Kill(tmp_path / str(at), at, ring())
        with counting(kill):
            crawl_in_parts(kill.folder / "running", kill.site, f"{SITES[0]}/", **ALL)
        assert kill.steps >= at
        killed = kill.folder / "killed"
        known = {url for url, (state, _) in states(killed).items() if state == "done"}
        again = ring(kill.clock)
        found = crawl_in_parts(killed, again, f"{SITES[0]}/", resume=True, **ALL)
        assert found.summary.ended == "nothing-left"
        assert len(states(killed)) == 25
        assert {state for state, _ in states(killed).values()} == {"done", "disallowed"}
        assert not known & {one.url for one in again.visits}
        check_pace([*kill.visits, *again.visits])


def check_pace(visits: list[FakeVisit]) -> None:
    """Each site is visited by one process at a time, and keeps its pause."""
    for origin in SITES:
        for before, one in pairwise([one for one in visits if one.url.startswith(origin)]):
            least = 2.0 if one.path == "/robots.txt" else PAUSE
            assert one.monotonic >= before.monotonic + least - SLACK, (before, one)


# The clock is set while several processes crawl.

steps = st.lists(
    st.tuples(st.floats(0, 30), st.sampled_from([HOUR, -HOUR, -2.0, -30 * HOUR])), max_size=3
)


def visits_while(folder: Path, times: list[tuple[float, float]]) -> list[FakeVisit]:
    """Crawl while the clock is set; return all requests."""
    site = ring()
    crawl = parts_crawl_at(folder, site, *(f"{origin}/" for origin in SITES), **ALL)

    async def stepping() -> None:
        for at, by in sorted(times):
            await site.clock.sleep(at - site.clock.monotonic())
            site.clock.step(by)

    async def main() -> None:
        setting = asyncio.ensure_future(stepping())
        await crawl.run()
        await setting

    run(main())
    return site.visits


@examples(8, deadline=None)
@given(steps)
@example([(3.0, -HOUR)])
@example([(8.0, HOUR), (8.5, -2 * HOUR)])
def test_setting_the_clock_changes_no_pause(times: list[tuple[float, float]]) -> None:
    """No process is early or late, each page is fetched once, and the report calls none early."""
    with tempfile.TemporaryDirectory() as folder:
        visits = visits_while(Path(folder), times)
        check_pace(visits)
        assert len(visits) == len({one.url for one in visits}) == 25
        # Fake time passes while URLs are handed over in real time: how much depends on the machine,
        # but a step that was waited for would add its hours.
        assert max(one.monotonic for one in visits) < HOUR
        with open_readonly(folder) as database:
            for origin in SITES:
                pauses = list(punctuality.pauses(database, origin, "ExampleBot/1.0", SLOW))
                assert pauses
                assert not [one.early for one in pauses if one.early]
