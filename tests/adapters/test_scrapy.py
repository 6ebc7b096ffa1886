"""Scrapy: real crawls of a site on loopback, each in a process of its own."""

import asyncio
import json
import multiprocessing
import pickle
import tempfile
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.utils.test import get_crawler

import goodbot
from goodbot.adapters import scrapy as adapter
from goodbot.adapters.scrapy import GoodbotRobotParser, GoodbotRobotsMiddleware, LazyPage
from goodbot.adapters.slots import Slots
from goodbot.testing.steps import CLOSE, Pause, always, http
from tests.support.adapter_sites import answers, says, serving
from tests.support.crawls.scrapy_crawl import crawl_into
from tests.support.waiting import HANGS

RULES = b"User-agent: *\nDisallow: /private/\n"


PROCESSES = multiprocessing.get_context("forkserver")
"""One process imports Scrapy, which takes 1 second, and forks another for each crawl."""
PROCESSES.set_forkserver_preload(["tests.support.crawls.scrapy_crawl"])


def crawl(way: str, *urls: str, fields: Any = None, **settings: Any) -> dict[str, Any]:  # noqa: ANN401
    """Crawl from some URLs; return the results and the log."""
    given = {"with": way, "urls": urls, "settings": settings, "fields": fields or {}}
    with tempfile.TemporaryDirectory() as folder:
        path, log = Path(folder) / "found", Path(folder) / "log"
        process = PROCESSES.Process(target=crawl_into, args=(str(path), str(log), given))
        process.start()
        process.join(HANGS)
        told = log.read_text(encoding="utf-8")
        assert process.exitcode == 0, told
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found | {"log": told}


def paths(found: dict[str, Any]) -> set[str]:
    """Return the paths that were fetched."""
    return {"/" + url.split("/", 3)[3] for url in found["fetched"]}


def test_a_crawl_keeps_rules_and_page_rules_and_reports() -> None:
    """Rules of robots.txt, META and X-Robots-Tag apply; skipped requests are counted and logged."""
    with serving(says(200, RULES)) as site:
        found = crawl("ours", f"{site.origin}/")
        targets = {visit.target for visit in site.visits}
    assert "/public" in targets
    assert not targets & {"/private/secret", "/behind-meta", "/behind-header"}
    assert len(site.visits_to("/robots.txt")) == 1
    assert site.visits[0].target == "/robots.txt"
    assert site.visits[0].field("User-Agent") == "ExampleBot/1.0"
    refused = [path for path, reason in found["refused"] if reason == "rule-disallows"]
    assert refused == [f"{site.origin}/private/secret"]
    assert found["stats"]["goodbot/skipped"] == 3
    assert found["stats"]["goodbot/skipped/nofollow"] == 2
    assert found["stats"]["robotstxt/forbidden"] == 1
    assert "3 skipped: nofollow 2, rule-disallows 1" in found["log"]
    assert f"{site.origin}/private/secret: Disallowed: " in found["log"]
    assert found["pages"][f"{site.origin}/meta-nofollow"] == [True, False]
    assert "Traceback" not in found["log"]


def test_page_rules_are_an_option() -> None:
    """Without `GOODBOT_PAGES` links are followed, and no page is set."""
    with serving(says(200, RULES)) as site:
        found = crawl("ours", f"{site.origin}/meta-nofollow", GOODBOT_PAGES=False)
    assert "/behind-meta" in paths(found)
    assert found["pages"] == {}


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("unavailable", "service-unavailable"),
        ("broken", "server-error"),
        ("too-many-requests", "too-many-requests"),
        ("dropped", "failure-reset"),
        ("utf-16", "unreadable"),
    ],
)
def test_a_failure_is_no_permission(behaviour: str, reason: str) -> None:
    """What the policy disallows stays disallowed; Scrapy's own middleware ignores the status."""
    with serving(behaviour) as site:
        found = crawl("ours", f"{site.origin}/public", f"{site.origin}/meta-nofollow")
        assert {visit.target for visit in site.visits} == {"/robots.txt"}
        assert len(site.visits) == 1
    assert [why for _, why in found["refused"]] == [reason, reason]
    assert found["stats"][f"goodbot/skipped/{reason}"] == 2
    assert found["fetched"] == []


