"""A crawl that signs: every request, and the evidence names the key."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

from goodbot.crawl import Crawl
from goodbot.crawl.evidence.history import history_of
from goodbot.crawl.folder.database import Database
from goodbot.robot.signing_identity import SigningIdentity
from goodbot.signatures import KeySet, KeySets, SignedRequest, judge_signatures
from goodbot.testing import FakeClock, FakeSite

if TYPE_CHECKING:
    from pathlib import Path

URL = "https://bot.example/keys.json"


def test_a_crawl_signs_and_says_by_which_key(tmp_path: Path) -> None:
    """No private key is in its folder."""
    clock = FakeClock()
    mine = SigningIdentity.new(URL, clock.now())
    mine.write(tmp_path / "me")
    site = FakeSite({"/robots.txt": "", "/": "<a href=/b>b</a>", "/b": "B"}, clock=clock)
    folder = tmp_path / "crawl"
    crawl = Crawl(
        folder,
        "ExampleBot/1.0",
        info_url="https://bot.example/",
        contact="a@bot.example",
        start=["https://a.example/"],
        fetcher=site,
        clock=clock,
        identity=tmp_path / "me",
    )
    asyncio.run(crawl.run())
    keys = KeySets([KeySet.of(mine.published(), URL)])
    assert len(site.visits) >= 3
    for visit in site.visits:
        request = SignedRequest.to_url(visit.url, lines=visit.headers)
        found = judge_signatures(request, clock.now(), keys.find, clocks=timedelta(days=1))
        assert [one.reason for one in found] == ["signature-valid"]
    with Database(folder) as database:
        told = getattr(history_of(database, "https://a.example/b"), "signed_by", "")
    assert told == f"{mine.signer.key.thumbprint} ({URL})"
    secret = mine.signer.key.to_pem().splitlines()[1]
    for path in folder.rglob("*"):
        assert not path.is_file() or secret not in path.read_bytes()
