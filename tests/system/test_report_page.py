"""The report of a crawl in a real browser: no errors, and no sideways scrolling."""

import asyncio
from pathlib import Path

import pytest

from tests.support import program
from tests.support.sample_crawl import sample
from tests.system.browser import browser

WIDTHS = (1280, 390)
"""A desktop and a phone."""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the report of the sample, including hostile URLs."""
    folder = tmp_path_factory.mktemp("crawl")
    sample(folder).database.close()
    page = folder / "report.html"
    assert program.run("report", str(folder), "-o", str(page)).returncode in {0, 1}
    return page


@pytest.mark.parametrize("width", WIDTHS)
def test_the_report_fits_and_nothing_complains(report: Path, width: int) -> None:
    """Console and network show no problem, no script runs, and the page fits the window."""

    async def look() -> tuple[list[str], str, int, int]:
        async with browser() as tab:
            await tab.open(report.as_uri(), width)
            title = await tab.value("document.title")
            scripts = await tab.value("document.scripts.length")
            wide = await tab.value("document.documentElement.scrollWidth - window.innerWidth")
            return tab.complaints, title, scripts, wide

    complaints, title, scripts, wide = asyncio.run(look())
    assert complaints == []
    assert title
    assert scripts == 0
    assert wide <= 0


def test_the_browser_sees_what_is_wrong(tmp_path: Path) -> None:
    """A page with an error, or wider than the window, is distinguished from one in order."""
    page = tmp_path / "wrong.html"
    page.write_text("<p style='width:2000px'>x<script>undefined.x</script>", encoding="utf-8")

    async def look() -> tuple[list[str], int]:
        async with browser() as tab:
            await tab.open(page.as_uri(), 1280)
            wide = await tab.value("document.documentElement.scrollWidth - window.innerWidth")
            return tab.complaints, wide

    complaints, wide = asyncio.run(look())
    assert complaints
    assert wide > 0
