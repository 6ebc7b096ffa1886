"""What robots may do with each page of a crawl, reckoned from what it kept."""

from __future__ import annotations

import csv
import io
import json
import re
from contextlib import closing
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest

import goodbot
from goodbot.bots.page_reading import page_dialect_for
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.inventory.robot_access import ACCESS, ACCESS_COLUMNS, RobotAccess, robot_access
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.crawls.memory_crawls import SITE as SMALL
from tests.support.crawls.memory_crawls import crawl, html, site_of
from tests.support.program import run
from tests.support.shop_site.crawled import path_of
from tests.support.shop_site.expected import ROBOTS_APART
from tests.support.shop_site.serving import SITE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.shop_site.crawled import ShopCrawl

NOW = datetime(2026, 1, 2, tzinfo=timezone.utc)
ROBOTS = ("Googlebot", "bingbot", "GPTBot")
OWN = "ExampleBot"
WEEK = 7 * 86_400
Rows = dict[tuple[str, str], RobotAccess]


@pytest.fixture(scope="module")
def rows(shop_crawl: ShopCrawl) -> Rows:
    """Return what four robots may do with the pages of the shop, by path and robot."""
    with open_readonly(shop_crawl.folder) as database:
        found = list(robot_access(database, (OWN, *ROBOTS), NOW))
    return {(path_of(row.url), row.robot): row for row in found}


def answers(row: RobotAccess) -> tuple[str, str, str]:
    """Return the answers that differ by robots."""
    return row.fetch, row.index, row.snippet


def test_robots_differ_only_where_the_shop_addresses_them(rows: Rows) -> None:
    """Each page and robot that differs from the crawl's own is in the expectations."""
    found = {
        (path, robot): answers(row)
        for (path, robot), row in rows.items()
        if answers(row) != answers(rows[path, OWN])
    }
    expected = {key: said[:3] for key, said in ROBOTS_APART.items()}
    gptbot = {key: value for key, value in found.items() if key not in expected}
    # GPTBot has a group of its own: what all others must not read, it may, and manuals it may not.
    assert {robot for _, robot in gptbot} <= {"GPTBot"}
    assert all(path.startswith(("/manuals", "/search", "/assets")) for path, _ in gptbot)
    assert {key: found[key] for key in expected} == expected


def test_each_answer_has_its_statement(rows: Rows) -> None:
    """With its line: that of robots.txt, of an element, or the header field."""
    for key, (*said, source) in ROBOTS_APART.items():
        row = rows[key]
        named = row.snippet_source if said[1] == "allowed" else row.index_source
        assert named == source, key
    assert {row.fetch for row in rows.values()} <= ACCESS.keys()
    assert rows["/marked/for-gptbot", "GPTBot"].train == "reserved"
    assert rows["/marked/for-gptbot", "GPTBot"].train_source == "header X-Robots-Tag: noai"
    open_page = rows["/lamps/1", "GPTBot"]
    assert (open_page.train, open_page.train_source) == (
        "not consulted", "not consulted: tdmrep.json",
    )  # fmt: skip


def test_the_crawls_own_robot_has_the_verdicts_of_the_crawl(
    rows: Rows, shop_crawl: ShopCrawl
) -> None:
    """Twin: for it, what is reckoned from statements is what the crawl decided when it read."""
    from goodbot.crawl import inventory_rows  # noqa: PLC0415  of this test alone

    with open_readonly(shop_crawl.folder) as database:
        own = {path_of(row.url): row for row in inventory_rows(database, NOW)}
    for (path, robot), row in rows.items():
        if robot == OWN and row.index in {"allowed", "disallowed"}:
            assert (row.index == "allowed") == own[path].indexable, path
            assert row.index_source == own[path].indexable_source, path


