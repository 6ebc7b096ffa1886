"""The page of `goodbot audit --html` in a real browser: it fits, and nothing of the log runs."""

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.support.live_sites import ask
from tests.support.paths import ROOT
from tests.system.browser import barriers, check_on_paper, opened

ODD = "<img/src=x/onerror=document.title='run'><script>document.title='run'</script>"
DARK = 200


@pytest.fixture
def address(tmp_path: Path) -> str:
    """Return the address of a page about the example, with markup in a target and a name."""
    folder = tmp_path / "example"
    shutil.copytree(ROOT / "examples" / "audit", folder)
    with (folder / "access.log").open("a", encoding="utf-8") as file:
        for agent in ("GrazeBot/1.0 (+https://grazebot.example/)", f"{ODD}Bot/1.0"):
            file.write(
                f'203.0.113.200 - - [08/Mar/2026:17:50:00 +0000] "GET /reviews/{ODD}{"a" * 300} '
                f'HTTP/1.1" 200 5 "-" "{agent}"\n'
            )
    status, _, told = ask(
        "audit", "access.log", "--policy", "robots", "--site", "https://example.com", "--unknown",
        "--addresses", "GPTBot=gptbot.txt", "--html", "a.html", cwd=str(folder),
    )  # fmt: skip
    assert status == 0, told
    return (folder / "a.html").as_uri()


@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_and_nothing_of_the_log_runs(
    chromium: Browser, address: str, width: int, scheme: str
) -> None:
    """It is no wider than the window, has the colours asked for, and can be read by everyone."""
    tab = opened(chromium, address, width, color_scheme=scheme)
    assert tab.complaints == []
    assert tab.overhang() <= 0
    assert tab.page.title() == "Did robots obey robots.txt?"
    assert tab.page.locator("script").count() == 1
    assert tab.page.locator("img").count() == 0
    paper = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(int(part) for part in paper.strip("rgb()").split(",")) < DARK) is (scheme == "dark")
    assert "<script>" in tab.page.locator("main").inner_text()
    assert barriers(tab.page) == []


def test_the_page_fits_paper(chromium: Browser, address: str) -> None:
    """A4, dark on white."""
    check_on_paper(chromium, address)


def test_tables_are_searched_and_sorted(chromium: Browser, address: str) -> None:
    """A word leaves the rows that have it; a head sorts by numbers, then the other way."""
    tab = opened(chromium, address, 1200)
    robots = tab.page.locator(
        "section", has=tab.page.get_by_role("heading", name="Robots", exact=True)
    )
    rows = robots.locator("tbody tr:visible")
    every = rows.count()
    robots.get_by_label("Search this table").fill("grazebot")
    assert every > rows.count() == 1
    robots.get_by_label("Search this table").fill("")
    numbers = []
    for order in ("ascending", "descending"):
        robots.get_by_role("button", name="requests").click()
        assert robots.locator(f'th[aria-sort="{order}"]').inner_text().startswith("requests")
        cells = robots.locator("tbody tr td:nth-child(3)").all_inner_texts()
        numbers.append([int(text) for text in cells])
    assert numbers[0] == sorted(numbers[0]) == numbers[1][::-1]
    assert numbers[0][0] < numbers[0][-1]


def test_a_phone_sorts_by_a_list(chromium: Browser, address: str) -> None:
    """The heads are not shown there."""
    tab = opened(chromium, address, 390)
    robots = tab.page.locator(
        "section", has=tab.page.get_by_role("heading", name="Robots", exact=True)
    )
    robots.get_by_label("Sort by").select_option(label="violations")
    cells = robots.locator("tbody tr td:nth-child(8)").all_inner_texts()
    assert cells[-1] == max(cells, key=int)


def test_without_scripts_the_tables_are_plain(chromium: Browser, address: str) -> None:
    """Everything is there, without controls that do nothing."""
    tab = opened(chromium, address, 1200, java_script_enabled=False)
    assert tab.page.locator(".tools").count() == 0
    assert tab.page.get_by_role("columnheader", name="violations").count() == 1
    assert "GrazeBot" in tab.page.locator("main").inner_text()
