"""`goodbot crawl --alert`: a program without a shell, JSON on its standard input, not too often."""

import asyncio
import json
import shlex
import sys
from pathlib import Path

from goodbot.crawl import SiteAlert
from goodbot.crawl.verbs.crawl_view.alert import MOST_ALERTS, AlertCommand
from goodbot.testing import FakeClock
from tests.support.loopback_shop import ROBOT, Shop, crawl

NOW = FakeClock().now()
WRITES = "import sys; open(sys.argv[1], 'ab').write(sys.stdin.buffer.read())"


def writing(path: Path) -> list[str]:
    """Return a command that appends its standard input to a file."""
    return [sys.executable, "-c", WRITES, str(path)]


def test_the_program_is_given_what_the_site_says(shop: Shop, folder: str, tmp_path: Path) -> None:
    """A comment of the shop reaches it as JSON in ASCII, with folder and robot."""
    shop.pages = {
        **shop.pages,
        "/robots.txt": "User-agent: *\nCrawl-delay: 0\nComment: $(rm x) \x1b[31mé\n".encode(),
    }
    path = tmp_path / "alerts"
    words = [*ROBOT, "--out", folder, "--quiet", "--alert", shlex.join(writing(path))]
    status, _, complaints = crawl(shop.origin, *words)
    assert status == 0
    text = path.read_bytes()
    assert text.isascii()
    assert b"\x1b" not in text
    told = json.loads(text)
    assert (told["folder"], told["robot"], told["not_listed"]) == (folder, "ExampleBot/1.0", 0)
    (alert,) = told["alerts"]
    assert (alert["origin"], alert["kind"]) == (shop.origin, "message")
    assert alert["text"] == "$(rm x) \x1b[31mé"
    # With --quiet, too, the operator hears of it, and nothing steers the terminal.
    assert "$(rm x)" in complaints
    assert "\x1b" not in complaints


def test_it_is_never_taken_from_the_folder(shop: Shop, folder: str, tmp_path: Path) -> None:
    """A resumed crawl runs a program only if --alert is given again."""
    path = tmp_path / "alerts"
    words = [*ROBOT, "--out", folder, "--max-pages", "1"]
    assert crawl(shop.origin, *words, "--alert", shlex.join(writing(path)))[0] == 0
    path.unlink()
    assert str(path).encode() not in (Path(folder) / "crawl.db").read_bytes()
    assert crawl("--resume", "--allow-private", "--out", folder)[0] == 0
    assert not path.exists()


def test_what_cannot_be_run_is_refused_before_anything_is_made(shop: Shop, folder: str) -> None:
    """An unknown program and unmatched quotes are refused."""
    for command in ("no-such-program --x", "'a", ""):
        status, _, complaint = crawl(shop.origin, *ROBOT, "--out", folder, "--alert", command)
        assert status == 2, command
        assert "--alert" in complaint
    assert not Path(folder).exists()
    assert shop.asked == []


def test_a_program_that_fails_is_told_and_stops_nothing(shop: Shop, folder: str) -> None:
    """The crawl still ends normally."""
    command = shlex.join([sys.executable, "-c", "raise SystemExit(3)"])
    status, _, complaints = crawl(shop.origin, *ROBOT, "--out", folder, "--alert", command)
    assert status == 0
    assert "exited with status 3" in complaints


def test_what_comes_meanwhile_is_handed_over_together(tmp_path: Path) -> None:
    """The program runs once at first, and at the end; beyond 100 alerts are counted."""
    path = tmp_path / "alerts"

    async def main() -> None:
        async with AlertCommand(writing(path), {}, print) as alarm:
            alarm.hear(SiteAlert("https://a.example", NOW, "failing", "first"))
            while not path.exists():  # noqa: ASYNC110  another process makes it
                await asyncio.sleep(0.01)  # the program is another process
            for number in range(MOST_ALERTS + 7):
                alarm.hear(SiteAlert("https://a.example", NOW, "message", str(number)))
            alarm.hear("what is no alert")

    asyncio.run(main())
    first, second = map(json.loads, path.read_text().splitlines())
    assert [one["text"] for one in first["alerts"]] == ["first"]
    assert [one["text"] for one in second["alerts"]] == list(map(str, range(MOST_ALERTS)))
    assert second["not_listed"] == 7
