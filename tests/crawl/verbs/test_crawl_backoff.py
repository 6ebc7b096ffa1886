"""`goodbot crawl` at a real site some of whose pages fail: the failures cost the others nothing."""

import asyncio
import json
import zlib
from pathlib import Path
from typing import Any

import brotli  # type: ignore[import-untyped]

from goodbot.net.decoding import ZSTD
from goodbot.testing import LoopbackSite
from goodbot.testing.steps import CLOSE, always
from tests.support.loopback_shop import ROBOT, crawl

HTML = "Content-Type: text/html; charset=utf-8"
FINE = b"<!DOCTYPE html><title>Fine</title><p>A page."
PAGES = 20
FAULTS = {
    "/p03-broken": "server-error",
    "/p07-dropped": "reset",
    "/p15-compress": "bad-encoding",
    "/p16-half": "bad-encoding",
}
"""The pages that fail, and why; what cannot be decoded is not tried again."""


def encoded(coding: str, body: bytes) -> Any:  # noqa: ANN401  a script
    """Answer with a body in a coding, whatever was asked for."""
    return always(200, body, HTML, f"Content-Encoding: {coding}")


def pages() -> dict[str, Any]:
    """Return a site of pages that are fine, among them one of each fault."""
    zstd: Any = ZSTD
    found: dict[str, Any] = {f"/p{number:02}": FINE for number in range(PAGES)}
    return found | {
        "/p03-broken": always(500, b"Oops", HTML),
        "/p07-dropped": lambda _: iter([CLOSE]),
        "/p11-br": encoded("br", brotli.compress(FINE.replace(b"page", b"brotlipage"))),
        "/p12-zstd": encoded("zstd", zstd.compress(FINE.replace(b"page", b"zstdpage"))),
        "/p15-compress": encoded("compress", zlib.compress(FINE)),
        "/p16-half": encoded("gzip", b"\x1f\x8b\x08"),
        # What an error means is in its status, even if its content cannot be decoded.
        "/p17-no-gzip": always(404, b"Not found", HTML, "Content-Encoding: gzip"),
        "/p18-no-br": always(301, b"Moved", "Location: /p01", "Content-Encoding: br"),
    }


def test_pages_that_fail_cost_the_others_nothing(tmp_path: Path) -> None:
    """No back-off: within seconds each other page is fetched, and only the retries are left."""
    folder = str(tmp_path / "crawl")

    async def main() -> tuple[int, str, LoopbackSite]:
        async with LoopbackSite("not-found", pages=pages()) as site:
            words = (f"{site.origin}/", *ROBOT, "--pause", "0.05", "--patience", "5", "--json")
            status, told, _ = await asyncio.to_thread(crawl, *words, "--out", folder)
            return status, told, site

    status, told, site = asyncio.run(main())
    events = [json.loads(line) for line in told.splitlines()]
    assert status == 0
    assert "back-off" not in {event.get("reason") for event in events}
    settled: dict[str, list[tuple[str, str]]] = {}
    for event in events:
        if event["event"] == "settled":
            path = event["url"].removeprefix(site.origin)
            settled.setdefault(path, []).append((event["state"], event["reason"]))
    fine = {f"/p{number:02}" for number in range(PAGES)} | {"/p11-br", "/p12-zstd"}
    assert all(settled[path] == [("done", "fetched")] for path in fine)
    assert {path: settled[path] for path in FAULTS} == {
        path: [("failed" if reason == "bad-encoding" else "queued", reason)]
        for path, reason in FAULTS.items()
    }
    assert settled["/p17-no-gzip"] == [("done", "no-success")]
    assert settled["/p18-no-br"] == [("redirected", "redirect")]
    assert events[-1]["ended"] == "waiting"
    asked = {visit.field("Accept-Encoding") for visit in site.visits}
    assert asked == {"gzip, deflate, br, zstd"}
