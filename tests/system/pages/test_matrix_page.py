"""The page of `goodbot check --html` in a real browser: it fits, and nothing in it runs."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.support.live_sites import ask
from tests.system.browser import barriers, check_on_paper, check_still_page, opened

ODD = "<img/src=x/onerror=document.title='run'><script>document.title='run'</script>"
FILE = (
    "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\n"
    f"User-agent: *\nDisallow: /private\nDisallow: /{ODD}\nDisallow: /{'a' * 300}\n"
)
ROBOTS = ("GPTBot", "CCBot", "Googlebot-News", "bingbot", "AVeryLongNameOfARobot" * 4)
URLS = (
    "https://example.com/",
    "https://example.com/private/a",
    f"https://example.com/{ODD}",
    f"https://example.com/{'a' * 400}",
    f"https://example.com/{'%C3%A4/' * 60}?q=<script>document.title='run'</script>",
)


@pytest.fixture(params=[f"{ODD}.txt", "robots.txt"], ids=["odd-name", "plain-name"])
def address(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """Return the address of a page on a file whose own name may be odd."""
    file = tmp_path / request.param.replace("/", "-")
    file.write_text(FILE, encoding="utf-8")
    robots = [word for robot in ROBOTS for word in ("-r", robot)]
    status, output, _ = ask("check", "-f", file.name, *robots, *URLS, "--html", cwd=str(tmp_path))
    assert status == 1
    page = tmp_path / "matrix.html"
    page.write_text(output, encoding="utf-8")
    return page.as_uri()


@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_and_nothing_runs(
    chromium: Browser, address: str, width: int, scheme: str
) -> None:
    """It is no wider than the window, has the colours asked for, and complains of nothing."""
    tab = opened(chromium, address, width, color_scheme=scheme)
    check_still_page(tab, scheme)
    assert tab.page.title() == "What does robots.txt allow?"
    words = tab.page.locator("main").inner_text()
    for text in (*ROBOTS, "Disallow: /private", "<script>"):
        assert text in words
    assert barriers(tab.page) == []


def test_the_page_fits_paper(chromium: Browser, address: str) -> None:
    """A4, dark on white."""
    check_on_paper(chromium, address)


def test_every_answer_is_in_the_matrix(chromium: Browser, address: str) -> None:
    """There is a row a URL and a column a robot, or the other way round, and a word in each."""
    page = opened(chromium, address, 1200).page
    answers = page.locator("table").first.locator(".badge").all_inner_texts()
    assert len(answers) == len(ROBOTS) * len(URLS)
    # GPTBot and CCBot may fetch nothing; the others all but what three rules disallow. A robot of
    # Google's sends `<` as %3C, which its matcher does not compare with `<`.
    assert [word.lower() for word in answers].count("allowed") == 2 * 3 + 1
