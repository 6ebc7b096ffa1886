"""What a first-time user reads: nothing that is untrue."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import goodbot
from goodbot.blocking import Robot
from goodbot.errors import Disallowed
from tests.support.live_sites import ask
from tests.support.loopback_shop import ROBOT, Shop, crawl, open_shop


@pytest.fixture
def shop() -> Iterator[Shop]:
    """Open a site on which one page fails and an image has no title."""
    pages = {
        "/robots.txt": b"User-agent: *\nDisallow: /till\nCrawl-delay: 0\n",
        "/": b"<title>Shop</title><a href=/lamps>Lamps</a>",
        "/lamps": b"<p>x",
    }
    with open_shop(pages) as site:
        yield site


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Name a folder that is not there yet."""
    return str(tmp_path / "crawl")


def test_a_url_that_failed_is_not_said_to_be_fetched(shop: Shop, folder: str) -> None:
    """It is listed with its reason and the time of the next attempt, and `show` agrees."""
    shop.statuses["/lamps"] = 500
    assert crawl(f"{shop.origin}/", *ROBOT, "--out", folder, "--patience", "9")[0] == 0
    status, told, _ = ask("report", "skipped", folder)
    assert status == 0
    assert "Nothing was skipped" not in told
    assert "server-error: queued for another attempt at 2" in told
    assert f"\nLast responses by site\n  {shop.origin}  200: 1, 500: 1\n\n" in told
    assert told.endswith("1 URL not fetched.\n")
    row, answers = ask("report", "skipped", folder, "--json")[1].splitlines()
    assert json.loads(row)["reason"] == "server-error"
    assert json.loads(answers)["answers"] == {"200": 1, "500": 1}
    assert json.loads(row)["due"].endswith("+00:00")
    assert ask("report", "skipped", folder, "--urls")[1] == f"{shop.origin}/lamps  (server-error)\n"
    status, _, complaint = ask("archive", "show", folder, f"{shop.origin}/lamps")
    assert status == 1
    assert "the response was 500" in complaint
    assert "it is queued for a visit" in complaint
    assert "not been visited" not in complaint


def test_a_url_that_was_not_reached_is_listed(shop: Shop, folder: str) -> None:
    """The sentence that nothing was skipped is printed only if every URL was fetched."""
    assert crawl(f"{shop.origin}/", *ROBOT, "--out", folder, "--max-pages", "1")[0] == 0
    assert "1  not-reached: is queued for a visit\n" in ask("report", "skipped", folder)[1]
    assert crawl("--resume", "--out", folder, "--allow-private", "--max-pages", "9")[0] == 0
    told = ask("report", "skipped", folder)[1]
    assert told == "Nothing was skipped: every URL that was found was fetched.\n"


def test_numbers_of_one_are_singular(shop: Shop, folder: str) -> None:
    """And a page without a title leaves no comma behind."""
    assert crawl(f"{shop.origin}/lamps", *ROBOT, "--out", folder, "--no-sitemaps")[0] == 0
    told = ask("evidence", folder, f"{shop.origin}/lamps")[1]
    assert "In the index: 1 character of text." in told
    shop.pages = {**shop.pages, "/robots.txt": b"User-agent: *\nCrawl-delay: 1\n"}
    told = ask("rules", "-", "--robot", "ExampleBot", given=shop.pages["/robots.txt"])[1]
    assert "\n  1 second between requests\n" in told
    other = folder + " of one"
    told = crawl(f"{shop.origin}/lamps", *ROBOT, "--out", other)[1]
    assert "The whole crawl: 1 URL (1 answered).\n" in told


def test_a_refusal_of_this_machine_is_not_laid_upon_the_site(shop: Shop, folder: str) -> None:
    """No request was made, and the option to add is named."""
    words = ("--robot", "ExampleBot/1.0", "--out", folder)
    status, told, _ = crawl(f"{shop.origin}/", *words)
    assert (status, shop.asked) == (2, [])
    assert f"goodbot crawl --resume --out {folder} --allow-private\n" in told
    told = ask("evidence", folder, f"{shop.origin}/")[1]
    assert "Not requested: goodbot refused the address." in told
    assert "--allow-private" in told
    assert "the site forbids it" not in told


def test_a_url_without_its_slashes_is_forbidden_by_a_file() -> None:
    """With the URL that is meant."""
    words = ("check", "--robots-txt", "-", "http:example.com/x")
    status, told, complaint = ask(*words, given=b"User-agent: *\nDisallow:\n")
    assert status == 1
    assert "Disallowed:" in told
    assert "write http://example.com/x;" in " ".join(complaint.split())


@pytest.mark.parametrize("verb", ["crawl", "policy", "check"])
def test_a_file_in_place_of_a_url_is_told_what_works(verb: str, tmp_path: Path) -> None:
    """Each verb names commands and options that there are."""
    file = tmp_path / "robots.txt"
    file.write_bytes(b"User-agent: *\nDisallow: /till\n")
    words = ("--robot", "ExampleBot/1.0") if verb == "crawl" else ()
    status, told, complaint = ask(verb, str(file).lstrip("/"), *words, cwd="/")
    assert (status, told) == (2, "")
    complaint = " ".join(complaint.split())
    assert f"https://{file}" not in complaint
    if verb == "check":
        assert f"--robots-txt {str(file)[1:]}" in complaint
    else:
        assert f"goodbot rules {str(file)[1:]}" in complaint


def test_a_robots_txt_has_evidence(shop: Shop, folder: str) -> None:
    """It is never queued, and its requests are shown."""
    assert crawl(f"{shop.origin}/", *ROBOT, "--out", folder)[0] == 0
    url = f"{shop.origin}/robots.txt"
    status, told, _ = ask("evidence", folder, url)
    assert status == 0
    assert "status 200" in told
    assert f"goodbot archive show {folder} {url}" in told
    known = json.loads(ask("evidence", folder, url, "--json")[1])
    assert [one["status"] for one in known["requests"]] == [200]


def test_a_line_does_not_call_429_a_server_error(shop: Shop, folder: str) -> None:
    """It has the name of the status."""
    shop.statuses["/lamps"] = 429
    told = crawl(f"{shop.origin}/lamps", *ROBOT, "--out", folder, "--patience", "9")[1]
    assert "too many requests" in told.splitlines()[0]
    assert "server error" not in told.splitlines()[0]


def test_the_disk_limit_holds_when_a_crawl_goes_on(shop: Shop, folder: str) -> None:
    """It is kept with the crawl, and a larger one lifts it."""
    words = (f"{shop.origin}/", *ROBOT, "--out", folder, "--quiet")
    assert "--max-disk" in crawl(*words, "--max-disk", "0.01")[1]
    again = ("--resume", "--out", folder, "--allow-private", "--quiet")
    assert "--max-disk" in crawl(*again)[1]
    assert "Finished: no URLs are left to visit now." in crawl(*again, "--max-disk", "100")[1]


def test_a_refusal_in_python_names_the_argument(shop: Shop) -> None:
    """As the commands name their options; and a directory of names has the lazy ones."""
    assert {"Page", "Policy", "Robot"} <= set(dir(goodbot))
    with (
        Robot("ExampleBot/1.0", info_url="https://a.example/", contact="a@a.example") as robot,
        pytest.raises(Disallowed, match="pass allow_private=True"),
    ):
        robot.visit(f"{shop.origin}/")
