"""A sitemap that is not well-formed, cut or none: every verb that reads it says where and why.

Source: sitemaps.org protocol; XML 1.0 section 2.1.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from goodbot.testing import Answer
from goodbot.testing.behaviours import TEXT
from goodbot.testing.steps import LoopbackVisit, Script, ScriptStep, always
from tests.support.crawls.memory_crawls import SITE, crawl, html, searched, site_of
from tests.support.live_sites import ask, open_site

START = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
A, B = (f"<url><loc>{SITE}/{name}</loc></url>\n" for name in "ab")
AMPERSAND = f"<url><loc>{SITE}/a?x=1&y=2</loc></url>\n"
END = "</urlset>"
FAULTS = {
    "ampersand": (f"{START}{AMPERSAND}{B}{END}", 2, "a reference is malformed", 2),
    "tag": (f"{START}{A}<url><loc>{SITE}/x</lok></url>\n{B}{END}", 3, "does not match", 2),
    "cut": (f"{START}{A}{B}<url><loc>{SITE}/x", 4, "an element does not end", 2),
    "entity": (f"{START}{A}<url><loc>{SITE}/b&none;</loc></url>{END}", 3, "not declared", 2),
    "late": (f"\n <?xml version='1.0'?>{START}{A}{B}{END}", 2, "before the XML declaration", 2),
    "page": (f"<!DOCTYPE html>\n<html><p>{SITE}/a</html>", None, "its root element is html", 0),
}
CASES = pytest.mark.parametrize("name", FAULTS)
ROBOTS = b"User-agent: *\nDisallow: /private\n"


def amount(count: int) -> str:
    """Return how many URLs were read, in words."""
    return f"{count} URL{'' if count == 1 else 's'} {'was' if count == 1 else 'were'} read"


@pytest.fixture
def robots_txt(tmp_path: Path) -> str:
    """Return the name of a robots.txt that allows all URLs of these sitemaps."""
    file = tmp_path / "robots.txt"
    file.write_bytes(ROBOTS)
    return str(file)


@CASES
def test_check_says_where_and_why(name: str, robots_txt: str, tmp_path: Path) -> None:
    """What can be read is checked, and a warning has line, cause and the number of URLs."""
    text, line, why, count = FAULTS[name]
    file = tmp_path / "sitemap.xml"
    file.write_text(text)
    status, output, complaints = ask("check", "-f", robots_txt, "--urls", str(file), "--json")
    told = " ".join(complaints.split())
    assert why in told
    assert amount(count) in told
    assert line is None or f"line {line}: " in told
    assert len(output.splitlines()) == count
    assert status == (0 if count else 2)


@CASES
def test_lint_has_a_finding(name: str, robots_txt: str, tmp_path: Path) -> None:
    """A file and a URL alike; the finding fails, and can be ignored like any other."""
    text, line, why, count = FAULTS[name]
    file = tmp_path / "sitemap.xml"
    file.write_text(text)
    status, output, _ = ask("lint", robots_txt, "--sitemap", str(file), "--json")
    (found,) = json.loads(output)["findings"]
    assert (status, found["code"], found["severity"]) == (1, "faulty-sitemap", "warning")
    assert why in found["message"]
    assert amount(count) in found["message"]
    assert str(file) in found["message"]
    assert line is None or f"line {line}: " in found["message"]
    words = ("--sitemap", str(file), "--ignore", "faulty-sitemap")
    assert ask("lint", robots_txt, *words)[0] == 0


def test_lint_has_a_finding_on_a_fetched_sitemap() -> None:
    """It names the URL, the line, the cause, and how many URLs were read."""
    text, _, why, _ = FAULTS["tag"]
    with open_site(always(200, ROBOTS, TEXT), {"/sitemap.xml": always(200, text.encode())}) as site:
        url = f"{site.origin}/sitemap.xml"
        words = ("lint", "--allow-private", f"{site.origin}/", "--sitemap", url, "--json")
        status, output, _ = ask(*words)
    found = json.loads(output)["findings"]
    (faulty,) = [one for one in found if why in one["message"]]
    assert (status, faulty["code"]) == (1, "faulty-sitemap")
    assert f"the sitemap {url}, line 3: " in faulty["message"].lower()


def test_policy_has_a_finding_on_a_listed_sitemap() -> None:
    """It is the finding of lint, for a sitemap that robots.txt lists; by default none is read."""
    text, _, why, count = FAULTS["tag"]
    own: dict[str, bytes] = {}

    def script(path: str) -> Script:
        def answer(visit: LoopbackVisit) -> Iterator[ScriptStep]:  # the address is not known yet
            return always(200, own[path], TEXT)(visit)

        return answer

    with open_site(script("robots"), {"/map.xml": script("map")}) as site:
        own["robots"] = ROBOTS + f"Sitemap: {site.origin}/map.xml\n".encode()
        own["map"] = text.replace(SITE, site.origin).encode()
        words = ("policy", "--allow-private", f"{site.origin}/", "--json")
        _, output, _ = ask(*words)
        assert not site.visits_to("/map.xml")
        assert json.loads(output)["findings"] == []
        status, output, _ = ask(*words, "--listed-sitemaps")
        (found,) = json.loads(output)["findings"]
    assert (status, found["code"], found["severity"]) == (0, "faulty-sitemap", "warning")
    assert found["message"].startswith(f"The sitemap {site.origin}/map.xml, line 3: ")
    assert why in found["message"]
    assert amount(count) in found["message"]


@CASES
def test_policy_has_a_finding_on_a_named_sitemap(name: str, tmp_path: Path) -> None:
    """In text too."""
    text, line, why, count = FAULTS[name]
    file = tmp_path / "sitemap.xml"
    file.write_text(text)
    with open_site(always(200, ROBOTS, TEXT)) as site:
        words = ("policy", "--allow-private", f"{site.origin}/", "--sitemap", str(file))
        status, output, _ = ask(*words)
    told = " ".join(output.split())
    assert status == 0
    assert f"The sitemap {file}, " in told
    assert why in told
    assert amount(count) in told
    assert line is None or f"line {line}: " in told


def test_an_empty_address_is_no_url(robots_txt: str, tmp_path: Path) -> None:
    """It is not checked and nothing disallows it; at most the sitemap has a finding."""
    file = tmp_path / "sitemap.xml"
    file.write_text(f"{START}<url><loc></loc></url><url><loc> </loc></url>{A}{END}")
    status, output, complaints = ask("check", "-f", robots_txt, "--urls", str(file))
    assert (status, output.count(": Allowed")) == (0, 1)
    assert "line 2: 2 entries have no URL; 1 URL was read" in " ".join(complaints.split())
    status, output, _ = ask("lint", robots_txt, "--sitemap", str(file), "--json")
    assert (status, json.loads(output)["findings"]) == (0, [])


def test_blanks_around_a_url_are_no_part_of_it(tmp_path: Path) -> None:
    """Not in JSON either, nor in a finding of lint."""
    robots, file = tmp_path / "robots.txt", tmp_path / "sitemap.xml"
    robots.write_text("User-agent: *\nDisallow: /*.pdf$\n")
    file.write_text(f"{START}<url><loc>\n  <![CDATA[ {SITE}/b.pdf ]]>\n</loc></url>{END}")
    status, output, _ = ask("check", "-f", str(robots), "--urls", str(file), "--json")
    assert (status, json.loads(output)["url"]) == (1, f"{SITE}/b.pdf")
    _, output, _ = ask("lint", str(robots), "--sitemap", str(file), "--json")
    (found,) = json.loads(output)["findings"]
    assert found["path"] == f"{SITE}/b.pdf"
    assert f"such as {SITE}/b.pdf." in found["message"]


@pytest.mark.parametrize(("missing", "count"), [(9, 2), (200, 0)])
def test_a_small_sitemap_that_is_cut_is_read_too(
    missing: int, count: int, robots_txt: str, tmp_path: Path
) -> None:
    """What was decompressed before the cut is not lost, and lint has a finding."""
    file = tmp_path / "sitemap.xml.gz"
    packed = gzip.compress(f"{START}{A}{B}{END}".encode())
    file.write_bytes(packed[: max(len(packed) - missing, 12)])
    status, output, _ = ask("lint", robots_txt, "--sitemap", str(file), "--json")
    (found,) = json.loads(output)["findings"]
    assert (status, found["code"]) == (1, "faulty-sitemap")
    assert "the compressed data is cut or damaged" in found["message"]
    assert amount(count) in found["message"]
    status, output, complaints = ask("check", "-f", robots_txt, "--urls", str(file), "--json")
    assert (status, len(output.splitlines())) == (0 if count else 2, count)
    assert "damaged" in complaints


def test_damaged_gzip_is_read_up_to_the_damage(robots_txt: str, tmp_path: Path) -> None:
    """The URLs before it are checked."""
    file = tmp_path / "sitemap.xml.gz"
    urls = "".join(f"<url><loc>{SITE}/{at * 7919 % 10007}</loc></url>" for at in range(9000))
    file.write_bytes(gzip.compress(f"{START}{urls}{END}".encode())[:-3000])
    status, output, complaints = ask("check", "-f", robots_txt, "--urls", str(file))
    assert status == 0
    assert 100 < len(output.splitlines()) < 9000
    assert f"{len(output.splitlines()):,} URLs were read" in complaints


@CASES
def test_a_crawl_has_a_finding(name: str, tmp_path: Path) -> None:
    """What can be read is visited, and findings and evidence say what is wrong."""
    text, line, why, count = FAULTS[name]
    xml = Answer(body=text.encode(), headers=[("Content-Type", "application/xml")])
    robots = f"User-agent: *\nDisallow: /private\nSitemap: {SITE}/map\n"
    site = site_of(robots, map=xml, home=html("home"), a=html("alpha"), b=html("beta"))
    crawl(tmp_path, site)
    assert bool(searched(tmp_path, "beta")) == (count == 2)
    _, output, _ = ask("report", "findings", str(tmp_path), "--json")
    told = [json.loads(one) for one in output.splitlines()]
    (found,) = [one for one in told if why in one.get("message", "")]
    assert found["code"] == ("no-sitemap" if name == "page" else "not-well-formed")
    assert (found["url"], found["severity"]) == (f"{SITE}/map", "error")
    assert found["line"] == (line or 1)
    assert found["message"].endswith(amount(count))
    assert why in ask("evidence", str(tmp_path), f"{SITE}/map", "--json")[1]
    code = found["code"]
    assert code in ask("report", "findings", str(tmp_path), "--code", code)[1]