def test_a_robots_txt_that_is_cut_is_a_failure() -> None:
    """The setting that accepts cut pages does not make a cut robots.txt whole."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 500\r\n\r\n"
    cut = head + b"User-agent: *\nDisallow: /z\n"
    with serving(answers(lambda _: iter([cut, CLOSE]))) as site:
        url = f"{site.origin}/private/x"
        found = crawl("ours", url, DOWNLOAD_FAIL_ON_DATALOSS=False)
        assert not site.visits_to("/private/x")
    assert found["refused"] == [[url, "failure-reset"]]


def test_nobody_listening_is_a_failure() -> None:
    """A refused connection is not permission."""
    found = crawl("ours", "http://127.0.0.1:1/")
    assert found["refused"] == [["http://127.0.0.1:1/", "failure-refused"]]


def test_redirects_are_followed_and_each_hop_is_asked_about() -> None:
    """robots.txt may redirect; a page that redirects to a disallowed URL is not fetched."""
    moved = lambda _: iter([http(302, b"", "Location: /private/secret")])  # noqa: E731
    with serving("moved-elsewhere", pages={"/to": moved}) as site:
        found = crawl("ours", f"{site.origin}/to", GOODBOT_PACE=False)
        assert not site.visits_to("/private/secret")
    assert [why for _, why in found["refused"]] == ["rule-disallows"]


def test_a_ring_of_redirects_is_what_the_policy_says() -> None:
    """After too many redirects robots.txt counts as missing (RFC 9309 section 2.3.1.2)."""
    with serving("redirect-loop") as site:
        found = crawl("ours", f"{site.origin}/public")
    assert paths(found) == {"/public"}


def test_the_pace_of_the_site_is_kept() -> None:
    """Crawl-delay and Request-rate set the slot's delay, without jitter."""
    body = b"User-agent: *\nCrawl-delay: 0.3\nDisallow:\n"
    pages = {f"/{n}": always(200, b"x", "Content-Type: text/plain") for n in range(3)}
    with serving(says(200, body), pages=pages) as site:
        found = crawl("ours", *(f"{site.origin}/{n}" for n in range(3)))
        starts = [visit.at for visit in site.visits if visit.target != "/robots.txt"]
    assert found["slots"] == {"127.0.0.1": [0.3, 0.0, 1]}
    assert all(after - before >= 0.28 for before, after in pairwise(starts))


def test_the_callers_delay_is_never_undercut() -> None:
    """DOWNLOAD_DELAY applies if the site asks for less; AutoThrottle shortens neither."""
    body = b"User-agent: *\nRequest-rate: 10/1\nDisallow:\n"
    with serving(says(200, body)) as site:
        found = crawl("ours", f"{site.origin}/public", DOWNLOAD_DELAY=0.2)
        assert found["slots"]["127.0.0.1"][0] == 0.2
        found = crawl(
            "ours",
            f"{site.origin}/public",
            DOWNLOAD_DELAY=0.01,
            AUTOTHROTTLE_ENABLED=True,
            AUTOTHROTTLE_START_DELAY=0.01,
        )
        assert found["slots"]["127.0.0.1"][0] >= 0.1


def test_patience_has_an_end() -> None:
    """A site that asks for a longer delay than GOODBOT_PATIENCE is skipped, with the reason."""
    with serving(says(200, b"User-agent: *\nCrawl-delay: 86400\nDisallow:\n")) as site:
        found = crawl("ours", f"{site.origin}/public", GOODBOT_PATIENCE=60)
        assert [visit.target for visit in site.visits] == ["/robots.txt"]
    assert found["refused"] == [[f"{site.origin}/public", "beyond-patience"]]
    assert "asks for 86400 seconds between visits" in found["log"]


def test_the_robot_is_the_one_that_the_settings_or_the_request_name() -> None:
    """ROBOTSTXT_USER_AGENT, else the request's User-Agent, else the setting."""
    body = b"User-agent: OtherBot\nDisallow: /\n"
    with serving(says(200, body)) as site:
        url = f"{site.origin}/public"
        assert crawl("ours", url)["refused"] == []
        assert crawl("ours", url, ROBOTSTXT_USER_AGENT="OtherBot")["refused"]
        assert crawl("ours", url, fields={"User-Agent": "OtherBot/2"})["refused"]


def test_the_parser_serves_the_original_middleware() -> None:
    """Scrapy's own middleware uses it as `ROBOTSTXT_PARSER`."""
    body = b"User-agent: *\nDisallow: /*secret$\n"
    with serving(says(200, body)) as site:
        found = crawl("parser", f"{site.origin}/private/secret", f"{site.origin}/public")
        assert not site.visits_to("/private/secret")
    assert paths(found) == {"/public"}
    assert found["stats"]["robotstxt/forbidden"] == 1
    assert found["log"].count("ROBOTSTXT_PARSER alone does not obey") == 1
    assert "GoodbotRobotsMiddleware instead" in found["log"]


