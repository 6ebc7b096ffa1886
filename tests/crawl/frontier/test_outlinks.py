"""Where pages lead: redirects, nofollow, noindex, canonical, INDEXINSTEAD, sitemaps."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from goodbot.crawl import Bounds, Database
from goodbot.crawl.evidence.evidence import Evidence
from goodbot.pace import Manners
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.crawls.memory_crawls import (
    OTHER,
    SITE,
    crawl,
    html,
    kept,
    moved,
    pages_at,
    paths,
    rows,
    searched,
    site_of,
)
from tests.support.robot_sites import gaps

CANONICAL = "<link rel=canonical href='{}'>"
ANYWHERE = Bounds(any_origin=True)


def canonical(url: str) -> str:
    """Return a page with a canonical link."""
    return html("lamp", head=CANONICAL.format(url))


# Redirects.


def test_each_hop_of_a_redirect_waits_for_its_turn(tmp_path: Path) -> None:
    """Each hop is queued by itself, and keeps the rules and the pace of its own origin."""
    site = FakeSite(
        {
            "/robots.txt": "User-agent: *\nCrawl-delay: 50",
            f"{SITE}/": moved("/a"),
            f"{SITE}/a": moved(f"{OTHER}/b"),
            f"{OTHER}/b": moved(f"{SITE}/c"),
            f"{SITE}/c": html("lamp"),
        },
        clock=FakeClock(),
    )
    crawl(tmp_path, site, bounds=ANYWHERE)
    assert pages_at(site.visits) == ["/", "/a", f"{OTHER}/b", "/c"]
    own = [visit for visit in site.visits if visit.url.startswith(SITE)]
    assert min(gaps(own)) >= 50 - 1e-5
    assert searched(tmp_path, "lamp") == ["/c"]
    assert paths(tmp_path, "redirected") == ["/", "/a", f"{OTHER}/b"]


def test_a_redirect_to_what_is_forbidden_or_outside(tmp_path: Path) -> None:
    """It is not followed, and the state of the target says why."""
    site = site_of(
        "User-agent: *\nDisallow: /till",
        home=html("x", "/a", "/b"),
        a=moved("/till"),
        b=moved(f"{OTHER}/"),
    )
    crawl(tmp_path, site)
    assert pages_at(site.visits) == ["/", "/a", "/b"]
    found = rows(tmp_path)
    assert found[f"{SITE}/till"].state == "disallowed"
    assert found[f"{OTHER}/"].reason == "other-origin"


@pytest.mark.parametrize("count", [9, 10, 11, 14])
def test_redirects_end(count: int, tmp_path: Path) -> None:
    """Ten in a row are followed; the answer after the tenth is the last."""
    steps: dict[str, Any] = {f"/{step}": moved(f"/{step + 1}") for step in range(count)}
    site = FakeSite({**steps, f"/{count}": html("lamp")}, clock=FakeClock())
    crawl(tmp_path, site, f"{SITE}/0")
    assert len(pages_at(site.visits)) == min(count, 10) + 1
    assert searched(tmp_path, "lamp") == ([f"/{count}"] if count <= 10 else [])
    reasons = {row.reason for row in rows(tmp_path).values()}
    assert ("redirects-too-many" in reasons) == (count > 10)


def test_loops_of_redirects_end(tmp_path: Path) -> None:
    """Nothing is fetched twice, even if a page redirects to itself."""
    site = site_of(home=html("x", "/a", "/self"), a=moved("/b"), b=moved("/a"), self=moved("/self"))
    crawl(tmp_path, site)
    assert sorted(pages_at(site.visits)) == ["/", "/a", "/b", "/self"]
    assert rows(tmp_path)[f"{SITE}/self"].reason == "redirect-loop"


def test_what_was_a_page_and_leads_elsewhere_leaves_the_index(tmp_path: Path) -> None:
    """It leaves the index at its next visit, and its target is visited."""
    site = site_of(home=html("x", "/a"), a=html("lamp"), b=html("lamp"))
    crawl(tmp_path, site)
    site.routes["/a"] = moved("/b")
    site.clock.advance(8 * 86_400)
    crawl(tmp_path, site, again=True)
    assert searched(tmp_path, "lamp", site.clock.now()) == ["/b"]
    assert kept(tmp_path, f"{SITE}/a") is None


# What may be followed.


@pytest.mark.parametrize(
    ("page", "source"),
    [
        (html("x", "/a", head="<meta name=robots content=nofollow>"), "line 1"),
        (Answer(headers=[("X-Robots-Tag", "nofollow")], body=html("", "/a").encode()), "X-Robots"),
        (html("x") + "<a rel=nofollow href=/a>a</a>", "nofollow, line 1"),
    ],
)
def test_links_that_may_not_be_followed(page: Any, source: str, tmp_path: Path) -> None:  # noqa: ANN401  as FakeSite has it
    """Their targets are skipped, with the statement that forbids following them."""
    site = site_of(home=page, a="A")
    crawl(tmp_path, site)
    row = rows(tmp_path)[f"{SITE}/a"]
    assert (row.state, row.reason) == ("skipped", "nofollow")
    assert source in row.source
    assert pages_at(site.visits) == ["/"]


@pytest.mark.parametrize("is_first", [True, False])
def test_what_another_page_links_to_openly_is_visited(is_first: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """One followable link suffices, in whatever order the pages are visited."""
    quiet = html("x", "/b") + "<a rel=nofollow href=/a>a</a>"
    openly = html("x", "/a", "/c")
    site = site_of(
        home=quiet if is_first else html("x", "/b", "/a"),
        b=openly if is_first else quiet,
        a=html("lamp"),
        c="C",
    )
    crawl(tmp_path, site)
    assert searched(tmp_path, "lamp") == ["/a"]
    assert paths(tmp_path, "skipped") == []


def test_a_nearer_way_brings_in_what_was_too_deep(tmp_path: Path) -> None:
    """A URL skipped as too deep is visited when a less deep page links to it."""
    site = site_of(
        home=html("x", "/a", "/late"),
        a=html("x", "/b"),
        b=html("x", "/far"),
        late=moved("/hub"),
        hub=html("x", "/far"),
        far=html("lamp"),
    )
    crawl(tmp_path, site, bounds=Bounds(depth=2))
    assert searched(tmp_path, "lamp") == ["/far"]


def test_links_of_what_is_not_there_lead_nowhere(tmp_path: Path) -> None:
    """Links in error pages are neither followed nor listed as skipped."""
    lost = Answer(status=404, body=html("x", "/a").encode())
    site = site_of(home=html("x", "/lost"), lost=lost, a="A")
    crawl(tmp_path, site)
    assert pages_at(site.visits) == ["/", "/lost"]
    assert f"{SITE}/a" not in rows(tmp_path)


def test_words_of_links_describe_their_targets(tmp_path: Path) -> None:
    """Texts of links count, also for links with a fragment, but not for nofollow links."""
    site = site_of(
        home=html("x")
        + "<a href='/a#part'>brass</a> <a href='/b'>copper</a> <a rel=nofollow href=/b>gold</a>",
        a=html("lamp"),
        b=html("bell"),
    )
    crawl(tmp_path, site)
    assert searched(tmp_path, "brass") == ["/", "/a"]
    assert searched(tmp_path, "copper") == ["/", "/b"]
    assert "/b" not in searched(tmp_path, "gold")


# What may be indexed and kept.


def test_noindex_and_noarchive(tmp_path: Path) -> None:
    """NOINDEX excludes a page from the index only, NOARCHIVE from the archive only."""
    head = "<meta name=robots content='{}'>"
    site = site_of(
        home=html("lamp", "/noindex", "/noarchive"),
        noindex=html("lamp", "/deep", head=head.format("noindex")),
        noarchive=html("lamp", head=head.format("noarchive")),
        deep=Answer(body=html("lamp").encode(), headers=[("X-Robots-Tag", "none")]),
    )
    crawl(tmp_path, site)
    assert searched(tmp_path, "lamp") == ["/", "/noarchive"]
    assert kept(tmp_path, f"{SITE}/noarchive") is None
    assert kept(tmp_path, f"{SITE}/") is not None
    assert len(paths(tmp_path, "done")) == 4


# Which page to index.


@pytest.mark.parametrize(
    "page", [canonical("/b"), html("lamp", head="<LINK NAME=INDEXINSTEAD CONTENT=/b>")]
)
@pytest.mark.parametrize("is_first", [True, False])
def test_the_preferred_page_is_indexed_instead(page: str, is_first: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """It is indexed in whatever order they are visited, and even if no link leads to it."""
    site = site_of(home=html("x", *(["/a"] if is_first else ["/b", "/a"])), a=page, b=html("lamp"))
    crawl(tmp_path, site)
    assert searched(tmp_path, "lamp") == ["/b"]
    assert len(pages_at(site.visits)) == 3


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_pages_that_prefer_each_other_are_not_all_lost(count: int, tmp_path: Path) -> None:
    """One page of a ring is indexed for all of them."""
    ring = {f"/{number}": canonical(f"/{(number + 1) % count}") for number in range(count)}
    site = FakeSite({"/": html("x", *ring), **ring}, clock=FakeClock())
    crawl(tmp_path, site)
    assert len(searched(tmp_path, "lamp")) == 1
    site.clock.advance(8 * 86_400)
    crawl(tmp_path, site, again=True)
    assert len(searched(tmp_path, "lamp", site.clock.now())) == 1


@pytest.mark.parametrize(
    "other",
    [
        404,
        Answer(failure="dns"),
        moved("/a"),
        html("lamp", head="<meta name=robots content=noindex>"),
        None,
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_page_stands_for_itself_where_no_other_can(
    other: Any,  # noqa: ANN401  as FakeSite has it
    is_first: bool,  # noqa: FBT001
    tmp_path: Path,
) -> None:
    """A page is indexed if its preferred page is missing, noindex, disallowed or redirects back."""
    site = site_of(
        "User-agent: *\nDisallow: /b" if other is None else 404,
        home=html("x", *(["/a"] if is_first else ["/b", "/a"])),
        a=canonical("/b"),
        b=other or "",
    )
    crawl(tmp_path, site, manners=Manners(default=0, back_off_first=0))
    assert searched(tmp_path, "lamp") == ["/a"]


@pytest.mark.parametrize("is_first", [True, False])
def test_a_chain_of_preferences(is_first: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """The last page of the chain is indexed, also after a redirect."""
    links = ["/a", "/b", "/c", "/d"]
    site = site_of(
        home=html("x", *(links if is_first else reversed(links))),
        a=canonical("/b"),
        b=canonical("/c"),
        c=moved("/d"),
        d=html("lamp"),
    )
    crawl(tmp_path, site)
    assert searched(tmp_path, "lamp") == ["/d"]


@pytest.mark.parametrize(
    "url", ["/a", "/a#top", f"{OTHER}/a", "https://a.example:443/x/../a", "mailto:a@b.example"]
)
def test_who_prefers_itself_or_what_is_outside_is_indexed(url: str, tmp_path: Path) -> None:
    """A canonical link to the page itself, to a part of it, or out of the crawl changes nothing."""
    site = site_of(home=html("x", "/a"), a=canonical(url))
    crawl(tmp_path, site)
    assert searched(tmp_path, "lamp") == ["/a"]


# Sitemaps.


def urlset(*urls: str) -> bytes:
    """Return a sitemap."""
    entries = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    return f"<urlset>{entries}</urlset>".encode()


def index(*urls: str) -> bytes:
    """Return a sitemap index."""
    entries = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return f"<sitemapindex>{entries}</sitemapindex>".encode()


def test_sitemaps_are_read(tmp_path: Path) -> None:
    """Sitemaps named in robots.txt, indexes and gzip are read; the rules apply to their URLs."""
    named = f"User-agent: *\nDisallow: /no\nSitemap: {SITE}/index.xml\nSitemap: {SITE}/list.txt"
    site = FakeSite(
        {
            "/robots.txt": named,
            "/": "home",
            "/index.xml": index(f"{SITE}/maps/one.xml", f"{SITE}/two.xml.gz"),
            "/maps/one.xml": urlset(f"{SITE}/a", f"{SITE}/no", f"{OTHER}/x"),
            "/two.xml.gz": gzip.compress(urlset(f"{SITE}/b")),
            "/list.txt": f"{SITE}/c\n".encode(),
            **{f"/{name}": html("lamp") for name in "abc"},
        },
        clock=FakeClock(),
    )
    crawl(tmp_path, site)
    assert searched(tmp_path, "lamp") == ["/a", "/b", "/c"]
    assert paths(tmp_path, "disallowed") == ["/no"]
    assert len(site.visits) == len({visit.url for visit in site.visits}) == 9


@pytest.mark.parametrize("trouble", [503, Answer(failure="timeout"), moved("/moved.xml")])
def test_a_sitemap_at_another_host_speaks_for_who_names_it(trouble: Any, tmp_path: Path) -> None:  # noqa: ANN401
    """It does so after retries and redirects too; the other host's rules and pace apply to it."""
    sitemap = urlset(f"{SITE}/a", f"{OTHER}/x")

    def at_last(_: Any) -> Any:  # noqa: ANN401
        return sitemap if len(site.visits_to(f"{OTHER}/map.xml")) > 1 else trouble

    site = FakeSite(
        {
            f"{SITE}/robots.txt": f"Sitemap: {OTHER}/map.xml\nSitemap: {OTHER}/no.xml",
            f"{OTHER}/robots.txt": "User-agent: *\nCrawl-delay: 70\nDisallow: /no.xml",
            f"{OTHER}/map.xml": at_last,
            f"{OTHER}/moved.xml": sitemap,
            f"{SITE}/": "home",
            f"{SITE}/a": html("lamp"),
        },
        clock=FakeClock(),
    )
    bounds = Bounds(origins=frozenset({SITE, OTHER}), exclude=(f"{OTHER}/x",))
    crawl(tmp_path, site, patience=None, bounds=bounds)
    assert searched(tmp_path, "lamp") == ["/a"]
    assert not site.visits_to(f"{OTHER}/no.xml")
    assert not site.visits_to(f"{OTHER}/x")
    others = [visit for visit in site.visits if visit.url.startswith(OTHER)]
    assert min(gaps(others)) >= 70 - 1e-5


