"""`goodbot page URL`, with real sites on loopback.

Most tests run it in this process, without the pause of a second that it keeps before the page.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import goodbot
from goodbot.cli.page_view import live_page
from goodbot.cli.program import run
from goodbot.pace import Manners
from goodbot.testing.behaviours import TEXT
from goodbot.testing.steps import Script, always
from tests.support.json_output import check_done
from tests.support.live_sites import ask, open_site
from tests.support.program import WHO_ASKS, bare_environment

HTML = "Content-Type: text/html; charset=utf-8"
RULES = (
    b"User-agent: *\nDisallow: /private\nCrawl-delay: 0\n\n"
    b"User-agent: Googlebot\nDisallow: /for-others\nCrawl-delay: 0\n"
)
NOINDEX = b"<meta name=robots content=noindex><p>Fish."


def moved(to: str) -> Script:
    """Return a script that redirects."""
    return always(302, b"", f"Location: {to}")


PAGES = {
    "/open": always(200, b"<p>Fish.", HTML),
    "/shy": always(200, NOINDEX, HTML),
    "/for-others": always(200, NOINDEX, HTML),
    "/private/a": always(200, NOINDEX, HTML),
    "/private/moved": moved("/open"),
    "/moved": moved("/shy"),
    "/moved-twice": moved("/moved"),
    "/moved-into": moved("/private/a"),
    "/file.pdf": always(
        200, b"%PDF-1.7 not read", "Content-Type: application/pdf", "X-Robots-Tag: noindex"
    ),
}


PACKAGE = Path(goodbot.__file__).parent
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def page(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return what runs `goodbot page` here, without a pause, with loopback allowed."""
    monkeypatch.setattr(live_page, "MANNERS", Manners(default=0.0, factor=0.0))
    for name, value in WHO_ASKS.items():
        monkeypatch.setenv(name, value)

    def run_here(*words: str) -> tuple[int, str, str]:
        """Run the program, and check its JSON."""
        given = ["page", "--allow-private", *words]
        status = run(given)
        printed = capsys.readouterr()
        check_done(given, status, printed.out.encode())
        return status, printed.out, printed.err

    return run_here


def test_an_open_page_is_indexable_and_fetched_as_a_robot_does() -> None:
    """As a whole program: robots.txt first, then the page, both under a name with an operator."""
    with open_site(always(200, RULES, TEXT), PAGES) as site:
        status, output, complaints = ask("page", "--allow-private", f"{site.origin}/open")
        visits = site.visits
    assert (status, complaints) == (0, "")
    assert output.splitlines()[:2] == [
        f"Is {site.origin}/open indexable?",
        "  yes, by any robot",
    ]
    assert [visit.target for visit in visits] == ["/robots.txt", "/open"]
    name = f"goodbot/{goodbot.__version__} (+https://example.com/bot)"
    assert {visit.field("User-Agent") for visit in visits} == {name}
    assert {visit.field("From") for visit in visits} == {"bot@example.com"}


def test_without_an_identity_nothing_is_requested() -> None:
    """More than robots.txt would be fetched, so the message has the two variables."""
    with open_site(always(200, RULES, TEXT), PAGES) as site:
        words = ("page", "--allow-private", f"{site.origin}/open")
        status, output, complaints = ask(*words, env=bare_environment())
        assert site.visits == []
    assert (status, output) == (2, "")
    assert "  export GOODBOT_INFO_URL=https://example.com/bot GOODBOT_CONTACT=" in complaints


def test_noindex_is_status_1_with_its_place(page: Run) -> None:
    """The answer, the cell of the table and its source agree."""
    with open_site(always(200, RULES, TEXT), PAGES) as site:
        status, output, _ = page(f"{site.origin}/shy")
    assert status == 1
    assert "  no, by any robot: META robots, line 1: noindex" in output
    assert "META" in output
    assert "noindex [1]" in output
    assert "  [1] META robots, line 1: noindex" in output


