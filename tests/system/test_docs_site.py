"""The documentation site builds without warnings, and reads well in a browser."""

import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest

import goodbot
from goodbot.html_page import family_style
from tests.support.paths import ROOT
from tests.support.waiting import HANGS
from tests.system.browser import barriers, browser, opened

PAGES = [
    "docs/index.html",
    "docs/tutorials/crawl.html",
    "docs/reference/dialects.html",
    "docs/reference/command.html",
    "docs/site/api/goodbot.html",
]
WIDTHS = (1280, 390)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site."""
    folder = tmp_path_factory.mktemp("site")
    words = ["-q", "-W", "--keep-going", "-c", "docs/site", "-d", str(folder / "doctrees")]
    done = subprocess.run(  # noqa: S603  our pages
        [sys.executable, "-m", "sphinx", *words, ".", str(folder / "html")],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_a_page_has_a_search_and_both_modes(site: Path) -> None:
    """Each page has a search field and a switch between light and dark."""
    assert (site / "searchindex.js").stat().st_size > 0
    for page in PAGES:
        text = (site / page).read_text(encoding="utf-8")
        assert 'role="search"' in text
        assert "theme-toggle" in text


def test_the_api_has_every_public_name(site: Path) -> None:
    """Every name in `goodbot.__all__` is documented, with an anchor."""
    text = (site / "docs" / "site" / "api" / "goodbot.html").read_text(encoding="utf-8")
    names = [name for name in goodbot.__all__ if not name.startswith("_")]
    assert [name for name in names if f'id="goodbot.{name}"' not in text] == []


def test_the_search_finds_pages_and_the_dark_mode_is_dark(site: Path) -> None:
    """A reader finds a word, and pages follow the colour mode of the system."""
    style = "getComputedStyle(document.body).backgroundColor"
    with browser() as started:
        page = opened(started, f"{(site / 'search.html').as_uri()}?q=noindex", WIDTHS[0]).page
        page.wait_for_selector("#search-results li", timeout=1_000 * HANGS)
        modes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
        address = (site / PAGES[0]).as_uri()
        colours = [
            opened(started, address, WIDTHS[0], color_scheme=mode).page.evaluate(style)
            for mode in modes
        ]
    assert len(set(colours)) == len(colours), colours


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_scrolls_sideways(site: Path, width: int) -> None:
    """Pages fit the width of a desktop and of a phone; tables scroll within themselves."""
    with browser() as started:
        found = {page: opened(started, (site / page).as_uri(), width).overhang() for page in PAGES}
    assert {page: wide for page, wide in found.items() if wide > 0} == {}


def test_everyone_can_read_a_page(site: Path) -> None:
    """Nothing that axe finds is serious, in light and dark, on a desktop and a phone."""
    with browser() as started:
        for page in PAGES[1:4]:
            for width, mode in zip(WIDTHS, ("light", "dark"), strict=True):
                tab = opened(started, (site / page).as_uri(), width, color_scheme=mode)
                assert barriers(tab.page) == [], (page, mode)


def test_the_site_is_of_the_family(site: Path) -> None:
    """It has the colours and typefaces of the pages that goodbot prints."""
    text = (site / PAGES[0]).read_text(encoding="utf-8")
    for name in ("--paper: ", "--serif: "):
        value = family_style().partition(name)[2].partition(";")[0]
        assert value in text
