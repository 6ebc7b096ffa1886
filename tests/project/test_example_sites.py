"""The example sites: the server serves them, and they behave as their cases state."""

import asyncio
import re
import signal
import sys
from datetime import timedelta

import pytest

from goodbot.crawl.frontier.due import due_again
from goodbot.net import AiohttpFetcher, Response
from tests.support import conformance_cases as data
from tests.support.example_sites import (
    CASES,
    NOW,
    SERVE,
    Met,
    PlainCrawl,
    has_phrase,
    serve,
    unserved,
)

DIALECTS = ["rfc9309", "conner1996"]
"""Dialects that apply Visit-time; without it the lighthouse is always open."""
ROBOT = [("User-Agent", "ExampleBot/1.0"), ("From", "robots@example.com")]


def by_id(case: data.Case) -> str:
    """Name a test by its case."""
    return str(case["id"])


@pytest.fixture(scope="module")
def crawl() -> PlainCrawl:
    """Return the results of a plain crawl."""
    return PlainCrawl()


def url_of(case: data.Case) -> str:
    """Return the URL of a case."""
    return str(unserved().origins[case["site"]] + case["path"])


def met(crawl: PlainCrawl, case: data.Case) -> Met:
    """Return what the crawl met."""
    assert url_of(case) in crawl.met, case["why"]
    return crawl.met[url_of(case)]


FETCHED = [case for case in CASES if case["outcome"] == "fetched"]
LEFT = [case for case in CASES if case["outcome"] == "not-fetched"]
PAGES = [case for case in FETCHED if case.get("status", 200) == 200]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_crawl_comes_to_what_is_listed_and_to_nothing_else(dialect: str) -> None:
    """Every URL has a case in both dialects, and every case is reached."""
    crawl = PlainCrawl(dialect)
    listed = {url_of(case): case for case in CASES}
    nofollow = {url for url, case in listed.items() if case.get("reason") == "nofollow"}
    assert set(crawl.met) == set(listed) - nofollow
    assert crawl.unfollowed - set(crawl.met) == nofollow
    assert {url for url, one in crawl.met.items() if one.answer is not None} == {
        url for url, case in listed.items() if case["outcome"] == "fetched"
    }


@pytest.mark.parametrize("case", LEFT, ids=by_id)
def test_what_is_not_fetched_has_its_reason(crawl: PlainCrawl, case: data.Case) -> None:
    """The case states the reason of the verdict, and the line of robots.txt."""
    if case["reason"] == "nofollow":
        assert url_of(case) in crawl.unfollowed, case["why"]
        return
    found = met(crawl, case)
    assert (found.reason, found.line) == (case["reason"], case.get("line", 0)), case["why"]


@pytest.mark.parametrize("case", FETCHED, ids=by_id)
def test_what_is_fetched_has_its_status(crawl: PlainCrawl, case: data.Case) -> None:
    """The case states the last two statuses, how the URL was found and when it is due."""
    found = met(crawl, case)
    expected = [case["first_status"]] if "first_status" in case else []
    assert found.statuses == [*expected, case.get("status", 200)], case["why"]
    assert found.how == case.get("how", found.how)
    if "due" in case:
        told = due_again(found.statuses[-1], found.answer.fields, now=NOW, page=found.page)
        waited = (told.at - NOW).total_seconds()
        if told.reason == "server-error":
            # How soon a URL is retried is the crawl's choice: see `test_crawl_examples`.
            waited = case["due"][1]
        assert [told.reason, waited] == case["due"]