def test_redirects_are_followed_and_each_is_shown(page: Run) -> None:
    """The answer is about the last URL."""
    with open_site(always(200, RULES, TEXT), PAGES) as site:
        status, output, _ = page(f"{site.origin}/moved-twice")
        _, object_, _ = page("--json", f"{site.origin}/moved-twice")
        origin = site.origin
    assert status == 1
    assert output.startswith(f"Is {origin}/shy indexable?")
    told = json.loads(object_)
    assert (told["requested"], told["url"]) == (f"{origin}/moved-twice", f"{origin}/shy")
    assert [(hop["url"], hop["target"]) for hop in told["hops"]] == [
        (f"{origin}/moved-twice", f"{origin}/moved"),
        (f"{origin}/moved", f"{origin}/shy"),
        (f"{origin}/shy", None),
    ]
    for hop in told["hops"]:
        assert f"requested   {hop['url']}" in output


def test_a_redirect_is_followed_only_if_robots_txt_allows_it(page: Run) -> None:
    """The refusal of the target is shown, and the target is not requested."""
    with open_site(always(200, RULES, TEXT), PAGES) as site:
        status, output, _ = page(f"{site.origin}/moved-into")
        status_anyway, _, _ = page("--anyway", f"{site.origin}/moved-into")
        assert "/private/a" not in {visit.target for visit in site.visits}
    assert (status, status_anyway) == (1, 1)
    assert "  no, by any robot: robots.txt line 2" in output
    assert "not fetched" in output


def test_a_disallowed_page_is_not_fetched_and_it_says_why(page: Run) -> None:
    """Status 1; the line that disallows, and how the owner of the site may look anyway."""
    with open_site(always(200, RULES, TEXT), PAGES) as site:
        status, output, _ = page("-r", "ExampleBot", f"{site.origin}/private/a")
        assert [visit.target for visit in site.visits] == ["/robots.txt"]
        again = f"goodbot page --anyway --robot ExampleBot --allow-private {site.origin}/private/a"
    assert status == 1
    assert '"Disallow: /private"' in output
    assert f"If the site is your own: {again}" in output


def test_anyway_fetches_the_typed_url_and_shows_the_hidden_noindex(page: Run) -> None:
    """The output says that robots.txt was overruled."""
    with open_site(always(200, RULES, TEXT), PAGES) as site:
        status, output, _ = page("--anyway", f"{site.origin}/private/a")
        assert [visit.target for visit in site.visits] == ["/robots.txt", "/private/a"]
        assert site.visits[1].field("From") == "bot@example.com"
        _, object_, _ = page("--anyway", "--json", f"{site.origin}/private/a")
    assert status == 1
    assert "fetched although robots.txt says no" in output
    assert "[hidden-noindex]" in output
    told = json.loads(object_)
    assert (told["fetched"], told["anyway"]) == (True, True)
    assert [one["code"] for one in told["findings"]] == ["hidden-noindex"]


def test_anyway_follows_no_redirect_from_what_was_overruled(page: Run) -> None:
    """It is for the typed URL only, whatever its target is."""
    with open_site(always(200, RULES, TEXT), PAGES) as site:
        status, output, _ = page("--anyway", f"{site.origin}/private/moved")
        assert [visit.target for visit in site.visits] == ["/robots.txt", "/private/moved"]
    assert status == 1
    assert "not followed: --anyway is for the URL that you type" in output


def test_anyway_follows_no_redirect_to_another_origin(page: Run) -> None:
    """Not even from a URL that robots.txt allows; without --anyway it is followed."""
    with open_site(always(200, RULES, TEXT), PAGES) as other:
        pages = {"/away": moved(f"{other.origin}/open")}
        with open_site(always(200, RULES, TEXT), pages) as site:
            status, output, _ = page("--anyway", f"{site.origin}/away")
            assert other.visits == []
            assert "not followed: with --anyway, only this site is visited" in output
            assert status == 1
            assert page(f"{site.origin}/away")[0] == 0


def test_a_noindex_that_another_robot_cannot_see_is_a_finding(page: Run) -> None:
    """The visiting robot may fetch it, and Googlebot must not: that is seen without --anyway."""
    with open_site(always(200, RULES, TEXT), PAGES) as site:
        status, output, _ = page(f"{site.origin}/for-others")
    assert status == 1
    assert "  no, by Googlebot: robots.txt line 6" in output
    assert "is not seen by Googlebot: robots.txt line 6 disallows the URL" in output


