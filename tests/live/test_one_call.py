"""Each call answers what the command prints, of a real server on loopback."""

from __future__ import annotations

import json
import subprocess
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest

import goodbot
from goodbot.blocking import Robot
from goodbot.live import page_report, page_uses, site_policy
from goodbot.pace import Manners
from goodbot.site.live_lint import lint_site
from goodbot.site.sources import compare_sources, read_source
from goodbot.store import MemoryStore, SQLiteStore
from goodbot.testing.steps import always
from tests.support.live_sites import ask, open_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from goodbot.store import Store
    from goodbot.testing import LoopbackSite

RULES = b"User-agent: *\nDisallow: /private\nDisallow: /private/b\nSitemap: ORIGIN/urls.txt\n"
PAGES = {
    "/a": always(200, b"<meta name=robots content=noindex><p>A", "Content-Type: text/html"),
    "/private/a": always(200, b"<p>Private", "Content-Type: text/html"),
    "/moved": always(302, b"", "Location: /a"),
    "/urls.txt": always(200, b"http://127.0.0.1/other\n", "Content-Type: text/plain"),
}
ME = {"info_url": "https://example.com/bot", "contact": "bot@example.com"}
WHO = ("--allow-private", "--info-url", ME["info_url"], "--contact", ME["contact"])
AUTHOR = ("-c", "user.name=a", "-c", "user.email=a@example.com")
QUICK = Manners(default=0.0, factor=0.0)


@pytest.fixture
def site() -> Iterator[LoopbackSite]:
    """Run a site, whose robots.txt lists one sitemap."""
    with open_site(always(200, RULES, "Content-Type: text/plain"), PAGES) as opened:
        yield opened


def open_robot(store: Store | None = None) -> Robot:
    """Return a robot that may visit loopback, without the pause for which no test waits."""
    own = MemoryStore() if store is None else store
    return Robot("ExampleBot/1.0", **ME, allow_private=True, manners=QUICK, store=own)


def printed(*words: str) -> Any:  # noqa: ANN401  JSON
    """Return what the command prints as JSON."""
    return json.loads(ask(*words, *WHO, "--json")[1].splitlines()[0])


@pytest.mark.parametrize("path", ["/a", "/private/a", "/moved"])
def test_a_page_is_answered_as_the_command_does(site: LoopbackSite, path: str) -> None:
    """Who may index it; one that robots.txt disallows is not fetched."""
    now = datetime.now(timezone.utc)
    with open_robot() as robot:
        found = page_report(site.origin + path, robot, ["Googlebot", "Bingbot"], now=now)
    said = printed("page", site.origin + path, "-r", "Googlebot", "-r", "Bingbot")
    assert [one["robot"] for one in said["robots"]] == ["Googlebot", "bingbot"]
    assert [one["indexable"] for one in said["robots"]] == [
        one.indexable for one in found.report.answers
    ]
    assert (found.fetched.response is None) == (path == "/private/a")
    visited = [visit.target for visit in site.visits]
    assert visited.count("/private/a") == 0


def test_uses_are_answered_as_the_command_does(site: LoopbackSite) -> None:
    """What the page may be used for."""
    with open_robot() as robot:
        found = page_uses(f"{site.origin}/a", robot, now=datetime.now(timezone.utc)).uses
    said = printed("page", "uses", f"{site.origin}/a")
    assert {use: one["status"] for use, one in said["uses"].items()} == {
        use: one.status for use, one in found.verdicts.items()
    }


def test_a_policy_is_answered_as_the_command_does(site: LoopbackSite) -> None:
    """What the answer means, what is odd about it, and what was seen before."""
    store = MemoryStore()
    with open_robot(store) as robot:
        found = site_policy(site.origin, robot, "GPTBot", store=store, listed_sitemaps=True)
    said = printed("policy", site.origin, "-r", "GPTBot")
    assert (said["access"], said["reason"]) == (found.policy.access, found.policy.reason)
    assert [one["code"] for one in said["findings"]] == [one.code for one in found.findings]
    assert [one.sha256 for one in found.history] == [said["robots_txt"]["sha256"]]


def test_a_site_is_linted_as_the_command_does(site: LoopbackSite) -> None:
    """With sitemaps, one of which cannot be fetched."""
    sitemaps = [f"{site.origin}/urls.txt", "http://127.0.0.1:1/urls.txt"]
    with open_robot() as robot:
        found = lint_site(site.origin, robot, sitemaps=sitemaps)
    words = ("lint", site.origin, *(f"--sitemap={one}" for one in sitemaps), *WHO)
    _, output, complaints = ask(*words, "--format", "json")
    said = json.loads(output)
    codes = [one["code"] for one in (said[0] if isinstance(said, list) else said)["findings"]]
    assert codes == [one.code for one in found.report.findings]
    assert "redundant-rule" in codes
    [note] = found.notes
    assert note.partition(" Request robots.txt again")[0] in complaints
    assert found.content == RULES


def test_a_site_without_an_answer_is_no_file() -> None:
    """What the site has is not known, so nothing is linted or compared."""
    with open_site(always(503, b"")) as site, open_robot() as robot:
        with pytest.raises(goodbot.GoodbotError, match=r"gave no robots\.txt"):
            lint_site(site.origin, robot)
        with pytest.raises(goodbot.GoodbotError, match=r"gave no robots\.txt"):
            compare_sources(site.origin, site.origin, robot=robot)


def test_versions_are_compared_by_their_names(site: LoopbackSite, tmp_path: Path) -> None:
    """In a file, in git, in a store and at a site."""
    now = datetime(2026, 1, 1, tzinfo=timezone.utc)
    old, store = b"User-agent: *\nDisallow: /\n", tmp_path / "robots.db"
    url = "https://example.com/robots.txt"
    with SQLiteStore(store) as kept:
        for day, (status, body) in enumerate([(200, old), (404, b"")], 1):
            at = now.replace(day=day)
            record = goodbot.Policy.from_response(url, status, {}, body, now=at).as_record()
            kept.put("https://example.com", record, at)
    (tmp_path / "robots.txt").write_bytes(old)
    for words in (("init", "--quiet"), ("add", "robots.txt"), (*AUTHOR, "commit", "-qm", "One")):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)  # noqa: S603, S607  the git of the user
    names: list[str | Path] = [
        "git:HEAD:robots.txt",
        tmp_path / "robots.txt",
        "store:https://example.com@-1",
    ]
    for name in names:
        assert read_source(name, store=store, folder=tmp_path) == old
    assert read_source("store:https://example.com", store=store) is None
    assert read_source("git:HEAD:none.txt", folder=tmp_path) is None
    with open_robot() as robot:
        found = compare_sources(names[0], site.origin, robot=robot, folder=tmp_path)
    assert found.effect == "laxer"
    said = ask("diff", "git:HEAD:robots.txt", site.origin, *WHO, "--json", cwd=str(tmp_path))[1]
    assert json.loads(said)["effect"] == found.effect
    with pytest.raises(goodbot.MisuseError, match="store= names the store"):
        read_source("store:https://example.com")
    with pytest.raises(goodbot.MisuseError, match="pass robot="):
        read_source("https://example.com/")