@pytest.mark.parametrize("case", PAGES, ids=by_id)
def test_what_may_be_done_with_a_page(crawl: PlainCrawl, case: data.Case) -> None:
    """The case states whether it is indexed, what is kept of it, and which links are followed."""
    page = met(crawl, case).page
    assert page is not None
    instead = page.index_instead or page.canonical
    assert instead == case.get("instead")
    assert (bool(page.index_at(NOW)) and instead is None) is case["indexed"], case["why"]
    copy = page.archive_copy()
    until = page.limits.unavailable_after
    is_over = until is not None and until <= NOW  # an expired page has no copy to show
    is_dropped = page.index_instead is not None  # for the page that is indexed in its place
    is_kept = copy.html is not None and not is_over and not is_dropped
    kept = "nothing" if not is_kept else "conversion" if copy.cuts else "response"
    assert (kept, len(copy.cuts)) == (case["kept"], case.get("cuts", 0)), case["why"]
    left = {link.url for link in page.links if not link.follow}
    assert left == set(case.get("not_followed", []))
    assert {finding.code for finding in page.findings} == set(case.get("findings", []))


@pytest.mark.parametrize("case", FETCHED, ids=by_id)
def test_by_what_a_page_is_found(crawl: PlainCrawl, case: data.Case) -> None:
    """Pages are found by phrases of the title, the text and the texts of links to them."""
    page = met(crawl, case).page
    is_indexed = page is not None and case["indexed"]
    fields = {
        "title": page.title if page is not None and is_indexed else "",
        "text": page.text() if page is not None and is_indexed else "",
        "anchors": "\n".join(crawl.anchors.get(url_of(case), ())) if is_indexed else "",
    }
    for name, phrase in case.get("found", []):
        assert has_phrase(fields[name], phrase), (case["why"], phrase)
    for name, phrase in case.get("not_found", []):
        assert not has_phrase(fields[name], phrase), (case["why"], phrase)
    # The words must occur somewhere: a misspelt phrase would be absent for the wrong reason.
    source = "" if page is None else str(met(crawl, case).answer.body)
    for name, phrase in case.get("not_found", []):
        if name == "text" and page is not None:
            assert all(word in source for word in phrase.split())


@pytest.mark.parametrize("case", PAGES, ids=by_id)
def test_what_a_page_says_of_others(crawl: PlainCrawl, case: data.Case) -> None:
    """The text of a link describes its target only if both pages allow it."""
    page = met(crawl, case).page
    assert page is not None
    said = {(one.url, one.text) for one in page.links if page.index and one.follow and one.anchor}
    written = {(one.url, one.text) for one in page.links}
    says = {tuple(pair) for pair in case.get("says", [])}
    says_not = {tuple(pair) for pair in case.get("says_not", [])}
    assert says <= said
    assert not says_not & said
    assert says_not <= written


def test_the_cases_show_every_kind() -> None:
    """Each reason, each way to be found and each way to be kept has a case."""
    assert {case["kept"] for case in FETCHED} == {"response", "conversion", "nothing"}
    hows = {"start", "redirect", "canonical", "index-instead", "sitemap"}
    assert {case["how"] for case in CASES if "how" in case} == hows
    reasons = {"rule-disallows", "service-unavailable", "visit-time", "nofollow"}
    assert {case["reason"] for case in LEFT} == reasons
    assert len({case["id"] for case in CASES}) == len(CASES) > 80


def test_the_sites_name_nobody() -> None:
    """Every host in them is an example, and every placeholder is replaced."""
    sites = unserved()
    for site in sites.sites.values():
        for name, content in site.files.items():
            text = sites.fill(content.decode())
            assert "{{" not in text, name
            hosts = set(re.findall(r"https?://([^/\s\"<]+)", text))
            known = {"example.org", "www.w3.org", "www.sitemaps.org"}
            assert all(host in known or host.endswith(".example") for host in hosts), name


def test_times_are_relative_to_now() -> None:
    """The observatory is open now, the lighthouse later."""
    sites = unserved()
    assert sites.fill("{{utc-1h}} {{utc+12h}}") == "1130 0030"
    assert "Visit-time: 1130 1830" in sites.answer("observatory", "/robots.txt").body.decode()
    later = serve.Sites(now=lambda: NOW + timedelta(hours=1))
    assert later.fill("{{utc+6h}}") == "1930"


