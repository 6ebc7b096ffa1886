"""A long crawl of hosts that share servers, by a clock that jumps."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from goodbot.crawl.evidence.punctuality import pauses
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.pace import Manners
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.crawls.memory_crawls import crawl
from tests.support.examples import some_of, thorough
from tests.support.robot_sites import gaps

HOSTS = 24
SERVERS = 3
PAGES = 12


def many_hosts() -> FakeSite:
    """Return hosts on a few servers; each has pages, and some ask for a pace."""
    routes: dict[str, Any] = {}
    for number in range(HOSTS):
        site = f"http://h{number}.example"
        delay = f"Crawl-delay: {number * 5}" if number % 2 else ""
        links = "".join(f"<a href=/{page}>x</a>" for page in range(PAGES))
        routes[f"{site}/robots.txt"] = f"User-agent: *\n{delay}\n"
        routes[f"{site}/"] = Answer(body=links.encode(), headers=[("Content-Type", "text/html")])
        for page in range(PAGES):
            routes[f"{site}/{page}"] = Answer(body=b"x", seconds=0.1 * (page % 4))
    addresses = {f"h{n}.example": f"192.0.2.{n % SERVERS + 1}" for n in range(HOSTS)}
    return FakeSite(routes, clock=FakeClock(), addresses=addresses)


@thorough
@pytest.mark.parametrize("workers", some_of([1, 16], one_of=2))
def test_no_server_is_visited_by_two_hosts_at_once(workers: int, tmp_path: Path) -> None:
    """Every page is fetched; each server and each site has its pause, and the evidence agrees."""
    site = many_hosts()
    manners = Manners(default=4.0, factor=0.0, groups=["address"], group_pause=1.0)
    start = [f"http://h{number}.example/" for number in range(HOSTS)]
    done = crawl(tmp_path, site, *start, manners=manners, workers=workers, patience=float("inf"))
    assert (done.summary.ended, done.summary.pages) == ("nothing-left", HOSTS * (PAGES + 1))
    of_servers, of_hosts = defaultdict(list), defaultdict(list)
    for visit in site.visits:
        host = visit.url.split("/")[2]
        of_servers[site.addresses[host]].append(visit)
        of_hosts[host].append(visit)
    assert len(of_servers) == SERVERS
    assert min(min(gaps(visits)) for visits in of_servers.values()) >= 1.0
    for number in range(HOSTS):
        least = max(number * 5.0, 1.0) if number % 2 else 4.0
        assert min(gaps(of_hosts[f"h{number}.example"])[1:]) >= least
    with open_readonly(tmp_path) as database:
        for url in start:
            origin = url.removesuffix("/")
            assert not [one for one in pauses(database, origin, "ExampleBot", manners) if one.early]


def test_a_slow_server_is_visited_more_rarely(tmp_path: Path) -> None:
    """Every required pause of an adaptive crawl is kept, and the evidence names the reason."""
    links = "".join(f"<a href=/{page}>x</a>" for page in range(9))
    routes: dict[str, Any] = {"/robots.txt": "User-agent: *\nCrawl-delay: 2"}
    routes["/"] = Answer(body=links.encode(), headers=[("Content-Type", "text/html")])
    routes |= {
        f"/{page}": Answer(body=b"x", seconds=20.0 if page == 4 else 0.5) for page in range(9)
    }
    site = FakeSite(routes, clock=FakeClock())
    manners = Manners(adaptive=True)
    done = crawl(tmp_path, site, "http://a.example/", manners=manners)
    assert done.summary.pages == 10
    with open_readonly(tmp_path) as database:
        found = list(pauses(database, "http://a.example", "ExampleBot", manners))
    assert not [one for one in found if one.early]
    slow = [one.asked for one in found if "slow" in one.source]
    assert slow == sorted(slow, reverse=True)
    assert slow[0] == 40_000_000
    assert len(slow) > 3
