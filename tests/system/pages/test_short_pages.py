"""The pages of `goodbot robot page` and of `goodbot page --view marks` in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.support.live_sites import ask
from tests.system.browser import barriers, check_on_paper, check_still_page, opened

ODD = "<img src=x onerror=document.title='run'><script>document.title='run'</script>"
PAGE = (
    f"<title>Lamps</title><p>Brass <span data-nosnippet>lamp{'s' * 300}</span> {ODD}"
    f"<a rel=nofollow href=/{'a' * 400}>more</a>"
)
ROBOT = ("ExampleBot/1.0", "--info-url", "https://example.com/bot", "--contact", "me@example.com")
TITLES = {"robot": "ExampleBot", "marks": "Marks of https://example.com/lamps"}


@pytest.fixture(params=TITLES)
def named_page(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[str, str]:
    """Return a title, and the address of the page that has it."""
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    commands: dict[str, tuple[str, ...]] = {
        "robot": ("robot", "page", "--robot", *ROBOT, "--owner", ODD),
        "marks": ("page", "page.html", "-u", "https://example.com/lamps", "--view", "marks"),
    }
    _, output, told = ask(*commands[request.param], cwd=str(tmp_path))
    assert output, told
    page = tmp_path / "output.html"
    page.write_text(output, encoding="utf-8")
    return TITLES[request.param], page.as_uri()


@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_and_nothing_runs(
    chromium: Browser, named_page: tuple[str, str], width: int, scheme: str
) -> None:
    """It is no wider than the window, has the colours asked for, and can be read by everyone."""
    title, address = named_page
    tab = opened(chromium, address, width, color_scheme=scheme)
    check_still_page(tab, scheme)
    assert tab.page.title() == title
    assert barriers(tab.page) == []


def test_the_page_fits_paper(chromium: Browser, named_page: tuple[str, str]) -> None:
    """A4, dark on white."""
    check_on_paper(chromium, named_page[1])