def test_a_sitemap_is_read_again_when_it_is_due(tmp_path: Path) -> None:
    """New URLs in it are visited, and it still speaks for the site that names it."""
    maps = [urlset(f"{SITE}/a")]
    site = FakeSite(
        {
            f"{SITE}/robots.txt": f"Sitemap: {OTHER}/map.xml",
            f"{OTHER}/map.xml": lambda _: maps[-1],
            f"{SITE}/": "home",
            f"{SITE}/a": html("lamp"),
            f"{SITE}/b": html("lamp"),
        },
        clock=FakeClock(),
    )
    bounds = Bounds(origins=frozenset({SITE, OTHER}))
    crawl(tmp_path, site, bounds=bounds)
    maps.append(urlset(f"{SITE}/b"))
    site.clock.advance(8 * 86_400)
    crawl(tmp_path, site, again=True)
    assert searched(tmp_path, "lamp", site.clock.now()) == ["/a", "/b"]


def test_sitemaps_keep_within_the_bounds(tmp_path: Path) -> None:
    """A robots.txt cannot send a crawl to other sites or to excluded URLs."""
    site = FakeSite(
        {
            f"{SITE}/robots.txt": f"Sitemap: {OTHER}/map.xml\nSitemap: {SITE}/private/i.xml\n"
            f"Sitemap: {SITE}/index.xml",
            f"{SITE}/index.xml": index(f"{OTHER}/deep.xml", f"{SITE}/moved.xml"),
            f"{SITE}/moved.xml": moved(f"{OTHER}/led.xml"),
            f"{SITE}/": "home",
        },
        clock=FakeClock(),
    )
    crawl(tmp_path, site, bounds=Bounds(exclude=("/private/",)))
    assert not [visit.url for visit in site.visits if visit.url.startswith(OTHER)]
    assert not site.visits_to(f"{SITE}/private/i.xml")
    assert site.visits_to(f"{SITE}/moved.xml")


