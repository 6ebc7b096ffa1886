"""A crawl of a real web server: what nginx serves, redirects, refuses and logs."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from goodbot.net import AiohttpFetcher
from goodbot.robot import Robot
from goodbot.testing import FakeClock
from tests.support import program
from tests.support.program import environment
from tests.system.nginx import Nginx, nginx

ROBOT = ("--robot", "ExampleBot/1.0", "--allow-private", "--pause", "0", "--patience", "5")
LINKS = ("lamps", "moved", "away", "gone", "broken", "secret", "till/today")
SITE = {
    "robots.txt": b"User-agent: *\nDisallow: /till/\nCrawl-delay: 0\n",
    "index.html": b"<title>Shop</title>"
    + b"".join(b'<a href="/%s.html">%s</a> ' % (link.encode(), link.encode()) for link in LINKS),
    "lamps.html": b"<title>Lamps</title><p>" + b"A brass lamp of the attic. " * 2_000,
    "secret.html": b"<title>Secret</title><p>the price",
    "till/today.html": b"<p>1,234.50",
}


def goodbot(*words: str) -> tuple[int, str, str]:
    """Run the program; return its exit status, output and error output."""
    done = program.run(*words, env=environment())
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nginx]:
    """Serve the shop, and close each connection after three requests."""
    with nginx(tmp_path_factory.mktemp("nginx"), SITE, keepalive=3) as server:
        yield server


@pytest.fixture(scope="module")
def crawled(served: Nginx, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Crawl the shop into a folder."""
    folder = str(tmp_path_factory.mktemp("crawl") / "shop")
    status, told, complaints = goodbot("crawl", f"{served.origin}/", *ROBOT, "--out", folder)
    assert (status, complaints) == (0, ""), told
    return folder


def states(folder: str) -> dict[str, tuple[str, int | None]]:
    """Return the state and status of each URL, from the evidence."""
    status, told, _ = goodbot("evidence", folder, "--export", "-")
    assert status == 0
    rows = [json.loads(line) for line in told.splitlines()]
    return {row["url"]: (row["state"], row["status"]) for row in rows if row.get("url")}


def test_the_server_was_asked_as_its_robots_txt_says(served: Nginx, crawled: str) -> None:
    """By nginx's own log, robots.txt comes first, each page once, and no disallowed URL at all."""
    assert crawled
    paths = [path for _, path, *_ in served.requests()]
    assert paths[0] == "/robots.txt"
    assert sorted(paths) == sorted(
        ["/robots.txt", "/", *(f"/{link}.html" for link in LINKS if not link.startswith("till"))]
    )
    assert served.errors().count("\n") == 1, "nginx reports one missing file"


def test_answers_are_what_the_server_says(served: Nginx, crawled: str) -> None:
    """The statuses are those of nginx's own log, page by page."""
    assert crawled
    answers = {path: status for status, path, *_ in served.requests()}
    assert answers == {
        "/robots.txt": "200", "/": "200", "/lamps.html": "200", "/moved.html": "301",
        "/away.html": "302", "/gone.html": "404", "/broken.html": "500", "/secret.html": "200",
    }  # fmt: skip
    skipped = goodbot("report", "skipped", crawled, "--urls")[1]
    assert f"{served.origin}/till/today.html" in skipped
    assert "https://elsewhere.example/" in skipped


def test_what_came_in_gzip_is_found_and_shown(served: Nginx, crawled: str) -> None:
    """A compressed page is indexed by its words, and archived with its content."""
    encodings = {path: encoding for _, path, encoding, _ in served.requests()}
    assert encodings["/lamps.html"] == "gzip"
    status, found, _ = goodbot("search", crawled, "brass lamp")
    assert status == 0
    assert f"{served.origin}/lamps.html" in found
    status, shown, _ = goodbot("archive", "show", crawled, f"{served.origin}/lamps.html", "--raw")
    assert (status, shown) == (0, SITE["lamps.html"].decode())
    status, told, _ = goodbot("archive", "check", crawled)
    assert status == 0, told


def test_a_header_of_the_server_keeps_a_page_out_of_the_index(crawled: str) -> None:
    """`add_header` sends X-Robots-Tag: noindex."""
    assert goodbot("search", crawled, "price")[0] == 1


def test_nothing_was_early(crawled: str, tmp_path: Path) -> None:
    """The exit status of the report shows it."""
    assert goodbot("report", crawled, "-o", str(tmp_path / "report.html"))[0] == 0


def test_robots_txt_is_revalidated_by_its_tag(tmp_path: Path) -> None:
    """Two days later, nginx answers 304 to the ETag that it sent before."""

    async def twice(origin: str) -> list[bool]:
        clock = FakeClock()
        async with (
            AiohttpFetcher(allow_networks=["127.0.0.1"]) as fetcher,
            Robot(
                "ExampleBot/1.0", info_url="https://example.com/bot", contact="bot@example.com",
                fetcher=fetcher, clock=clock,
            ) as robot,
        ):  # fmt: skip
            first = await robot.may_fetch(f"{origin}/till/")
            clock.advance(2 * 24 * 3600)
            return [bool(first), bool(await robot.may_fetch(f"{origin}/till/"))]

    with nginx(tmp_path, {"robots.txt": SITE["robots.txt"]}) as server:
        assert asyncio.run(twice(server.origin)) == [False, False]
        assert [row[0] for row in server.requests()] == ["200", "304"]
        assert [row[3] == "[-]" for row in server.requests()] == [True, False]


def test_a_range_is_the_page_only_where_it_covers_all_of_it(tmp_path: Path) -> None:
    """A 206 of nginx (RFC 9110 section 15.3.7) is indexed and kept only if it is the whole page."""
    files = {
        "robots.txt": SITE["robots.txt"],
        "ranged.html": b"<title>Lamp</title><p>A brass lamp.",
    }
    folder = str(tmp_path / "shop")
    with nginx(tmp_path, files) as server:
        part, whole = f"{server.origin}/part.html", f"{server.origin}/whole.html"
        status, told, complaints = goodbot("crawl", part, whole, *ROBOT, "--out", folder)
        assert (status, complaints) == (0, ""), told
        answers = {path: code for code, path, *_ in server.requests()}
    assert (answers["/part.html"], answers["/whole.html"]) == ("206", "206")
    assert {url: code for url, (_, code) in states(folder).items()} == {part: 206, whole: 206}
    found = goodbot("search", folder, "lamp")[1]
    assert whole in found
    assert part not in found
    assert goodbot("archive", "show", folder, part)[0] == 1
    assert goodbot("archive", "show", folder, whole, "--raw")[1] == files["ranged.html"].decode()


def test_a_large_robots_txt_is_cut_at_the_limit(tmp_path: Path) -> None:
    """500 KiB are read (RFC 9309 section 2.5), whether nginx compresses them or not."""
    line = b"Disallow: /%06d\n"
    lines = b"User-agent: *\n" + b"".join(line % number for number in range(50_000))
    last = 512_000 // len(line % 0) - 2
    with nginx(tmp_path, {"robots.txt": lines}) as server:
        early, late = (f"{server.origin}/{number:06}" for number in (last, 49_999))
        assert goodbot("check", "--allow-private", early)[0] == 1
        assert goodbot("check", "--allow-private", late)[0] == 0
        assert {encoding for _, _, encoding, _ in server.requests()} == {"gzip"}
