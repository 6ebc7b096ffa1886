"""Attempts to have a site fetched against its robots.txt that does not belong to who crawls it."""

from __future__ import annotations

from io import StringIO
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.crawl import Crawl
from goodbot.crawl.verbs.own_site.ownership import record_of
from goodbot.testing import Answer, FakeSite, FakeVisit
from tests.support.crawls.memory_crawls import OTHER, SITE, html, moved, pages_at, rows, site_of
from tests.support.crawls.own_sites import crawl_own, token_at, token_line

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("txt")

CLOSED = "User-agent: *\nDisallow: /private\n"
PRIVATE = "/private/1"


def shop(robots_txt: Any = None, **more: Any) -> FakeSite:  # noqa: ANN401  as `site_of` has it
    """Return a site with private pages, the second of which only the first one links to."""
    site = site_of(
        CLOSED + token_line() if robots_txt is None else robots_txt,
        home=html("home", PRIVATE, "/open"),
        open=html("open"),
        **more,
    )
    noindex = "<meta name=robots content=noindex>"
    site.routes |= {
        PRIVATE: html("first", "/private/2", head=noindex),
        "/private/2": html("second"),
    }
    return site


def private_at(site: FakeSite) -> list[str]:
    """Return the private pages that were requested, at any site."""
    return [url for url in pages_at(site.visits) if "private" in url]


def test_what_is_ones_own_is_fetched(tmp_path: Path) -> None:
    """The attempts below fail for their reasons alone: with the line, both pages come."""
    site = shop()
    assert crawl_own(tmp_path / "crawl", site) == ExitStatus.ALLOWED
    assert private_at(site) == [PRIVATE, "/private/2"]


def echo(visit: FakeVisit) -> str:
    """Repeat in robots.txt all that a request has, line by line."""
    sent = [visit.url, visit.path, *(text for field in visit.headers for text in field)]
    lines = [*sent, *(f"# goodbot-own-site: {text}" for text in sent)]
    return CLOSED + "\n".join(f"# {line}\n{line}" for line in lines)


ATTEMPTS: dict[str, Any] = {
    "no-token": lambda: CLOSED,
    "token-of-another-origin": lambda: CLOSED + token_line(OTHER),
    "token-of-the-parent-domain": lambda: CLOSED + token_line("https://example"),
    "token-of-a-subdomain": lambda: CLOSED + token_line("https://www.a.example"),
    "token-of-the-other-scheme": lambda: CLOSED + token_line("http://a.example"),
    "what-is-sent-is-repeated": lambda: echo,
    "redirect": lambda: moved("/moved.txt"),
    "redirect-to-another-site": lambda: moved(f"{OTHER}/moved.txt"),
    "server-error": lambda: Answer(status=503, body=(CLOSED + token_line()).encode()),
    "no-answer": lambda: Answer(failure="timeout"),
}
"""The answer for robots.txt in each attempt."""
NO_FILE = {"server-error", "no-answer"}


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_a_site_of_others_is_not_fetched(tmp_path: Path, attempt: str) -> None:
    """Whatever its robots.txt is, nothing that it disallows is requested."""
    site = shop(ATTEMPTS[attempt]())
    site.routes["/moved.txt"] = CLOSED + token_line()
    status = crawl_own(tmp_path / "crawl", site)
    assert private_at(site) == []
    # If robots.txt cannot be fetched, no line of it disallows anything that could be listed.
    assert status == (ExitStatus.ALLOWED if attempt in NO_FILE else ExitStatus.MISUSE)


@pytest.mark.parametrize("status", [200, 404])
def test_a_page_in_place_of_robots_txt_permits_nothing(tmp_path: Path, status: int) -> None:
    """What is fetched then is what any crawl would fetch."""
    page = f"<html><body><pre>\n{token_line()}{CLOSED}</pre>"
    site = shop(Answer(status=status, body=page.encode()))
    crawl_own(tmp_path / "crawl", site)
    assert all(one.reason != "own-site" for one in rows(tmp_path / "crawl").values())


