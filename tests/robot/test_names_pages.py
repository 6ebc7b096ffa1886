"""Pages of robots' names (Robot Exclusion Profile, Issues, Specificity, example 2)."""

import asyncio
from typing import Any

import pytest

import goodbot
from goodbot.robot import Visit
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.robot_sites import ME, OTHER, SITE

PROFILE = '<head profile="http://example.org/xmdp/robots-profile#">'
NAMES = '<meta name="RobotExclusion.RobotName1" content="ExampleBot">'


def page(names: str = "/names", text: str = "lamp") -> str:
    """Return a page with a part that robot 1 must not index."""
    link = f'<link rel="RobotExclusion.Names" href="{names}">'
    return f'{PROFILE}{link}</head><p>{text}<p class="robot1-noindex">osprey'


def visited(site: FakeSite, *paths: str, times: int = 1, pause: float = 0.0) -> list[Visit]:
    """Visit pages with one robot, some of them several times."""

    async def visit() -> list[Visit]:
        robot = goodbot.Robot(
            "ExampleBot/1.0",
            **ME,
            fetcher=site,
            clock=site.clock,
            manners=goodbot.pace.Manners(default=10),
        )
        made = []
        async with robot:
            for _ in range(times):
                made += [await robot.visit(SITE + path) for path in paths]
                site.clock.advance(pause)
        return made

    return asyncio.run(visit())


def site_of(**routes: Any) -> FakeSite:  # noqa: ANN401  as FakeSite has it
    """Build a site with pages by the names of their paths."""
    pages = {f"/{name}": answer for name, answer in routes.items()}
    return FakeSite(pages, clock=FakeClock())


def test_the_page_of_names_is_fetched_once() -> None:
    """Only once, however many pages name it; it names this robot, which obeys the class."""
    site = site_of(a=page(), b=page(), names=f"{PROFILE}{NAMES}</head>")
    made = visited(site, "/a", "/b", times=2)
    assert [visit.page.text() for visit in made] == ["lamp"] * 4
    assert len(site.visits_to(f"{SITE}/names")) == 1
    times = [visit.at for visit in site.visits if "robots.txt" not in visit.url]
    assert min((after - before).total_seconds() for before, after in zip(times, times[1:])) >= 10  # noqa: B905, RUF007
    assert made[0].page.names_url == f"{SITE}/names"


def test_a_page_of_names_that_names_others_frees_the_class() -> None:
    """It is known that the class is for another robot."""
    site = site_of(a=page(), names=f"{PROFILE}{NAMES}</head>".replace("ExampleBot", "OtherBot"))
    assert "osprey" in visited(site, "/a")[0].page.text()


def test_it_is_asked_for_again_the_next_day() -> None:
    """As long as a robots.txt."""
    site = site_of(a=page(), names=f"{PROFILE}{NAMES}</head>")
    visited(site, "/a", times=3, pause=86_400)
    assert len(site.visits_to(f"{SITE}/names")) == 3


@pytest.mark.parametrize(
    "names",
    [
        f"{OTHER}/names",
        "/missing",
        "/shut",
        "/moved",
        "/away",
        "/large",
        "/fails",
        "/soft",
        "/blank",
        "mailto:a@b.example",
    ],
)
def test_a_page_of_names_that_cannot_be_had_names_nobody(names: str) -> None:
    """Another origin, missing, forbidden, redirected, too large, a soft 404: not known."""
    site = FakeSite(
        {
            "/robots.txt": "User-agent: *\nDisallow: /shut",
            "/a": page(names),
            "/shut": NAMES,
            "/moved": Answer(status=301, headers=[("Location", "/names")]),
            "/away": Answer(status=302, headers=[("Location", f"{OTHER}/names")]),
            "/large": NAMES + " " * 70_000,
            "/fails": Answer(failure="timeout"),
            "/soft": "x",
            "/blank": NAMES.replace("ExampleBot", " "),
            "/names": NAMES,
        },
        clock=FakeClock(),
    )
    made = visited(site, "/a", times=2)
    assert made[0].names_page is None
    assert [visit.page.text() for visit in made] == ["lamp", "lamp"]
    asked = [visit.url for visit in site.visits]
    assert not any(url.startswith(OTHER) or url == f"{SITE}/names" for url in asked)
    assert len(asked) == len(set(asked)) + 1  # the page itself


def test_thousands_of_pages_of_names_are_not_asked_for() -> None:
    """At most four a day from one origin."""
    pages = {f"p{number}": page(f"/names{number}") for number in range(40)}
    site = site_of(**pages, **{f"names{number}": NAMES for number in range(40)})
    visited(site, *(f"/{name}" for name in pages))
    assert sum("/names" in visit.url for visit in site.visits) == 4


def test_a_page_that_names_itself_is_not_fetched_again() -> None:
    """And a response that is not a page has no names."""
    site = site_of(a=page("/a"), b=Answer(status=404, body=page().encode()))
    visited(site, "/a", "/b")
    assert len(site.visits) == 3
