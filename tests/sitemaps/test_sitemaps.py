"""Sitemaps: the cases of the protocol, its limits, and hostile content."""

import gc
import gzip
import json
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.crawl.folder.records import Discovery
from goodbot.crawl.frontier.candidates import Candidates
from goodbot.crawl.frontier.protocol import QueueEntry
from goodbot.errors import NoOriginError, WrongTypeError
from goodbot.http.address import address_of
from goodbot.http.amounts import counted
from goodbot.page import finding_codes
from goodbot.sitemaps.finding_codes import FINDING_CODES
from goodbot.sitemaps.sitemap_entries import MOST_ENTRIES
from goodbot.sitemaps.sitemaps import MOST_BYTES, Sitemap, SitemapEntry, read_sitemap
from tests.support import conformance_cases as data
from tests.support.examples import examples
from tests.support.references import sitemap_reference
from tests.support.work import lines_run

SITE = "https://a.example"
AT = f"{SITE}/sitemap.xml"
CASES = [case for case in data.cases("crawl") if case["id"].startswith("sitemap-")]
PIECES = (
    b"<urlset>", b"<url>", b"<loc>", b"https://a.example/a", b"</loc>", b"</url>", b"</urlset>",
    b"<sitemapindex>", b"<sitemap>", b"</sitemap>", b"<lastmod>2005</lastmod>", b"<rss><channel>",
    b"<item>", b"<link>", b"</link>", b"</item>", b"<feed><entry><link href='https://a.example/'/>",
    b"&eacute;", b"&x;", b"<!DOCTYPE a [<!ENTITY x 'y'>]>", b"<?xml version='1.0'?>", b"<!--",
    b"-->", b"<![CDATA[", b"]]>", b"\xef\xbb\xbf", b"\xff\xfe", b"\0", b"\xff", b"\r\n",
    b"https://", b" ",
)  # fmt: skip
CODES = set(FINDING_CODES) | {code for code, _, _ in finding_codes()}


def codes(read: Sitemap) -> list[str]:
    """Return the codes of the findings."""
    return [finding.code for finding in read.findings]


def content_of(case: data.Case) -> bytes:
    """Return the content of a case."""
    return bytes.fromhex(case["hex"]) if "hex" in case else str(case["text"]).encode()