def test_a_page_that_another_calls_a_sitemap_is_a_page(tmp_path: Path) -> None:
    """A robots.txt cannot hide pages of another site by calling them sitemaps."""
    site = FakeSite(
        {
            f"{SITE}/robots.txt": f"Sitemap: {OTHER}/",
            f"{SITE}/": "home",
            f"{OTHER}/robots.txt": "",
            f"{OTHER}/": html("lamp <a href=/a>a</a>"),
            f"{OTHER}/a": html("lamp"),
        },
        clock=FakeClock(),
    )
    crawl(tmp_path, site, f"{SITE}/", f"{OTHER}/")
    assert searched(tmp_path, "lamp") == [f"{OTHER}/", f"{OTHER}/a"]


def test_odd_sitemaps_do_no_harm(tmp_path: Path) -> None:
    """Missing sitemaps, circular ones, and content that is not a sitemap do no harm."""
    names = ["lost.xml", "self.xml", "odd.xml", "no address", "bomb.xml"]
    bomb = b'<!DOCTYPE u [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><urlset>&b;</urlset>'
    site = FakeSite(
        {
            "/robots.txt": "\n".join(f"Sitemap: {SITE}/{name}" for name in names),
            "/": html("lamp"),
            "/self.xml": index(f"{SITE}/self.xml", f"{SITE}/self2.xml"),
            "/self2.xml": index(f"{SITE}/self.xml", f"{SITE}/self3.xml"),
            "/odd.xml": b"\xff\x00<",
            "/bomb.xml": bomb,
        },
        clock=FakeClock(),
    )
    done = crawl(tmp_path, site)
    assert done.summary.ended == "nothing-left"
    assert searched(tmp_path, "lamp") == ["/"]
    assert not site.visits_to("/self3.xml")


