"""Draw the pictures of README.md: a terminal session as SVG, and a crawl's report as PNG.

Run it with `make pictures`, which needs Chromium for the report. Both show what the program prints
today: the session runs its commands, and the report is that of a crawl of the shop that tests
visit, kept in memory so that no pause takes time. A test compares the words of the report with
those in `report.txt`, and so finds that a picture is old.
"""

import io
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT))  # for tests.support and tests.system

from tests.support.shop_site.crawled import crawl_shop  # noqa: E402  after the path

COLUMNS = 104
WIDTH, HEIGHT = 1100, 1080
ROBOTS = "Googlebot,bingbot,GPTBot,ClaudeBot"
ONLY_ROBOTS = """
for (const one of document.querySelectorAll("main > section:not(#robots)")) one.remove();
"""
"""What is removed from the report, so that the picture has what an owner asks first."""
ROBOTS_TXT = "User-agent: *\nDisallow: /private\nAllow: /private/press\nCrawl-delay: 2\n"
CHECK = "goodbot check --robots-txt robots.txt --robot ExampleBot --explain"
SESSION = [
    ("cat robots.txt", "cat robots.txt"),
    (
        f"{CHECK} \\\n    https://example.com/private/press https://example.com/private/diary",
        f"{CHECK} https://example.com/private/press https://example.com/private/diary",
    ),
]
"""What the picture shows as typed, and what is run."""
FONTS = re.compile(r"@font-face \{.*?\}", re.DOTALL)
"""Fonts from elsewhere, which a viewer of the picture should not have to fetch."""


def on_a_terminal(command: str, folder: Path) -> str:
    """Return what a command prints on a terminal, with its colours."""
    ours, theirs = pty.openpty()
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "TERM": "xterm-256color",
        "COLUMNS": str(COLUMNS),
    }
    process = subprocess.Popen(  # noqa: S602  the commands stand above
        command, shell=True, cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    printed = bytearray()
    try:
        while piece := os.read(ours, 65_536):
            printed += piece
    except OSError:  # how Linux reports that the last writer has closed the terminal
        pass
    process.wait()
    os.close(ours)
    return printed.decode().replace("\r\n", "\n")


def draw_session(path: Path) -> None:
    """Write the terminal session as SVG."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), color_system="truecolor")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "robots.txt").write_text(ROBOTS_TXT, encoding="utf-8")
        for shown, command in SESSION:
            console.print(Text.assemble(("$ ", "bold green"), (shown, "bold")))
            console.print(Text.from_ansi(on_a_terminal(command, folder).rstrip()))
            console.print()
    svg = console.export_svg(title="goodbot", theme=DIMMED_MONOKAI, unique_id="session")
    path.write_text(FONTS.sub("", svg), encoding="utf-8")


def report(folder: Path) -> Path:
    """Crawl the shop of the tests in memory, and return the page of its report."""
    crawl_shop(folder)
    words = ["report", str(folder), "--for", ROBOTS]
    subprocess.run([sys.executable, "-m", "goodbot", *words], check=True, capture_output=True)  # noqa: S603  our own program
    return folder / "report.html"


def words_of(page: str) -> str:
    """Return the words that the picture shows: the head of a report, and its counts by robot."""
    head = page.partition("<header")[2].partition("</header>")[0]
    robots = page.partition('<section id="robots">')[2].partition("</table>")[0]
    texts = re.sub(r"<[^>]*>", "\n", f"<{head}<p>{robots}").splitlines()
    return "".join(f"{text.strip()}\n" for text in texts if text.strip())


def owner_view(page: Path) -> bytes:
    """Return the top of a report, and its section on robots, as PNG."""
    from tests.system.browser import browser, opened  # noqa: PLC0415  needs Chromium

    with browser() as started:
        tab = opened(started, page.as_uri(), WIDTH).page
        tab.evaluate(ONLY_ROBOTS)
        tab.wait_for_selector("#robots [data-table=robots-closed] .frame")
        clip: Any = {"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT}
        png: bytes = tab.screenshot(clip=clip, full_page=True)
    return png


def main() -> None:
    """Draw both pictures."""
    draw_session(HERE / "terminal.svg")
    with tempfile.TemporaryDirectory() as folder:
        page = report(Path(folder))
        png = owner_view(page)
        words = words_of(page.read_text(encoding="utf-8"))
    (HERE / "report.png").write_bytes(png)
    (HERE / "report.txt").write_text(words, encoding="utf-8")


if __name__ == "__main__":
    main()
