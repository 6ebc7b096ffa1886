"""A real browser for tests: headless Chromium, controlled by Playwright."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
"""No sandbox (root may be denied one), and no hosts but this machine."""
HEIGHT = 800
PAPER = 720
"""The width of A4 with its margins."""
WHITE = "rgb(255, 255, 255)"


@dataclass
class Tab:
    """One page of the browser, with the problems that it reports."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    """The errors on the console and in scripts, and what could not be loaded."""

    def __post_init__(self) -> None:
        """Listen for problems."""
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("requestfailed", lambda request: self.complaints.append(request.url))

    def overhang(self) -> int:
        """Return by how many pixels the page is wider than the window."""
        wide = "document.documentElement.scrollWidth - window.innerWidth"
        found: int = self.page.evaluate(wide)
        return found


@contextmanager
def browser() -> Iterator[Browser]:
    """Start a browser."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    assert program is not None, "there is no Chromium; `make test-system` installs it"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=list(QUIET))
        try:
            yield started
        finally:
            started.close()


def opened(started: Browser, url: str, width: int, **options: Any) -> Tab:  # noqa: ANN401  as Playwright takes them
    """Open a page in a window of this width.

    Args:
        started: The browser.
        url: The page.
        width: The width of the window; below 600 it is that of a phone.
        options: Further options of Playwright's `new_context`, such as `color_scheme`.

    """
    window: Any = {"width": width, "height": HEIGHT}
    context = started.new_context(viewport=window, has_touch=width < 600, **options)
    tab = Tab(context.new_page())
    tab.page.goto(url)
    return tab


def check_still_page(tab: Tab, scheme: str) -> None:
    """Check a page without scripts: it fits, has the colours asked for, and nothing in it runs."""
    assert tab.complaints == []
    assert tab.overhang() <= 0
    assert tab.page.locator("script, img").count() == 0
    paper = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    brightness = sum(int(part) for part in paper.strip("rgb()").split(","))
    assert (brightness < 200) is (scheme == "dark")


def check_on_paper(started: Browser, url: str) -> None:
    """Check that a printed page fits A4, and is dark on white whatever the screen is."""
    tab = opened(started, url, PAPER, color_scheme="dark")
    tab.page.emulate_media(media="print", color_scheme="dark")
    assert tab.overhang() <= 0
    colours = "one => [getComputedStyle(one).backgroundColor, getComputedStyle(one).color]"
    paper, ink = tab.page.eval_on_selector("body", colours)
    assert paper == WHITE
    assert sum(int(part) for part in ink.strip("rgb()").split(",")) < 200
    assert not tab.page.locator(".tools").filter(visible=True).count()


def barriers(page: Page) -> list[str]:
    """Return what axe finds to be serious or critical, with the elements."""
    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {[node['html'][:120] for node in one['nodes'][:3]]}"
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]