@pytest.mark.parametrize("compressed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_a_sitemap_is_read_as_the_protocol_says(case: data.Case, *, compressed: bool) -> None:
    """URLs, sitemaps, dates and findings are as expected, compressed or not."""
    content = content_of(case)
    content = gzip.compress(content) if compressed else content
    read = read_sitemap(content, case["at"], speaks_for=case.get("speaks_for", []))
    assert read.form == case["form"], case["why"]
    assert [entry.url for entry in read.urls] == case.get("urls", []), case["why"]
    assert [entry.url for entry in read.sitemaps] == case.get("sitemaps", []), case["why"]
    dates = [one.modified for one in (*read.urls, *read.sitemaps) if one.modified is not None]
    assert dates == case.get("modified", [])
    assert sorted(codes(read)) == sorted(case.get("findings", []))
    assert json.loads(json.dumps(read.as_dict()))["form"] == case["form"]


def listed(count: int) -> bytes:
    """Return a sitemap with a number of URLs."""
    entries = (f"<url><loc>https://a.example/{at}</loc></url>" for at in range(count))
    return f"<urlset>{''.join(entries)}</urlset>".encode()


@pytest.mark.stress
@pytest.mark.parametrize("as_text", [False, True], ids=["xml", "text"])
def test_fifty_thousand_entries_are_read_and_no_more(*, as_text: bool) -> None:
    """The limit of the protocol holds: as many entries are read, and no more."""

    def content(count: int) -> bytes:
        lines = "".join(f"https://a.example/{at}\n" for at in range(count))
        return lines.encode() if as_text else listed(count)

    full = read_sitemap(content(MOST_ENTRIES), AT)
    assert (len(full.urls), codes(full)) == (MOST_ENTRIES, [])
    over = read_sitemap(content(MOST_ENTRIES + 5), AT)
    assert (len(over.urls), codes(over)) == (MOST_ENTRIES, ["too-many-entries"])


@pytest.mark.stress
@pytest.mark.parametrize("compressed", [False, True], ids=["plain", "gzip"])
def test_fifty_mebibytes_are_read_and_no_more(*, compressed: bool) -> None:
    """Entries within 50 MiB count; a gzip bomb is not decompressed beyond that."""
    start = b"<urlset><url><loc>https://a.example/a</loc></url>"
    end = b"<url><loc>https://a.example/b</loc></url></urlset>"
    blank = MOST_BYTES - len(start) - len(end)
    for more, urls, found in ((0, 2, []), (1, 1, ["sitemap-too-large"])):
        content = start + b" " * (blank + more * 1000) + end
        read = read_sitemap(gzip.compress(content, 1) if compressed else content, AT)
        assert (len(read.urls), codes(read)) == (urls, found)


def test_a_cut_or_a_stranger_says_where_why_and_how_much_was_read() -> None:
    """Line, cause and the number of URLs are in the finding."""
    lines = b"\n".join(b"<url><loc>https://a.example/%d</loc></url>" % at for at in range(3))
    for content, line, words in (
        (b"<urlset>\n" + lines, 4, "an element does not end; 3 URLs were read"),
        (b"<urlset>\n" + lines + b"\n<url><lo", 5, "a tag is malformed; 3 URLs were read"),
        (b"<!DOCTYPE html>\n<html>", 1, "its root element is html; 0 URLs were read"),
        (b"Not found", 1, "no line of it is an absolute http or https URL; 0 URLs were read"),
        (b"", 1, "it is empty; 0 URLs were read"),
        (b"<sitemapindex><sitemap><loc>https://a.example/b</loc>", 1, "; 1 sitemap was read"),
    ):
        told = next(one for one in read_sitemap(content, AT).findings if one.severity == "error")
        assert (told.line, told.message[-len(words) :]) == (line, words)
    cut = read_sitemap(gzip.compress(listed(10_000))[:-2000], AT)
    told = next(one for one in cut.findings if one.code == "broken-gzip")
    assert told.message.endswith(f"; {len(cut.urls):,} URLs were read")


def test_a_broken_gzip_gives_what_was_read_before() -> None:
    """If it is truncated or damaged at the end, the entries before that count."""
    whole = gzip.compress(listed(10_000))
    for content in (whole[:-2000], whole[:-2000] + b"\0" * 2000):
        read = read_sitemap(content, AT)
        assert 0 < len(read.urls) < 10_000
        assert "broken-gzip" in codes(read)
    assert codes(read_sitemap(b"\x1f\x8b junk", AT)) == ["broken-gzip", "no-sitemap"]


@pytest.mark.stress
def test_entries_are_nothing_that_garbage_collection_goes_over() -> None:
    """A collection stops all threads while it visits every live object."""
    content = listed(10_000).replace(b"</loc>", b"</loc><lastmod>2005-01-01</lastmod>")
    gc.collect()
    before = len(gc.get_objects())
    read = read_sitemap(content, AT)
    links = Candidates(
        (Discovery(one.url, "sitemap"), QueueEntry(one.url, SITE, 1)) for one in read.urls
    )
    gc.collect()
    assert len(gc.get_objects()) - before < 100
    assert (len(links), len(list(links)), next(iter(read.urls)) in read.urls) == (
        10_000,
        10_000,
        True,
    )


def test_what_is_odd_is_told_once_and_counted() -> None:
    """A thousand entries on another site make one finding, with a count."""
    content = listed(1000).replace(b"a.example", b"b.example")
    (finding,) = read_sitemap(content, AT).findings
    assert (finding.code, finding.line) == ("other-site", 1)
    assert "'https://b.example/0'" in finding.message
    assert "999 more" in finding.message


def test_a_child_speaks_for_the_site_that_names_its_index() -> None:
    """A sitemap may list URLs of the origins in `speaks_for`."""
    content = b"https://b.example/x"
    assert not read_sitemap(content, AT).urls
    assert len(read_sitemap(content, AT, speaks_for=["https://b.example"]).urls) == 1


HOSTILE: dict[str, Callable[[], bytes]] = {
    "many elements": lambda: b"<urlset>" + b"<x/>" * 3_000_000,
    "deep": lambda: b"<urlset>" + b"<x>" * 3_000_000,
    "one text": lambda: b"<urlset><url><loc>" + b"a" * 20_000_000,
    "many texts": lambda: b"<urlset><url><loc>" + b"&amp;\n" * 3_000_000,
    "blank": lambda: b" \n" * 10_000_000,
    "one line": lambda: b"https://a.example/" + b"a" * 20_000_000,
    "short lines": lambda: b"a\n" * 10_000_000,
    "comments": lambda: b"<urlset>" + b"<!---->" * 3_000_000,
    "attributes": lambda: b"<urlset " + b"".join(b'a%d="" ' % at for at in range(300_000)) + b"/>",
    "unclosed": lambda: b"<" * 20_000_000,
    "faults": lambda: (
        b"<urlset>" + b"<url><loc>https://a.example/a</loc></url>" + b"<url '" * 10**6
    ),
    "no end tag": lambda: b"<urlset>" + b"<url><loc>https://a.example/a" * 300_000,
}


@pytest.mark.stress
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_sitemap_is_read(name: str) -> None:
    """Nothing is raised, and it takes far fewer steps of Python than it has bytes."""
    read = None

    def ask(content: bytes) -> None:
        nonlocal read
        read = read_sitemap(content, AT)

    content = HOSTILE[name]()
    assert lines_run(lambda: ask(content)) < 1_000 + len(content) // 10
    assert read is not None
    assert len(read.urls) <= 1


@given(st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join) | st.binary(max_size=60))
def test_any_bytes_can_be_read(content: bytes) -> None:
    """Nothing raises; the sitemap may list every URL returned, and every code is in a table."""
    for variant in (content, gzip.compress(content), b"\x1f\x8b" + content):
        read = read_sitemap(variant, AT)
        assert all(entry.url.startswith("https://a.example/") for entry in read.urls)
        assert set(codes(read)) <= CODES


