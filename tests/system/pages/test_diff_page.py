"""The page of `goodbot diff --html` in a real browser: it fits, and nothing in it runs."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.support.live_sites import ask
from tests.system.browser import barriers, check_on_paper, check_still_page, opened

ODD = "<img src=x onerror=document.title='run'><script>document.title='run'</script>"
OLD = "User-agent: *\nDisallow: /private\n"
NEW = (
    f"User-agent: *\nDisallow: /private/\nDisallow: /{'a' * 300}\nDisallow: /{ODD}\n"
    f"User-agent: {ODD}\nDisallow: /\nComment: {ODD}\nSitemap: https://example.com/{'s' * 200}\n"
)


@pytest.fixture
def address(tmp_path: Path) -> str:
    """Return the address of a page."""
    (tmp_path / "old").write_text(OLD, encoding="utf-8")
    (tmp_path / "new").write_text(NEW, encoding="utf-8")
    status, output, _ = ask("diff", "old", "new", "--html", cwd=str(tmp_path))
    assert status == 1
    page = tmp_path / "diff.html"
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
    assert tab.page.title() == "What changes in robots.txt"
    words = tab.page.locator("main").inner_text()
    assert "Disallow: /private" in words
    assert "<script>" in words
    assert barriers(tab.page) == []


def test_the_page_fits_paper(chromium: Browser, address: str) -> None:
    """A4, dark on white."""
    check_on_paper(chromium, address)