def test_how_to_prove_it_is_said_only_where_it_is_needed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once while the line is missing, and not of the file that was stored before it came."""
    site = shop(CLOSED)
    assert crawl_own(tmp_path / "crawl", site) == ExitStatus.MISUSE
    said = capsys.readouterr().err
    assert said.count(f"  {token_line()}") == 1
    assert "1 page of https://a.example that its robots.txt disallows" in said
    assert "No page" not in said
    site.routes["/robots.txt"] = CLOSED + token_line()
    assert crawl_own(tmp_path / "crawl", site) == ExitStatus.ALLOWED
    assert "Nothing shows" not in capsys.readouterr().err
    assert private_at(site) == [PRIVATE, "/private/2"]
    for robots_txt in (404, Answer(failure="timeout")):
        crawl_own(tmp_path / f"crawl{len(str(robots_txt))}", shop(robots_txt))
        assert "Nothing shows" not in capsys.readouterr().err


def test_a_record_in_dns_proves_it_too(tmp_path: Path, txt: dict[str, tuple[str, ...]]) -> None:
    """It is at the host itself; the same record at every name proves no other host."""
    txt["*"] = (record_of(token_at()),)
    site = shop(CLOSED)
    assert crawl_own(tmp_path / "crawl", site) == ExitStatus.ALLOWED
    assert private_at(site) == [PRIVATE, "/private/2"]
    other = shop(CLOSED)
    assert (
        crawl_own(tmp_path / "other", other, origins=("https://www.a.example",))
        == ExitStatus.MISUSE
    )
    assert private_at(other) == []


def test_a_proof_is_worth_nothing_after_the_lifetime_of_its_file(tmp_path: Path) -> None:
    """Between the list and the requests a day passes, and the line is gone."""
    site = shop()

    def between(turn: int) -> None:
        if turn == 1:
            site.routes["/robots.txt"] = CLOSED
            site.clock.advance(86_400)

    crawl_own(tmp_path / "crawl", site, between=between)
    assert private_at(site) == []


def test_a_proof_lasts_a_day_however_long_its_file_may_be_used(tmp_path: Path) -> None:
    """Google lets a site say that its robots.txt holds for a month."""
    robots_txt = (CLOSED + token_line()).encode()
    header = [("Cache-Control", "max-age=2592000")]
    for days, fetched in ((0, [PRIVATE, "/private/2"]), (2, [])):
        site = shop(Answer(body=robots_txt, headers=header))

        def between(turn: int, days: int = days, site: FakeSite = site) -> None:
            if turn == 1:
                site.clock.advance(days * 86_400)

        crawl_own(tmp_path / f"crawl{days}", site, between=between, dialect="google")
        assert private_at(site) == fetched


@pytest.mark.parametrize("answer", [304, 503])
def test_nor_if_the_file_does_not_come_anew(tmp_path: Path, answer: int) -> None:
    """The earlier copy holds, and proves nothing any more."""
    site = shop()

    def between(turn: int) -> None:
        if turn == 1:
            site.routes["/robots.txt"] = answer
            site.clock.advance(86_400)

    crawl_own(tmp_path / "crawl", site, between=between)
    assert private_at(site) == []


def test_a_robots_txt_is_asked_whole(tmp_path: Path) -> None:
    """A site that would answer 304 is not asked for it: the copy may have come by a redirect."""
    site = shop(Answer(body=(CLOSED + token_line()).encode(), headers=[("ETag", '"a"')]))
    crawl_own(tmp_path / "crawl", site, between=lambda _: site.clock.advance(86_400))
    asked = [one for one in site.visits if one.path == "/robots.txt"]
    assert len(asked) > 1
    assert all("if-none-match" not in dict(one.headers) for one in asked)
    assert private_at(site) == [PRIVATE, "/private/2"]


def test_a_redirect_to_another_site_meets_its_robots_txt(tmp_path: Path) -> None:
    """What one's own page redirects to is not one's own."""
    site = shop()
    site.routes[PRIVATE] = moved(f"{OTHER}/private/3")
    site.routes[f"{OTHER}/robots.txt"] = CLOSED + token_line(SITE)
    site.routes[f"{OTHER}/private/3"] = html("theirs")
    assert crawl_own(tmp_path / "crawl", site, origins=(SITE, OTHER)) == ExitStatus.MISUSE
    assert private_at(site) == [PRIVATE]


def test_a_site_that_is_only_linked_is_never_ones_crawl_own(tmp_path: Path) -> None:
    """With --check-external, links to other sites are requested as their robots.txt allows."""
    site = shop()
    site.routes["/open"] = html("open", f"{OTHER}/private/3")
    site.routes[f"{OTHER}/robots.txt"] = CLOSED + token_line(OTHER)
    site.routes[f"{OTHER}/private/3"] = html("theirs")
    crawl_own(tmp_path / "crawl", site, bounds={"check_external": True})
    assert private_at(site) == [PRIVATE, "/private/2"]


def test_only_a_line_of_robots_txt_can_be_overruled(tmp_path: Path) -> None:
    """What the operator has blocked stays blocked, on one's own site as well."""
    site = shop()
    folder = tmp_path / "crawl"

    def between(turn: int) -> None:
        if turn == 1:
            Crawl(folder, resume=True, fetcher=site, clock=site.clock).block(
                f"{SITE}{PRIVATE}", "not this one"
            )

    crawl_own(folder, site, between=between)
    assert private_at(site) == []