def test_every_page_is_judged_as_if_each_robot_had_read_it(rows: Rows) -> None:
    """Twin: the answer of each page of the shop, read again by each robot."""
    from tests.support.shop_site.serving import shop_in_memory  # noqa: PLC0415  as above

    # Not the site of the crawl, of which other tests count the visits.
    compared, site = 0, shop_in_memory()
    for (path, robot), row in rows.items():
        if row.index not in {"allowed", "disallowed"} or row.fetch != "allowed":
            continue
        if row.index_source.startswith("canonical"):
            continue
        response = fetched(site, path)
        if response is None:
            continue
        page = goodbot.Page(
            row.url, response.body, headers=response.headers, robot=robot,
            dialect=page_dialect_for(robot), status=response.status,
        )  # fmt: skip
        index = page.index_at(NOW)
        assert (row.index == "allowed", row.index_source) == (
            index.allowed, str(index.source or ""),
        ), (path, robot)  # fmt: skip
        assert (row.snippet == "allowed") == page.snippet.allowed, (path, robot)
        compared += 1
    assert compared > 300


def fetched(site: FakeSite, path: str) -> Any:  # noqa: ANN401  a response
    """Return the answer that the shop gives for a path; `None` if it is none of a page."""
    from tests.support.crawls.memory_crawls import run as finish  # noqa: PLC0415  as above

    try:
        found = finish(site.fetch(f"{SITE}{path}"))
    except goodbot.GoodbotError:
        return None
    return found if found.status == 200 and not found.unread else None


def pages_of(week: int) -> dict[str, Any]:
    """Return a site: robots.txt disallows lamps from week 2, and chairs are noindex from week 3."""
    chairs = b"<meta name=gptbot content=noindex>" if week >= 3 else b"<p>chairs"
    return {
        "home": html("<a href=/lamps>a</a><a href=/chairs>b</a>"),
        "lamps": html(""),
        "chairs": Answer(body=chairs, headers=[("Content-Type", "text/html")]),
    }


@pytest.fixture(scope="module")
def weeks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[datetime]]:
    """Crawl a site five times, and return the folder with the time of each run."""
    folder, clock, times = tmp_path_factory.mktemp("weeks"), FakeClock(), []
    for week in range(5):
        text = (
            "User-agent: GPTBot\nDisallow: /lamps\n" if week >= 2 else "User-agent: *\nAllow: /\n"
        )
        again = {"again": True, "early": True, "resume": True} if week else {}
        times.append(clock.now())
        crawl(folder, site_of(text, clock=clock, **pages_of(week)), **again)
        clock.advance(WEEK)
    return folder, times


def test_it_is_known_since_when_a_robot_may_not_use_a_page(
    weeks: tuple[Path, list[datetime]],
) -> None:
    """By robots.txt since that version, and by a page since it says so, whatever came after."""
    folder, times = weeks
    with open_readonly(folder) as database:
        found = {
            row.url.removeprefix(SMALL): row for row in robot_access(database, ["GPTBot"], NOW)
        }
    lamps, chairs = found["/lamps"], found["/chairs"]
    assert (lamps.fetch, lamps.fetch_source) == ("disallowed", "robots.txt line 2")
    assert lamps.since is not None
    assert chairs.since is not None
    assert times[2] <= lamps.since < times[3]
    assert (chairs.fetch, chairs.index) == ("allowed", "disallowed")
    assert times[3] <= chairs.since < times[4]
    assert found["/"].since is None


def test_the_command_answers_which_pages_a_robot_cannot_use_and_since_when(
    weeks: tuple[Path, list[datetime]],
) -> None:
    """In one command, without a word of configuration."""
    folder, times = weeks
    done = run("inventory", str(folder), "--for", "GPTBot")
    text = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    assert text.startswith("GPTBot: may fetch 2 of 3 URLs; may index 1.\n")
    assert f"  not fetched {SMALL}/lamps\n    robots.txt line 2, since {times[2]:%Y-%m-%d}" in text
    assert re.search(
        rf"  not indexed {SMALL}/chairs\n    META gptbot, line 1: noindex, since ", text
    )
    assert f"since {times[3]:%Y-%m-%d}" in text


