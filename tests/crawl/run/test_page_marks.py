"""A crawl obeys what pages state about themselves, as the founding documents ask."""

import json
from pathlib import Path

import pytest

import goodbot
from goodbot.testing import Answer
from tests.support.crawls.memory_crawls import (
    SITE,
    crawl,
    html,
    kept,
    paths,
    rows,
    searched,
    site_of,
)
from tests.support.program import run

XML = (("Content-Type", "application/xml"),)
XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'


def test_an_instruction_in_a_document_lifts_no_rule_of_robots_txt(tmp_path: Path) -> None:
    """A PI is in the document, which robots.txt may disallow (Robots PI, introduction)."""
    inviting = f'<?robots index="yes" follow="yes"?><d {XLINK}><s xlink:href="/shut">a</s></d>'
    site = site_of(
        "User-agent: *\nDisallow: /shut",
        home=Answer(body=inviting.encode(), headers=XML),
        shut=Answer(body=inviting.encode(), headers=XML),
    )
    crawl(tmp_path, site)
    assert paths(tmp_path, "done") == ["/"]
    assert f"{SITE}/shut" not in [visit.url for visit in site.visits]


@pytest.mark.parametrize(
    "mark",
    [
        '<META NAME="URL" CONTENT="https://a.example/real">',
        '<LINK NAME="INDEXINSTEAD" CONTENT="https://a.example/real">',
    ],
)
def test_what_is_indexed_instead_is_known_by_its_own_words(tmp_path: Path, mark: str) -> None:
    """The other page is indexed in its place, and this cannot be abused (Koster, 4 June 1996)."""
    site = site_of(home=html("alpha", head=mark), real=html("beta"))
    crawl(tmp_path, site)
    assert searched(tmp_path, "alpha") == []
    assert searched(tmp_path, "beta") == ["/real"]
    assert kept(tmp_path, f"{SITE}/") is None  # "drop the current document"
    assert kept(tmp_path, f"{SITE}/real") is not None


def test_a_copy_is_dropped_when_the_page_names_another(tmp_path: Path) -> None:
    """Nothing of the page stays: neither its copy, nor its words, nor those of its links."""
    site = site_of(home=html("alpha", "/linked"), linked=html("gamma"), real=html("beta"))
    crawl(tmp_path, site)
    assert kept(tmp_path, f"{SITE}/") is not None
    mark = '<META NAME="URL" CONTENT="https://a.example/real">'
    site.routes["/"] = f'<head>{mark}</head>alpha <a href="/linked">delta</a>'
    crawl(tmp_path, site, again=True, early=True)
    assert kept(tmp_path, f"{SITE}/") is None
    assert searched(tmp_path, "delta") == []
    assert searched(tmp_path, "beta") == ["/real"]


@pytest.mark.parametrize(
    "real",
    [
        "https://b.example/real",
        "ftp://a.example/real",
        "https://a.example/missing",
        "https://a.example/shut",
        "https://a.example/noindex",
    ],
)
@pytest.mark.parametrize(
    "mark",
    [
        '<META NAME="URL" CONTENT="{}">',
        '<LINK NAME="INDEXINSTEAD" CONTENT="{}">',
        '<meta name=robots content=nofollow><META NAME="URL" CONTENT="{}">',
    ],
)
def test_a_page_that_names_another_is_not_indexed(tmp_path: Path, mark: str, real: str) -> None:
    """Kollar: "tell all spiders not to index this url", wherever the other page is."""
    site = site_of(
        "User-agent: *\nDisallow: /shut",
        home=html("alpha", head=mark.format(real)),
        noindex=html("alpha", head="<meta name=robots content=noindex>"),
    )
    crawl(tmp_path, site)
    assert searched(tmp_path, "alpha") == []
    assert rows(tmp_path)[f"{SITE}/"].reason == "index-instead"
    assert rows(tmp_path)[f"{SITE}/"].source == real


@pytest.mark.parametrize("own", ["/", "/#top", "https://a.example:443/", "mailto:a@b.example"])
def test_a_page_that_names_itself_is_indexed(tmp_path: Path, own: str) -> None:
    """META URL with the page's own URL, which many pages have, excludes nothing."""
    crawl(tmp_path, site_of(home=html("alpha", head=f'<META NAME="URL" CONTENT="{own}">')))
    assert searched(tmp_path, "alpha") == ["/"]


@pytest.mark.parametrize("other", ["https://b.example/real", "/real", "https://a.example/"])
@pytest.mark.parametrize(
    "mark", ['<META NAME="URL" CONTENT="{}">', '<LINK NAME="INDEXINSTEAD" CONTENT="{}">']
)
def test_library_command_evidence_and_crawl_agree_on_another_page(
    tmp_path: Path, mark: str, other: str
) -> None:
    """Each of them says whether the page may be indexed, and names the same element."""
    body = html("alpha", head=mark.format(other))
    crawl(tmp_path, site_of(home=body, real=html("beta")))
    page = goodbot.Page(f"{SITE}/", body)
    file = tmp_path / "page.html"
    file.write_text(body)
    told = json.loads(run("page", str(file), "--url", f"{SITE}/", "--json").stdout)
    visit = json.loads(run("evidence", str(tmp_path), f"{SITE}/", "--json").stdout)
    is_indexed = other == f"{SITE}/"
    uses = json.loads(run("page", "uses", str(file), "--url", f"{SITE}/", "--json").stdout)["uses"]
    for act, use in (("index", "search"), ("archive", "archive")):
        assert page.verdicts[act].allowed is is_indexed
        assert told["verdicts"][act]["allowed"] is is_indexed
        assert told["verdicts"][act]["source"] == page.index.source
        assert uses[use]["status"] == ("unknown" if is_indexed else "reserved")
    assert searched(tmp_path, "alpha") == ["/"] * is_indexed
    assert page.index.source in json.dumps(visit)