def test_answers_come_in_their_order() -> None:
    """Each answer is given once, and the last one is repeated."""
    sites = unserved()
    statuses = [sites.answer("workshop", "/busy.html").status for _ in range(3)]
    assert statuses == [429, 200, 200]
    assert sites.visits == [("workshop", "/busy.html")] * 3


@pytest.mark.parametrize(
    "target", ["/site.json", "/../workshop/index.html", "/%2e%2e/serve.py", "/nothing", "/round/"]
)
def test_what_is_not_there_is_not_found(target: str) -> None:
    """Only the files of the site are served."""
    assert unserved().answer("harbour", target).status == 404


async def fetched(*paths: str) -> list[Response]:
    """Fetch pages of the workshop from the real server."""
    async with serve.Sites() as sites:
        origin = sites.origins["workshop"]
        assert len({*sites.origins.values()}) == len(sites.sites)
        async with AiohttpFetcher(allow_networks=["127.0.0.0/8"]) as fetcher:
            return [await fetcher.fetch(origin + path, headers=ROBOT) for path in paths]


def test_the_server_answers_as_the_sites_say() -> None:
    """Status, fields and content are sent as stated, with many requests on one connection."""
    paths = ("/", "/packed.html", "/busy.html", "/busy.html", "/round/one.html", "/recipe.html")
    answers = asyncio.run(fetched(*paths, "/sitemaps/pages.xml.gz", "/broken.html"))
    assert [one.status for one in answers] == [200, 200, 429, 200, 302, 200, 200, 500]
    assert b"nothing rattles" in answers[1].body
    assert answers[2].field("Retry-After") == "2"
    assert answers[4].field("Location") == "/round/two.html"
    assert answers[5].field("X-Robots-Tag") == "noarchive"
    assert answers[6].body.startswith(b"\x1f\x8b")


async def spoken(*requests: bytes) -> list[bytes]:
    """Send bytes to the server, each time on a connection of its own."""
    answers = []
    async with serve.Sites() as sites:
        port = int(sites.origins["harbour"].rpartition(":")[2])
        for request in requests:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request)
            if writer.can_write_eof():
                writer.write_eof()
            answers.append(await reader.read())
            writer.close()
            await writer.wait_closed()
    return answers


def test_the_server_bears_what_is_no_request() -> None:
    """HEAD has no content, other methods and other bytes are refused, silence does no harm."""
    head, post, junk, nothing = asyncio.run(
        spoken(b"HEAD / HTTP/1.1\r\n\r\n", b"POST / HTTP/1.1\r\n\r\n", b"\xff\r\n\r\n", b"")
    )
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert head.endswith(b"\r\n\r\n")
    assert post.startswith(b"HTTP/1.1 400 ")
    assert junk.startswith(b"HTTP/1.1 400 ")
    assert nothing == b""


def test_the_server_closes_with_connections_open() -> None:
    """Clients that are still connected are disconnected, even in the middle of a slow response."""

    async def main() -> bytes:
        async with serve.Sites() as sites:
            port = int(sites.origins["workshop"].rpartition(":")[2])
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /slow.html HTTP/1.1\r\n\r\n")
            await writer.drain()
            while not sites.visits:  # noqa: ASYNC110  the sites send no signal
                await asyncio.sleep(0)
        rest: bytes = await reader.read()
        writer.close()
        return rest

    assert asyncio.run(main()) == b""


def test_the_script_prints_where_the_sites_are_and_ends() -> None:
    """It prints one line for each site, with its start; Ctrl-C ends it silently."""

    async def main() -> tuple[list[str], int, bytes]:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(SERVE),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        count = len(unserved().sites)
        lines = [(await process.stdout.readline()).decode() for _ in range(count)]
        process.send_signal(signal.SIGINT)
        return lines, await process.wait(), await process.stderr.read()

    lines, status, errors = asyncio.run(main())
    assert all(re.match(r"http://127\.0\.0\.1:\d+/\S* +\w", line) for line in lines), lines
    assert (status, errors) == (0, b"")