@pytest.mark.parametrize("status", [200, 500])
def test_a_burst_of_requests_is_checked(status: int) -> None:
    """Each that waits for robots.txt; Scrapy's own middleware checks the first two."""
    slow = answers(lambda _: iter([Pause(0.3), http(status, RULES)]))
    with serving(slow) as site:
        urls = [f"{site.origin}/private/{number}" for number in range(12)]
        found = crawl("ours", *urls, CONCURRENT_REQUESTS_PER_DOMAIN=12, DOWNLOAD_DELAY=0)
        assert {visit.target for visit in site.visits} == {"/robots.txt"}
    assert {url for url, _ in found["refused"]} == set(urls)
    assert "does not obey" not in found["log"]


def test_what_does_not_address_a_site_is_none_of_ours() -> None:
    """`data:` URLs and `dont_obey_robotstxt` requests are not checked."""
    found = crawl("ours", "data:text/plain,hello")
    assert found["fetched"] == ["data:text/plain,hello"]
    assert found["refused"] == []


# Without a crawl.


def test_the_page_of_one_response_is_not_that_of_the_next() -> None:
    """A request with the meta of an earlier response does not keep its page."""
    middleware = GoodbotRobotsMiddleware(get_crawler(settings_dict={"ROBOTSTXT_OBEY": True}))
    meta = {"goodbot": "of another", "dont_obey_robotstxt": True}
    request = Request("http://a.example/", meta=meta)
    asyncio.run(middleware.process_request(request))
    assert request.meta == {"dont_obey_robotstxt": True}


def test_the_middleware_is_off_where_the_setting_is() -> None:
    """It is off without ROBOTSTXT_OBEY, as in Scrapy; an unknown dialect raises at once."""
    from scrapy.exceptions import NotConfigured  # noqa: PLC0415

    with pytest.raises(NotConfigured):
        GoodbotRobotsMiddleware(get_crawler(settings_dict={"ROBOTSTXT_OBEY": False}))
    crawler = get_crawler(settings_dict={"ROBOTSTXT_OBEY": True, "GOODBOT_DIALECT": "no-such"})
    with pytest.raises(goodbot.UnknownDialectError):
        GoodbotRobotsMiddleware(crawler)


def test_the_parser_takes_octets_and_a_dialect() -> None:
    """Scrapy can create it with a crawler and without."""
    body = b"User-agent: *\nAllow: /a\nDisallow: /\n"
    assert GoodbotRobotParser.from_crawler(None, body).allowed(b"https://a.example/a", b"Any")
    crawler = get_crawler(settings_dict={"GOODBOT_DIALECT": "lwp"})
    assert not GoodbotRobotParser.from_crawler(crawler, body).allowed("https://a.example/a", "Any")
    assert GoodbotRobotParser(b"\xff\xfe\x00").allowed("/a", "Any")


def test_the_slowest_origin_of_a_slot_sets_its_delay() -> None:
    """The delay may grow and shrink again, but never below the crawler's own."""
    slot = SimpleNamespace(delay=1.0, jitter=0.5, concurrency=8)
    downloader = SimpleNamespace(
        slots={"a": slot}, per_slot_settings={}, get_slot_key=lambda request: request
    )
    slots = Slots(SimpleNamespace(engine=SimpleNamespace(downloader=downloader)))
    assert not slots.ask("a", "http://a", 0.0)
    assert slot.jitter == 0.5
    delays = []
    for origin, seconds in (
        ("http://a", 5.0),
        ("https://a", 3.0),
        ("http://a", 0.0),
        ("https://a", 0.0),
    ):
        slots.ask("a", origin, seconds)
        delays.append(slot.delay)
    assert delays == [5.0, 5.0, 3.0, 1.0]
    assert downloader.per_slot_settings["a"]["delay"] == 1.0


def test_a_page_can_be_kept_in_a_queue_on_disk() -> None:
    """It is pickled as the response's parts."""
    page = LazyPage("https://a.example/", b"<meta name=robots content=noindex>", (), "ExampleBot")
    again = pickle.loads(pickle.dumps(page))  # noqa: S301 - our own bytes
    assert not again.index
    assert bool(again.follow)
    with pytest.raises(AttributeError):
        _ = again.no_such


def test_a_link_with_two_faces_is_followed() -> None:
    """One of two links to a URL is enough to follow it; fragments are ignored."""
    body = b"<a rel=nofollow href=/a#b>x</a><a href=/a>y</a><a rel=nofollow href=/c>z</a>"
    page = LazyPage("https://a.example/", body, (), "ExampleBot")
    assert list(adapter.not_to_follow(page)) == ["https://a.example/c"]
