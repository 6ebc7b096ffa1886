"""A crawl in several processes does what one process does, whenever any of them is killed."""

from itertools import pairwise
from pathlib import Path

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.frontier.reading import entries
from goodbot.pace import Manners
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.memory_crawls import html, moved
from tests.support.process_crawls import crawl_in_parts

SITES = [f"https://{name}.example" for name in "abcde"]


def ring() -> FakeSite:
    """Return five sites with four pages each, that link to each other's pages."""
    routes = {}
    for at, origin in enumerate(SITES):
        other, third = SITES[(at + 1) % 5], SITES[(at + 2) % 5]
        routes[f"{origin}/robots.txt"] = "User-agent: *\nDisallow: /private"
        routes[f"{origin}/"] = html("home", "/1", f"{other}/", f"{third}/2", f"{other}/private")
        routes[f"{origin}/1"] = html("one", "/", f"{third}/3")
        routes[f"{origin}/2"] = html("two", f"{other}/1")
        routes[f"{origin}/3"] = html("three", f"{SITES[0]}/")
    return FakeSite(routes, clock=FakeClock())


def states(folder: Path) -> dict[str, tuple[str, str]]:
    """Return the state and the reason of each URL of a crawl."""
    with open_readonly(folder) as database:
        found = list(entries(database))
    assert len(found) == len({one.url for one in found}), "a URL is there twice"
    assert len(found) == len({one.url_id for one in found}), "a number is there twice"
    return {one.url: (one.state, one.reason) for one in found}


def test_all_pages_of_all_sites_are_visited_once(tmp_path: Path) -> None:
    """Links that lead to sites of other processes are followed there."""
    site = ring()
    found = crawl_in_parts(tmp_path, site, f"{SITES[0]}/", processes=3, bounds={"origins": SITES})
    assert found.summary.ended == "nothing-left"
    assert found.summary.urls == {"done": 20, "disallowed": 5}
    pages = [one.url for one in site.visits if not one.url.endswith("robots.txt")]
    assert sorted(pages) == sorted(f"{origin}/{page}" for origin in SITES for page in ["", 1, 2, 3])
    assert len(site.visits) == 25
    assert states(tmp_path) == {
        **{f"{origin}/{page}": ("done", "fetched") for origin in SITES for page in ["", 1, 2, 3]},
        **{f"{origin}/private": ("disallowed", "rule-disallows") for origin in SITES},
    }


# One pace, whichever process visits.


def test_hosts_of_one_server_are_visited_one_at_a_time(tmp_path: Path) -> None:
    """A server group has one budget for all processes."""
    site = ring()
    for origin in SITES:
        site.routes[f"{origin}/"] = Answer(body=html("home", "/1", "/2").encode(), seconds=3.0)
    start = [f"{origin}/" for origin in SITES]
    manners = {"default": 10.0, "factor": 0.0, "groups": ("*.example",)}
    found = crawl_in_parts(tmp_path, site, *start, processes=3, manners=manners, patience=None)
    assert found.summary.urls["done"] >= 15
    visits = sorted(site.visits, key=lambda one: one.monotonic)
    pause = Manners(**manners).between_hosts(0.0)
    assert pause > 0.5
    for before, one in pairwise(visits):
        assert one.monotonic >= before.monotonic + pause - 1e-5, (before, one)


def test_a_robots_txt_at_a_site_of_another_process_keeps_its_pace(tmp_path: Path) -> None:
    """The account of that site is moved to where both processes use it."""
    one, other = SITES[:2]
    site = FakeSite(
        {
            f"{one}/robots.txt": moved(f"{other}/robots.txt"),
            f"{other}/robots.txt": "User-agent: *\nDisallow: /private",
            f"{one}/": html("one", *(f"/{page}" for page in range(3))),
            f"{other}/": html("other", *(f"/{page}" for page in range(12))),
            **{f"/{page}": html("page") for page in range(12)},
        },
        clock=FakeClock(),
    )
    manners = {"default": 5.0, "factor": 0.0, "floor": 2.0}
    start = [f"{other}/", f"{one}/"]
    found = crawl_in_parts(tmp_path, site, *start, manners=manners, patience=None)
    assert found.summary.urls == {"done": 17}
    there = [visit for visit in site.visits if visit.url.startswith(other)]
    assert [visit.path for visit in there].count("/robots.txt") == 2
    for before, after in pairwise(there):
        assert after.monotonic >= before.monotonic + 2.0 - 1e-5, (before, after)
    with Database(tmp_path) as database:
        assert database.accounts() == [other]