PROFILE = '<head profile="http://example.org/xmdp/robots-profile#">'
NAMED = f'{PROFILE}<link rel="RobotExclusion.Names" href="/names"></head>'
PART = '<p>{}<p class="robot1-noindex">osprey'
NAME = f'{PROFILE}<meta name="RobotExclusion.RobotName1" content="{{}}"></head>'


def test_the_page_of_names_is_fetched_once(tmp_path: Path) -> None:
    """Robot 1 is this robot, for every page (Robot Exclusion Profile, Specificity, example 2)."""
    site = site_of(
        home=NAMED + PART.format("egret") + '<a href="/b">b</a>',
        b=NAMED + PART.format("heron"),
        names=NAME.format("ExampleBot"),
    )
    crawl(tmp_path, site)
    assert searched(tmp_path, "egret") == ["/"]
    assert searched(tmp_path, "heron") == ["/b"]
    assert searched(tmp_path, "osprey") == []
    assert [visit.url.removeprefix(SITE) for visit in site.visits] == [
        "/robots.txt",
        "/",
        "/names",
        "/b",
    ]
    assert f"{SITE}/names" not in rows(tmp_path)


def test_the_names_of_others_free_the_part(tmp_path: Path) -> None:
    """A revisit is unconditional, because the names may have changed."""
    site = site_of(home=NAMED + PART.format("egret"), names=NAME.format("OtherBot"))
    crawl(tmp_path, site)
    assert searched(tmp_path, "osprey") == ["/"]
    site.routes["/names"] = NAME.format("ExampleBot")
    site.clock.advance(31 * 86_400)
    crawl(tmp_path, site, again=True)
    assert searched(tmp_path, "osprey", site.clock.now()) == []
    assert not any(name.startswith("If-") for name, _ in site.visits[-2].headers)


def test_a_page_of_names_out_of_bounds_is_not_asked_for(tmp_path: Path) -> None:
    """A page that is excluded is not visited."""
    site = site_of(home=NAMED + PART.format("egret"), names=NAME.format("OtherBot"))
    crawl(tmp_path, site, bounds={"exclude": ["/names"]})
    assert site.visits_to(f"{SITE}/names") == []
    assert searched(tmp_path, "egret") == ["/"]
    assert searched(tmp_path, "osprey") == []


@pytest.mark.parametrize(
    ("head", "found", "shown"),
    [
        ('<head class="robots-noindex" {}><title>Osprey</title></head>', [], ""),
        ('<head {}><title class="robots-noindex">Osprey</title></head>', [], ""),
        ('<head {}><title class="robots-noarchive">Osprey</title></head>', ["/"], ""),
        ('<head {}><title class="robots-nofollow">Osprey</title></head>', ["/"], "Osprey"),
    ],
)
def test_a_title_is_found_and_shown_as_its_marks_allow(
    tmp_path: Path, head: str, found: list[str], shown: str
) -> None:
    """Marked parts of any element appear in no index and no result (Robot Exclusion Profile)."""
    profile = 'profile="http://example.org/xmdp/robots-profile#"'
    crawl(tmp_path, site_of(home=head.format(profile) + "<p>egret"))
    assert searched(tmp_path, "osprey") == found
    assert searched(tmp_path, "title:osprey") == (found if shown else [])
    assert searched(tmp_path, "egret") == ["/"]
    printed = run("search", str(tmp_path), "egret")
    assert printed.returncode == 0
    assert ("Osprey" in printed.stdout.decode()) is bool(shown)
    as_json = json.loads(run("search", str(tmp_path), "egret", "--json").stdout)
    assert [hit["title"] for hit in as_json["hits"]] == [shown]


def test_a_target_is_found_by_the_text_that_is_to_describe_it(tmp_path: Path) -> None:
    """robots-anchortext is explicit within noindex and nofollow (Robot Exclusion Profile)."""
    link = '<a href="/b" class="robots-anchortext robots-follow">brass osprey</a>'
    other = '<a href="/b">bronze heron</a>'
    home = f'{PROFILE}</head><p>egret<p class="robots-noindex robots-nofollow">{link} {other}'
    crawl(tmp_path, site_of(home=home, b=html("beta")))
    assert searched(tmp_path, '"brass osprey"') == ["/b"]
    assert searched(tmp_path, "heron") == []


@pytest.mark.parametrize("names", ["https://b.example/names", "/missing", "/shut", "/soft"])
def test_without_the_page_of_names_the_part_is_left_out(tmp_path: Path, names: str) -> None:
    """If the names are elsewhere, missing, disallowed or empty, the class may be for this robot."""
    head = NAMED.replace("/names", names)
    home = head + PART.format("egret")
    site = site_of("User-agent: *\nDisallow: /shut", home=home, soft="x")
    crawl(tmp_path, site)
    assert searched(tmp_path, "egret") == ["/"]
    assert searched(tmp_path, "osprey") == []
