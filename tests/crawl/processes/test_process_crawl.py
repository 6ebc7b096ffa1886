"""A crawl in several processes does what one process does, whenever any of them is killed."""

from pathlib import Path

from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.frontier.reading import entries
from goodbot.testing import FakeClock, FakeSite
from tests.support.memory_crawls import html
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
