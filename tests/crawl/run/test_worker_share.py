"""Sites that answer slowly take up a share of the workers, and never all of them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.frontier.bounds import Bounds
from goodbot.crawl.run.worker_share import PROMPT_SECONDS, WorkerShare
from goodbot.pace import Manners
from goodbot.testing import Answer, FakeClock, FakeSite, FakeVisit
from tests.support.crawls.memory_crawls import SITE, crawl, html
from tests.support.examples import examples

PAGES = 100
TARPITS = [f"https://t{number}.example/" for number in range(40)]
DEADLINE = 1_000.0
"""Seconds that a request to a slow site takes: more than all pages with their pauses."""


class Slow:
    """Sites that answer nothing until all pages of another site were visited, or a deadline."""

    def __init__(self, clock: FakeClock) -> None:
        """Start without visits."""
        self.clock = clock
        self.pages = 0
        self.gave_up = 0

    def page(self, _visit: FakeVisit) -> str:
        """Return a page of the prompt site."""
        self.pages += 1
        return "a page"

    async def answer(self, _visit: FakeVisit) -> Answer:
        """Wait as a request waits for its deadline."""
        await self.clock.sleep(DEADLINE)
        self.gave_up += self.pages < PAGES
        return Answer(failure="timeout")


@pytest.mark.parametrize("workers", [2, 3, 16])
def test_links_to_slow_sites_do_not_stop_a_crawl(workers: int, tmp_path: Path) -> None:
    """With --check-external, 40 of them on the first page: all pages of the site come first."""
    slow = Slow(FakeClock())
    links = [f"/{number}" for number in range(PAGES)]
    routes = {f"{SITE}/{number}": slow.page for number in range(PAGES)}
    routes |= dict.fromkeys(TARPITS, slow.answer)  # type: ignore[arg-type]
    routes |= {f"{url}robots.txt": slow.answer for url in TARPITS}  # type: ignore[misc]
    site = FakeSite(
        {**routes, f"{SITE}/": html("home", *TARPITS, *links), f"{SITE}/robots.txt": ""},
        clock=slow.clock,
    )
    bounds = Bounds(check_external=True)
    crawl(tmp_path, site, bounds=bounds, workers=workers, manners=Manners(default=1.0))
    assert (slow.pages, slow.gave_up) == (PAGES, 0)


def test_a_site_that_has_become_slow_has_no_share_of_its_own() -> None:
    """What counts is the last visit; one that was not requested says nothing."""
    share = WorkerShare(4)
    share.begin("a", now=0.0)
    share.end("a", now=1.0, answered=True)
    for origin in "bcd":
        share.begin(origin, now=1.0)
    assert share.is_full_for("e")
    assert not share.is_full_for("a")
    share.begin("a", now=1.0)
    share.end("a", now=1.1, answered=False)
    assert not share.is_full_for("a")
    share.begin("a", now=2.0)
    share.end("a", now=2.1 + PROMPT_SECONDS, answered=True)
    assert share.is_full_for("a")


def queued(origin: str) -> QueuedUrl:
    """Return a URL of an origin."""
    return QueuedUrl(1, f"{origin}/", origin, 0, 0, 0, "start", "", 1, "")


@given(
    st.integers(1, 9),
    st.lists(st.tuples(st.sampled_from("abcdefghijkl"), st.booleans(), st.booleans()), max_size=60),
)
@examples(300)
def test_prompt_sites_always_find_a_worker(
    workers: int, events: list[tuple[str, bool, bool]]
) -> None:
    """Whatever begins and ends: others leave a quarter free, and none is held back for good."""
    share, visiting, held = WorkerShare(workers), dict[str, float](), list[str]()
    prompt: set[str] = set()
    for now, (origin, answered, quick) in enumerate(events):
        if origin in visiting:
            seconds = 1.0 if quick else PROMPT_SECONDS + 1
            share.end(origin, now=visiting.pop(origin) + seconds, answered=answered)
            if not quick:
                prompt.discard(origin)
            elif answered:
                prompt.add(origin)
            let_in = [url.origin for url in share.let_in()]
            assert held[: len(let_in)] == let_in
            del held[: len(let_in)]
            for one in let_in:
                assert not share.is_full_for(one)
                share.begin(one, now=float(now))
                visiting[one] = float(now)
        elif origin not in held and len(visiting) < workers:
            if share.is_full_for(origin):
                assert origin not in prompt
                share.hold(queued(origin))
                held.append(origin)
            else:
                share.begin(origin, now=float(now))
                visiting[origin] = float(now)
        others = len(visiting.keys() - prompt)
        assert others <= max(1, workers - 1)
        assert not held or others