NAMES = st.text("abc/?=&<>'\u00e9", max_size=8)
DATES = st.sampled_from(["", "2005", "2005-01-02", " 2005-01-02T03:04:05Z ", "never"])
EXTRAS = st.sampled_from(["changefreq", "priority", "other"])


def plainly(document: ET.Element) -> list[str]:
    """Read a well-formed sitemap with the standard library: every loc of every url."""
    found = []
    for entry in document.findall("{*}url"):
        address = (entry.findtext("{*}loc") or "").strip()
        with suppress(NoOriginError):
            found.append(address_of(address)[1])
    return list(dict.fromkeys(found))


@given(
    st.lists(st.tuples(NAMES, DATES, EXTRAS, st.booleans()), max_size=6),
    st.sampled_from(["", "http://www.sitemaps.org/schemas/sitemap/0.9", "urn:other"]),
)
def test_a_well_formed_sitemap_is_read_as_by_a_tree(
    rows: list[tuple[str, str, str, bool]], space: str
) -> None:
    """The same URLs are found, whatever the order, the namespace and other elements."""
    root = ET.Element("urlset", {"xmlns": space} if space else {})
    for name, date, extra, is_late in rows:
        entry = ET.SubElement(root, "url")
        order = [extra, "lastmod", "loc"] if is_late else ["loc", extra, "lastmod"]
        texts = {"loc": f"\n https://a.example/{name} ", "lastmod": date, extra: "daily"}
        for tag in order:
            ET.SubElement(entry, tag).text = texts[tag]
    content = ET.tostring(root)
    expected = plainly(ET.fromstring(content))  # noqa: S314  it was written above
    assert [entry.url for entry in read_sitemap(content, AT).urls] == expected


def test_every_code_has_a_test() -> None:
    """Every code in the table is produced by some test."""
    shown = {code for case in CASES for code in case.get("findings", [])}
    bounds = {"too-many-entries", "sitemap-too-large", "broken-gzip"}
    long = read_sitemap(
        b"<urlset><url><loc>https://a.example/" + b"a" * 2_048 + b"</loc></url>", AT
    )
    many = read_sitemap(HOSTILE["many elements"](), AT)
    assert shown | bounds | set(codes(long)) | set(codes(many)) >= set(FINDING_CODES)


def test_misuse_raises() -> None:
    """A `str` in place of bytes, and invalid URLs, raise."""
    with pytest.raises(WrongTypeError):
        read_sitemap("<urlset/>", AT)  # type: ignore[arg-type]
    with pytest.raises(NoOriginError):
        read_sitemap(b"", "sitemap.xml")
    with pytest.raises(NoOriginError):
        read_sitemap(b"", AT, speaks_for=["a.example"])


def test_a_sitemap_is_given_up_where_elements_are_nested_too_deep() -> None:
    """The entries before them count."""
    entry = b"<url><loc>https://a.example/b</loc></url>"
    read = read_sitemap(b"<urlset>" + entry + b"<a>" * 100_000, AT)
    assert [one.url for one in read.urls] == ["https://a.example/b"]
    assert codes(read) == ["too-deep"]


Results: TypeAlias = tuple[str, list[SitemapEntry], list[SitemapEntry], list[tuple[str, int]]]


def results_of(content: bytes) -> Results:
    """Read a sitemap; return what core and reference must agree on."""
    read = read_sitemap(content, AT)
    notes = [(one.code, one.line if one.code in FINDING_CODES else 0) for one in read.findings]
    return read.form, list(read.urls), list(read.sitemaps), sorted(notes)