def test_rows_are_the_same_in_each_form(shop_crawl: ShopCrawl, tmp_path: Path) -> None:
    """JSON, CSV and Parquet have each page and robot."""
    import pyarrow.parquet as pq  # noqa: PLC0415  of this form alone

    words = ("inventory", str(shop_crawl.folder), "--for", "Googlebot,GPTBot")
    lines = [json.loads(line) for line in run(*words, "--json").stdout.splitlines()]
    rows = list(csv.DictReader(io.StringIO(run(*words, "--csv").stdout.decode())))
    path = tmp_path / "a.parquet"
    assert run(*words, "--parquet", str(path)).returncode == 0
    table = pq.read_table(path)
    assert len(lines) == len(rows) == table.num_rows
    assert table.column_names == [one.name for one in ACCESS_COLUMNS] == list(lines[0])
    assert {line["robot"] for line in lines} == {"Googlebot", "GPTBot"}
    limited = run(*words, "--json", "--limit", "3").stdout.splitlines()
    assert len(limited) == 3
    assert run(*words, "--findings").returncode == 2


def test_a_purpose_reserves_path_by_path(tmp_path: Path) -> None:
    """Pages that say the same have other answers where robots.txt speaks of their paths."""
    robots_txt = "User-agent: *\nAllow: /\n\nUser-agent: __usage_ai-training\nDisallow: /a\n"
    crawl(tmp_path, site_of(robots_txt, home=html("<a href=/a>a</a><a href=/b>b</a>"),
                            a=html(""), b=html("")))  # fmt: skip
    with open_readonly(tmp_path) as database:
        found = {
            row.url.removeprefix(SMALL): row.train
            for row in robot_access(database, ["GPTBot"], NOW)
        }
    assert found == {"/": "not consulted", "/a": "reserved", "/b": "not consulted"}


def test_an_address_is_relative_to_the_page_that_names_it(tmp_path: Path) -> None:
    """Pages that say the same in the same words name other licences."""
    head = "<link rel=license href=terms.xml type=application/rsl+xml>"
    pages: dict[str, Any] = {path: html("", head=head) for path in ("x/a", "y/a")}
    crawl(tmp_path, site_of(home=html("<a href=/x/a>a</a><a href=/y/a>b</a>"), **pages))
    with open_readonly(tmp_path) as database:
        found = {
            row.url.removeprefix(SMALL): row.train_source
            for row in robot_access(database, ["GPTBot"], NOW)
        }
    for folder in ("/x", "/y"):
        assert f"licence {SMALL}{folder}/terms.xml" in found[f"{folder}/a"]


def test_an_older_folder_answers_not_kept(tmp_path: Path) -> None:
    """Its pages were stored without what they say to all robots; its robots.txt is known."""
    crawl(tmp_path, site_of("User-agent: GPTBot\nDisallow: /a", home=html("<a href=/a>a</a>"),
                            a=html("")))  # fmt: skip
    with closing(Database(tmp_path)) as database, database.changing() as connection:
        connection.execute("UPDATE page_facts SET said = NULL, said_since = NULL")
    with open_readonly(tmp_path) as database:
        found = {
            row.url.removeprefix(SMALL): row for row in robot_access(database, ["GPTBot"], NOW)
        }
    assert (found["/"].fetch, found["/"].index, found["/"].train) == (
        "allowed", "not kept", "not kept",
    )  # fmt: skip
    assert found["/"].is_usable is None
    assert found["/a"].fetch == "disallowed"
    assert (
        "statements not kept: 1"
        in run("inventory", str(tmp_path), "--for", "GPTBot").stdout.decode()
    )


def test_what_is_kept_is_small(shop_crawl: ShopCrawl) -> None:
    """At most 300 bytes a page, and nothing of a page that says nothing to robots."""
    with open_readonly(shop_crawl.folder) as database:
        query = "SELECT coalesce(length(said), 0) + 8 FROM page_facts"
        sizes = [size for (size,) in database.connection.execute(query)]
    assert sum(sizes) / len(sizes) <= 300
    assert sorted(sizes)[len(sizes) // 2] == 8