def test_a_page_that_was_not_listed_is_not_fetched(tmp_path: Path) -> None:
    """Its line was listed, but not the page: it waits for its own turn, after the list."""
    site, seen = shop(), list[list[str]]()
    crawl_own(tmp_path / "crawl", site, between=lambda _: seen.append(private_at(site)))
    assert seen == [[], [], [PRIVATE]]


def test_no_answer_is_no(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a yes nothing is requested, and the list was shown."""
    for answer in ("", "\n", "n\n", "maybe\n"):
        monkeypatch.setattr("sys.stdin", StringIO(answer))
        site = shop()
        crawl_own(tmp_path / f"crawl{len(answer)}", site, yes=False)
        assert private_at(site) == []
        assert f"  {SITE}{PRIVATE}\n" in capsys.readouterr().err


def test_it_is_asked_once_and_other_lines_are_not_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A yes is for the lines that were listed; what another line disallows is named at the end."""
    site = shop(CLOSED + "Disallow: /till\n" + token_line())
    site.routes |= {"/private/2": html("second", "/till/1"), "/till/1": html("till")}
    monkeypatch.setattr("sys.stdin", StringIO("y\ny\ny\n"))
    crawl_own(tmp_path / "crawl", site, yes=False)
    said = capsys.readouterr().err
    assert said.count("Fetch them?") == 1
    assert private_at(site) == [PRIVATE, "/private/2"]
    assert "/till/1" not in pages_at(site.visits)
    assert "other lines disallow them" in said


@pytest.mark.parametrize("dialect", ["rfc9309", "google"])
def test_it_is_never_faster_than_the_site_asks(tmp_path: Path, dialect: str) -> None:
    """A Crawl-delay counts also where the dialect does not read it."""
    site = shop(CLOSED + "Crawl-delay: 7\n" + token_line())
    crawl_own(tmp_path / "crawl", site, dialect=dialect)
    times = [one.monotonic for one in site.visits if one.path != "/robots.txt"]
    assert len(times) == 4
    assert all(later - earlier >= 7 for earlier, later in pairwise(times))


def test_what_is_excluded_is_neither_listed_nor_fetched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """--exclude holds for what robots.txt disallows, too."""
    site = shop()
    crawl_own(tmp_path / "crawl", site, bounds={"exclude": ("/private/2",)})
    assert private_at(site) == [PRIVATE]
    assert "/private/2" not in capsys.readouterr().err


def test_limits_are_of_all_its_runs(tmp_path: Path) -> None:
    """The pages of a command are counted together."""
    site = shop()
    crawl_own(tmp_path / "crawl", site, bounds={"pages": 3})
    assert pages_at(site.visits) == ["/", "/open", PRIVATE]
