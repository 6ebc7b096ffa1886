"""Responses of other types than documents are not read or kept, unless requested."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from goodbot.crawl import Crawl, Database
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.net import AiohttpFetcher, Limits
from goodbot.page.media_types import DOCUMENTS, is_wanted, type_names
from goodbot.testing import Answer, FakeClock, FakeSite, LoopbackSite
from goodbot.testing.steps import always
from tests.support.crawls.memory_crawls import SITE, crawl, html, rows
from tests.support.loopback_shop import ROBOT
from tests.support.loopback_shop import crawl as run_crawl
from tests.support.robot_sites import ME, robot_at, run

IMAGE = Answer(headers=[("Content-Type", "image/png")], body=b"\x89PNG" + b"\0" * 100_000)
TEXT = Answer(headers=[("Content-Type", "text/plain; charset=utf-8")], body=b"A brass lamp.")


def site_of_types() -> FakeSite:
    """Return a site with a page, an image, a text, and a response without a type."""
    pages: dict[str, Any] = {
        "/": html("Home", "/lamp.png", "/lamp.txt", "/lamp"),
        "/lamp.png": IMAGE,
        "/lamp.txt": TEXT,
        "/lamp": "<p>A lamp",
    }
    return FakeSite(pages, clock=FakeClock())


def kept_at(folder: Path) -> set[str]:
    """Return the paths whose copies are in the archive."""
    from goodbot.crawl.archive.kept_copy import listed  # noqa: PLC0415  the room of the archive
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415

    with open_readonly(folder) as database:
        return {kept[0].removeprefix(SITE) for kept in listed(database)}


def test_what_is_no_document_is_not_read(tmp_path: Path) -> None:
    """It is done with a reason that names the type; texts and untyped responses are read."""
    site = site_of_types()
    done = crawl(tmp_path, site)
    assert done.summary.urls == {"done": 4}
    assert done.summary.bytes < 1_000
    row = rows(tmp_path)[f"{SITE}/lamp.png"]
    assert (row.reason, row.source, row.status) == ("not-read", "Content-Type: image/png", 200)
    assert kept_at(tmp_path) & {"/", "/lamp.png", "/lamp.txt", "/lamp"} == {
        *["/", "/lamp.txt", "/lamp"],
    }


def test_everything_is_read_if_it_is_asked_for(tmp_path: Path) -> None:
    """The same holds also for a resumed crawl."""
    site = site_of_types()
    crawl(tmp_path, site, types=["all"], bounds={"pages": 1})

    async def on() -> None:
        await Crawl(
            tmp_path, resume=True, fetcher=site, clock=site.clock, bounds={"pages": 9}
        ).run()

    run(on())
    assert "/lamp.png" in kept_at(tmp_path)
    assert rows(tmp_path)[f"{SITE}/lamp.png"].reason == "fetched"


def test_types_are_kept_when_a_crawl_is_resumed(tmp_path: Path) -> None:
    """Names and patterns may be mixed; what is not named is not read."""
    site = site_of_types()
    crawl(tmp_path, site, types=["html", "IMAGE/*"], bounds={"pages": 1})
    with Database(tmp_path) as database:
        settings = CrawlSettings.read(database)
    assert settings is not None
    assert settings.types == ("html", "image/*")
    crawl(tmp_path, site, bounds={"pages": 9})
    reasons = {path: rows(tmp_path)[SITE + path].reason for path in ("/lamp.png", "/lamp.txt")}
    assert reasons == {"/lamp.png": "fetched", "/lamp.txt": "not-read"}


def test_a_type_that_is_added_is_read(tmp_path: Path) -> None:
    """What earlier runs did not read is requested again, if its type is wanted now."""
    site = site_of_types()
    crawl(tmp_path, site, types=["html"])
    before = len(site.visits)
    crawl(tmp_path, site, types=["html", "image"])
    assert [visit.path for visit in site.visits[before:]] == ["/lamp.png"]
    reasons = {path: rows(tmp_path)[SITE + path].reason for path in ("/lamp.png", "/lamp.txt")}
    assert reasons == {"/lamp.png": "fetched", "/lamp.txt": "not-read"}


def test_what_is_not_read_costs_one_request_and_no_page(tmp_path: Path) -> None:
    """The limit of pages counts two of the five responses, and no URL is requested twice."""
    site = site_of_types()
    site.routes["/"] = html("Home", "/lamp.png", "/moved", "/none", "/lamp.txt", "/lamp")
    site.routes["/moved"] = Answer(status=301, headers=[("Location", "/lamp.png")])
    done = crawl(tmp_path, site, bounds={"pages": 2})
    assert (done.summary.ended, done.summary.pages) == ("page-limit", 2)
    assert [visit.path for visit in site.visits] == [
        *["/robots.txt", "/", "/lamp.png", "/moved", "/none", "/lamp.txt"]
    ]


WANTED = [
    # RFC 7303, sections 4.2 and 9: what is XML; without a type, content is read to see what it is.
    ("html,xml,text", "", True),
    ("html,xml,text", "unknown/unknown", True),
    ("html,xml,text", "text/html; charset=utf-8", True),
    ("html,xml,text", "TEXT/HTML", True),
    ("html,xml,text", "application/xhtml+xml", True),
    ("html,xml,text", "application/rss+xml", True),
    ("html,xml,text", "image/svg+xml", True),
    ("html,xml,text", "text/csv", True),
    ("html,xml,text", "application/json", False),
    ("html,xml,text", "application/pdf", False),
    ("html,xml,text", "text/html, image/png", False),  # the last type holds (Fetch standard)
    ("html", "text/plain", False),
    ("html", "text/html", True),
    ("xml", "text/html", False),
    ("xml", "text/xsl", True),
    ("pdf", "application/pdf", True),
    ("image", "image/png", True),
    ("image/*", "image/png", True),
    ("image/png", "image/png; q=1", True),
    ("image/png", "image/pngx", False),
    ("image/p.g", "image/png", False),
    ("json", "application/ld+json", True),
    ("application/*zip", "application/x-gzip", True),
    ("all", "application/wasm", True),
]


@pytest.mark.parametrize(("names", "declared", "wanted"), WANTED)
def test_types_are_wanted_by_name_and_pattern(names: str, declared: str, wanted: bool) -> None:  # noqa: FBT001
    """Names stand for media types; patterns and names do not depend on case."""
    assert is_wanted(declared, type_names(names.split(","))) is wanted
    assert is_wanted(declared, type_names(names.upper().split(","))) is wanted


@pytest.mark.parametrize("wrong", [["html", "picture"], ["png"], [], ["text/"], [""]])
def test_a_type_must_be_a_name_or_a_media_type(wrong: list[str], tmp_path: Path) -> None:
    """The message lists the names."""
    with pytest.raises(WrongValueError, match=r"no type '.*'; write media types .* html, xml"):
        Crawl(tmp_path, "ExampleBot/1.0", **ME, start=[f"{SITE}/"], types=wrong)


def test_requests_say_what_is_read() -> None:
    """The same holds for robots.txt and for pages."""
    site = site_of_types()

    async def main() -> None:
        async with robot_at(site, types=DOCUMENTS) as robot:
            visit = await robot.visit(f"{SITE}/lamp.png")
            assert (visit.response.unread, visit.response.body) == (True, b"")
        async with robot_at(site) as robot:
            visit = await robot.visit(f"{SITE}/lamp.png")
            assert (visit.response.unread, len(visit.response.body)) == (False, 100_004)

    run(main())
    accepts = [dict(visit.headers)["Accept"] for visit in site.visits[:2]]
    assert [one.split(",")[0] for one in accepts] == ["text/plain", "text/html"]


def test_the_connection_is_closed_behind_the_header() -> None:
    """An endless body costs nothing; error pages are read whatever their type."""
    zeros = always(200, b"\0" * 4_000_000, "Content-Type: application/zip")
    error = always(404, b"not here", "Content-Type: application/zip")

    async def main() -> None:
        pages = {"/zip": zeros, "/gone": error}
        async with (
            LoopbackSite("not-found", pages=pages) as site,
            AiohttpFetcher(allow_private=True) as fetcher,
        ):
            headers = (("User-Agent", "ExampleBot/1.0"), ("From", ME["contact"]))
            limits = Limits(reads=lambda kind: kind == "text/html")
            answer = await fetcher.fetch(f"{site.origin}/zip", headers=headers, limits=limits)
            assert (answer.status, answer.unread, answer.wire_bytes) == (200, True, 0)
            answer = await fetcher.fetch(f"{site.origin}/gone", headers=headers, limits=limits)
            assert (answer.status, answer.unread, answer.body) == (404, False, b"not here")

    asyncio.run(main())
    with pytest.raises(WrongTypeError, match="reads must be a function"):
        Limits(reads="text/html")  # type: ignore[arg-type]


def test_the_program_reads_documents(tmp_path: Path) -> None:
    """The default can be changed."""
    pages: dict[str, Any] = {
        "/": b"<a href=/big.zip>big</a>",
        "/big.zip": always(200, b"\0" * 1_000_000, "Content-Type: application/zip"),
    }

    async def main(*words: str) -> dict[str, Any]:
        async with LoopbackSite("not-found", pages=pages) as site:
            given = (f"{site.origin}/", *ROBOT, "--json", *words)
            _, told, _ = await asyncio.to_thread(run_crawl, *given)
            summary: dict[str, Any] = json.loads(told.splitlines()[-1])
            return summary

    summary = asyncio.run(main("--out", str(tmp_path / "a")))
    assert (summary["reasons"]["not-read"], summary["bytes"] < 10_000) == (1, True)
    summary = asyncio.run(main("--out", str(tmp_path / "b"), "--types", "all"))
    assert summary["bytes"] > 1_000_000, (summary["reasons"], summary["urls"])