def test_a_redirect_that_another_robot_cannot_see_is_a_finding(page: Run) -> None:
    """Googlebot may fetch the target, but not the URL that leads there."""
    pages = {**PAGES, "/for-others/moved": moved("/open")}
    with open_site(always(200, RULES, TEXT), pages) as site:
        status, output, _ = page("-r", "Googlebot", f"{site.origin}/for-others/moved")
    assert status == 0
    assert "is not seen by Googlebot: robots.txt line 6 disallows that URL" in output


def test_robots_that_are_named_have_a_column_each(page: Run) -> None:
    """Their names never become the User-Agent."""
    with open_site(always(200, RULES, TEXT), PAGES) as site:
        _, output, _ = page("-r", "Googlebot,ExampleBot", "-r", "googlebot", f"{site.origin}/shy")
        page("-r", "ExampleBot/1.0", f"{site.origin}/shy")
        agents = [str(visit.field("User-Agent")).partition(" ")[0] for visit in site.visits]
    assert "by Googlebot: " in output
    assert "by ExampleBot: " in output
    own = f"goodbot/{goodbot.__version__}"
    assert agents == [own] * 4


def test_a_pdf_is_judged_by_its_header(page: Run) -> None:
    """Its content is not read."""
    with open_site(always(200, RULES, TEXT), PAGES) as site:
        status, output, _ = page(f"{site.origin}/file.pdf")
    assert status == 1
    assert "  no, by any robot: X-Robots-Tag: noindex" in output


def test_an_unreachable_site_is_no_answer(page: Run) -> None:
    """Status 2, also with --anyway, which overrules an answer and not silence."""
    with open_site("unavailable", PAGES) as site:
        for more in ((), ("--anyway",)):
            status, output, _ = page(*more, f"{site.origin}/open")
            assert status == 2
            assert "  not known, by any robot: robots.txt returned status 503" in output
        assert {visit.target for visit in site.visits} == {"/robots.txt"}
    status, _, _ = ask("page", "http://127.0.0.1:9/")
    assert status == 2


def test_a_page_that_must_wait_too_long_is_no_answer(page: Run) -> None:
    """The pace of the site holds for this one request, too, with and without --anyway."""
    with open_site(always(200, RULES.replace(b": 0", b": 90"), TEXT), PAGES) as site:
        for words in ((f"{site.origin}/open",), ("--anyway", f"{site.origin}/private/a")):
            status, output, complaints = page(*words)
            assert (status, output) == (2, "")
            assert "asks for 90 seconds between visits" in complaints
        assert {visit.target for visit in site.visits} == {"/robots.txt"}


def test_views_of_files_show_a_fetched_page_as_well(page: Run) -> None:
    """--view text prints the text; of a page that was not fetched there is none."""
    with open_site(always(200, RULES, TEXT), PAGES) as site:
        assert page("--view", "text", f"{site.origin}/open")[:2] == (0, "Fish.\n")
        status, output, complaints = page("--view", "text", f"{site.origin}/private/a")
    assert (status, output) == (2, "")
    assert "there is no page to show" in complaints


def test_a_store_keeps_robots_txt_and_no_page(page: Run, tmp_path: Path) -> None:
    """The second run requests only the page."""
    store = tmp_path / "robots.db"
    with open_site(always(200, RULES, TEXT), PAGES) as site:
        page("--store", str(store), f"{site.origin}/open")
        page("--store", str(store), f"{site.origin}/open")
        assert [visit.target for visit in site.visits] == ["/robots.txt", "/open", "/open"]
    assert b"Fish" not in store.read_bytes()


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        (("https://a.example/", "-H", "X: y"), "--header describes a file"),
        (("https://a.example/", "-r", "https://b.example/"), "write it without -r"),
        (("https://a.example/", "--status", "404"), "--status describes a file"),
        (("https://a.example/", "--anyway", "--store", "a.db"), "omit --store"),
        (("https://a.example/", "--view", "text", "--json"), "use one of them"),
        (("README.md", "-u", "https://a.example/", "--anyway"), "--anyway is for fetching"),
        (("README.md", "-u", "https://a.example/", "-r", "A", "-r", "B"), "once for each"),
        (("README.md", "-u", "https://a.example/", "--timeout", "3"), "--timeout is for a live"),
    ],
)
def test_misuse_is_told_with_the_cure(words: tuple[str, ...], cure: str) -> None:
    """Nothing is requested, and the status is 2."""
    status, output, complaints = ask("page", *words)
    assert (status, output) == (2, "")
    assert cure in complaints