FORMS = st.sampled_from(
    [
        ("urlset", "url", "loc", "lastmod"),
        ("sitemapindex", "sitemap", "LOC", "LastMod"),
        ("s:urlset xmlns:s='u'", "s:url", "s:loc", "s:lastmod"),
        ("s:urlset xmlns:s='u'", "s:url", "loc", "lastmod"),
        ("rss><channel", "item", "link", "pubDate"),
        ("rdf:RDF", "item", "link", "modified"),
        ("feed", "entry", "link href='https://a.example/h'", "updated"),
        ("feed", "entry", "link rel='self' href='/x'", "modified"),
        ("other", "url", "loc", "lastmod"),
    ]
)
TEXTS = st.sampled_from(
    [
        *["https://a.example/a", " https://a.example/b\r\n", "/c", "&amp;", "&eacute;", "&none;"],
        *["2005", "<![CDATA[https://a.example/d]]>", "<!-- c -->", "<?d?>", "<loc/>", "never", ""],
        *["<i:loc>https://a.example/i</i:loc>", "<url>", "</url>", "<x><link>1</link></x>", "\xff"],
    ]
)
FAULTS = st.sampled_from(["", "", "", "</x>", "&", "<", "]]>", "<loc>https://a.example/e", "\x01"])
PARTS = st.lists(
    st.tuples(st.sampled_from([1, 1, 2, 2, 3]), st.lists(TEXTS, max_size=3)), max_size=4
)


def element(name: str, inside: str) -> str:
    """Return an element; if the name has two nested ones, both."""
    ends = [f"</{one.split()[0]}>" for one in reversed(name.split("><"))]
    return f"<{name}>{inside}{''.join(ends)}"


@examples(500)
@given(FORMS, st.lists(PARTS, max_size=5), FAULTS, st.lists(PARTS, max_size=2))
def test_the_core_reads_sitemaps_as_the_reference_does(
    form: tuple[str, str, str, str],
    before: list[list[tuple[int, list[str]]]],
    fault: str,
    behind: list[list[tuple[int, list[str]]]],
) -> None:
    """Both find the same entries and the same findings; behind a fault, the core finds more."""

    def entry(parts: list[tuple[int, list[str]]]) -> str:
        inside = [("".join(texts), number) for number, texts in parts]
        written = [text if n == 3 else element(form[n + 1], text) for text, n in inside]
        return element(form[1], "".join(written))

    inside = [*map(entry, before), fault, *map(entry, behind)]
    content = element(form[0], "".join(inside)).encode("latin-1")
    found = results_of(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("goodbot.sitemaps.sitemaps.read_xml", sitemap_reference.read_xml)
        expected = results_of(content)
    if "not-well-formed" in codes_in(expected):
        assert "not-well-formed" in codes_in(found)
        assert found[0] == expected[0]
        for some, fewer in zip(found[1:3], expected[1:3], strict=True):
            assert some[: len(fewer)] == fewer
    else:
        assert found == expected


def codes_in(results: Results) -> list[str]:
    """Return the codes of the findings."""
    return [code for code, _line in results[3]]


GOOD = st.integers(0, 99).map(lambda at: (f"<url><loc>https://a.example/{at}</loc></url>", at))
BAD = st.sampled_from(
    [
        "<url a><loc>https://a.example/x</loc></url>",
        "<url><loc>https://a.example/x</url>",
        "<url><loc>https://a.exa\x01mple/x</loc></url>",
        "<url><loc>https://a.example/x<</loc></url>",
        "<url><loc>https://a.example/x</x></url>",
        "<!-- -- <url><loc>https://a.example/x</loc></url> -->",
        "</url></x>",
        "&",
        "<x",
        "</urlset><urlset>",
        "</urlset><?xml version='1.0'?><urlset>",
    ]
)


@examples(200)
@given(st.lists(GOOD | BAD.map(lambda text: (text, None)), max_size=12))
def test_what_can_be_read_behind_a_fault_is_read(parts: list[tuple[str, int | None]]) -> None:
    """Each entry that is well-formed is found, wherever the faults are, and counted."""
    start = "<urlset><url><loc>https://a.example/</loc></url>"
    content = f"{start}{''.join(text for text, _ in parts)}</urlset>"
    read = read_sitemap(content.encode(), AT)
    good = dict.fromkeys(f"https://a.example/{at}" for _, at in parts if at is not None)
    assert [one.url for one in read.urls] == ["https://a.example/", *good]
    told = [one for one in read.findings if one.code == "not-well-formed"]
    assert bool(told) == any(at is None for _, at in parts)
    amount = f"; {counted(len(good) + 1, 'URL')} {'were' if good else 'was'} read"
    assert all(one.line == 1 and one.message.endswith(amount) for one in told)