def test_evidence_is_there_for_each(tmp_path: Path) -> None:
    """Every URL that was visited or refused has evidence and a history."""
    site = site_of(
        "User-agent: *\nDisallow: /no",
        home=html("x", "/no", "/a", "/lost", "/moved", "/bad"),
        a=html("lamp"),
        moved=moved("/a"),
        bad=Answer(failure="reset"),
    )
    crawl(tmp_path, site)
    with Database(tmp_path) as database:
        evidence = Evidence(database)
        for url in rows(tmp_path):
            assert evidence.history(url) is not None
        count = "SELECT count(DISTINCT url) FROM evidence"
        assert database.connection.execute(count).fetchone() == (6,)
        requests = database.connection.execute("SELECT count(*) FROM requests").fetchone()
        assert requests == (len(site.visits),)


@pytest.mark.parametrize("how", ["element", "header"])
@pytest.mark.parametrize("follow", [True, False])
def test_a_refresh_is_a_link(follow: bool, how: str, tmp_path: Path) -> None:  # noqa: FBT001
    """A refresh is followed unless the page says NOFOLLOW (HTTP book, robots META)."""
    head = "" if follow else "<meta name=robots content=nofollow>"
    if how == "element":
        head += '<META HTTP-EQUIV="Refresh" CONTENT="0; URL=/new">'
    fields = [("Refresh", "5; url=/new")] if how == "header" else []
    home = Answer(body=html("x", head=head).encode(), headers=fields)
    crawl(tmp_path, site_of(home=home, new=html("lamp")))
    assert paths(tmp_path, "done") == (["/", "/new"] if follow else ["/"])
    assert paths(tmp_path, "skipped") == ([] if follow else ["/new"])
    assert searched(tmp_path, "lamp") == (["/new"] if follow else [])
