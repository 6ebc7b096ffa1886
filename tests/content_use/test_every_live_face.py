"""The site with every signal, served on loopback: each face that asks it has the same answers."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

import goodbot
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.content_use.test_every_face import (
    ANSWERS,
    HEADER,
    HTML,
    NOW,
    OF_ROBOTS,
    OFFER,
    ROBOTS,
    RSL,
    TDMREP,
    statuses,
)
from tests.support.live_sites import ask
from tests.support.robot_sites import robot_at, run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAMED = "https://example.com"
PATH = "/blog/a"


def served(origin: str) -> dict[str, tuple[list[tuple[str, str]], str]]:
    """Return header fields and content of each URL of the site, whose documents name its origin."""
    text = [("Content-Type", "text/plain")]
    files = {
        "/robots.txt": (text, ROBOTS),
        "/.well-known/tdmrep.json": ([("Content-Type", "application/json")], TDMREP),
        "/license.xml": ([("Content-Type", "application/rsl+xml")], RSL),
        "/tdm.json": ([("Content-Type", "application/ld+json")], OFFER),
        PATH: (HEADER, HTML),
    }
    return {
        path: (
            [(name, value.replace(NAMED, origin)) for name, value in fields],
            content.replace(NAMED, origin),
        )
        for path, (fields, content) in files.items()
    }


@contextmanager
def open_site() -> Iterator[str]:
    """Serve the site; yield its origin."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            fields, content = served(origin).get(self.path, ([], ""))
            self.send_response(200 if content else 404)
            for name, value in (*fields, ("Content-Length", str(len(content.encode())))):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content.encode())

        def log_message(self, *_arguments: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    origin = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield origin
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def without_more_files() -> dict[str, str]:
    """Return the answers from page and robots.txt: tdmrep.json and the licence were not asked."""
    page = goodbot.Page(f"{NAMED}{PATH}", HTML, headers=HEADER)
    found = goodbot.uses(page.url, page, robots_txt=goodbot.RobotsTxt(ROBOTS), now=NOW)
    return statuses(found)


def test_a_live_site_has_the_answers_of_all_documents() -> None:
    """`goodbot page uses URL` fetches each document that another one names."""
    with open_site() as origin:
        status, output, complaints = ask(
            "page", "uses", f"{origin}{PATH}", "--allow-private", "--json"
        )
    assert (status, complaints) == (1, "")
    plain = json.loads(output)
    assert {use: one["status"] for use, one in plain["uses"].items()} == ANSWERS
    assert plain["level"]["level"] == "reference"
    assert plain["not_consulted"] == []


def test_a_crawl_keeps_the_answers_of_page_and_robots_txt(tmp_path: Path) -> None:
    """Its evidence has what the visit showed, and says what was not asked."""
    with open_site() as origin:
        done = ask(
            "crawl", f"{origin}{PATH}", "-o", str(tmp_path / "crawl"), "--robot", "ExampleBot/1.0",
            "--allow-private", "--pause", "0",
        )  # fmt: skip
        assert done[0] == 0, done
        url = f"{origin}{PATH}"
        _, output, _ = ask("evidence", str(tmp_path / "crawl"), url, "--json")
    (visit,) = json.loads(output)["asks"]
    assert {
        use: one["status"] for use, one in visit["uses"]["uses"].items()
    } == without_more_files()
    assert visit["uses"]["level"]["level"] == "reference"
    left = ["tdmrep.json", f"{origin}/license.xml", f"{origin}/tdm.json"]
    assert visit["uses"]["not_consulted"] == left


def test_an_assistant_is_told_the_same() -> None:
    """The tool for AI assistants names each use that is reserved or asks for a licence."""
    pytest.importorskip("mcp")
    from mcp import Client  # noqa: PLC0415  an extra

    from goodbot.adapters.mcp import fetch_tool_server  # noqa: PLC0415

    routes = {
        path: Answer(body=content.encode(), headers=fields)
        for path, (fields, content) in served(NAMED).items()
    }
    site = FakeSite(routes, clock=FakeClock())

    async def main() -> str:
        async with robot_at(site) as robot, Client(fetch_tool_server(robot)) as client:
            result: Any = await client.call_tool("fetch", {"url": f"{NAMED}{PATH}"})
            return "".join(part.text for part in result.content)

    text = run(main())
    found = dict(re.findall(r"^use (\w+): (\w+):", text, re.MULTILINE))
    assert {use: word.lower() for use, word in found.items()} == without_more_files()


def test_an_audit_counts_the_answers_of_robots_txt(tmp_path: Path) -> None:
    """Each use of a page that was served counts once, with the answer that the library has."""
    (tmp_path / "robots.txt").write_text(ROBOTS)
    line = (
        '192.0.2.1 - - [29/Nov/2026:12:30:00 +0000] "GET {} HTTP/1.1" 200 9 "-" "ExampleBot/1.0"\n'
    )
    (tmp_path / "access.log").write_text(line.format(PATH))
    words = ("audit", "access.log", "--policy", "robots.txt@2026-11-01", "--site", NAMED)
    _, output, _ = ask(*words, "--unknown", "--json", cwd=str(tmp_path))
    (robot,) = json.loads(output)["robots"]
    assert robot["uses"] == {use: {status: 1} for use, status in OF_ROBOTS.items()}


def test_a_table_of_verdicts_has_them(tmp_path: Path) -> None:
    """`goodbot tables verdicts --uses` writes what `use_verdicts` answers."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq  # noqa: PLC0415  an extra

    policies = pa.table({
        "origin": [NAMED], "valid_from": pa.array([NOW], pa.timestamp("us", "UTC")),
        "valid_until": pa.array([NOW + timedelta(days=1)], pa.timestamp("us", "UTC")),
        "access": ["rules"], "reason": ["found"], "stale": [False], "body": [ROBOTS.encode()],
        "dialect": ["rfc9309"],
    })  # fmt: skip
    pq.write_table(policies, tmp_path / "policies.parquet")
    pq.write_table(pa.table({"url": [f"{NAMED}{PATH}"]}), tmp_path / "urls.parquet")
    status, _, complaints = ask(
        "tables", "verdicts", "--urls", "urls.parquet", "--policies", "policies.parquet",
        "-r", "ExampleBot", "--uses", "-o", "out.parquet", cwd=str(tmp_path),
    )  # fmt: skip
    assert (status, complaints) == (0, "")
    (row,) = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert {use: row[f"ExampleBot:{use}"] for use in OF_ROBOTS} == OF_ROBOTS
    assert row["ExampleBot:level"] == "reference"


def test_the_robot_has_the_same_answers() -> None:
    """A visit has page and policy, of which the library answers."""
    routes = {
        path: Answer(body=content.encode(), headers=fields)
        for path, (fields, content) in served(NAMED).items()
    }
    site = FakeSite(routes, clock=FakeClock())

    async def main() -> dict[str, str]:
        async with robot_at(site) as robot:
            visit = await robot.visit(f"{NAMED}{PATH}")
            policy = await robot.policy(visit.url)
        return statuses(goodbot.uses(visit.url, visit.page, robots_txt=policy))

    assert asyncio.run(main()) == without_more_files()
