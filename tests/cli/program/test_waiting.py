"""The command line while it waits for a site: the terminal, Ctrl-C, closed pipes."""

import asyncio
import io
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.live_sites import ProgressClock
from goodbot.cli.shared.progress_line import ProgressLine
from goodbot.testing.steps import always
from tests.support.live_sites import assert_nothing_held, assert_whole, check, leading_to, open_site
from tests.support.program import GOODBOT, environment
from tests.support.waiting import HANGS

MOMENTS = 5
"""Each starts the program; `tests/robot/test_store_executor.py` has every moment."""


def last_line(printed: bytes) -> str:
    """Return the text in the line of the cursor after these bytes."""
    line = ""
    for text in printed.decode().rpartition("\n")[2].split("\r"):
        line = text + line[len(text) :]
    return line.rstrip()


def seen_until(control: int, wanted: bytes) -> bytes:
    """Read a terminal until something is seen there."""
    seen = b""
    while wanted not in seen:
        assert select.select([control], [], [], HANGS)[0], seen
        seen += os.read(control, 1000)
    return seen


def rest_of(control: int) -> bytes:
    """Read what is left after the program has ended."""
    os.set_blocking(control, False)
    seen = b""
    try:
        while more := os.read(control, 10_000):
            seen += more
    except OSError:
        pass
    return seen


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminal of this kind")
def test_a_terminal_is_told_what_is_waited_for() -> None:
    """The line shows the request, and is erased when the response is there."""
    control, terminal = os.openpty()
    with open_site("slow-drip") as site:
        words = ["check", "--allow-private", "--timeout", "4", f"{site.origin}/a"]
        with subprocess.Popen(  # noqa: S603  our own program
            [*GOODBOT, *words], stdout=subprocess.PIPE, stderr=terminal, env=environment()
        ) as process:
            seen = seen_until(control, f"\rrequesting {site.origin}/robots.txt …".encode())
            seen += seen_until(control, b" 1 s")
            assert process.wait(HANGS) == ExitStatus.MISUSE
            assert process.stdout is not None
            assert b"could not be fetched: the request timed out" in process.stdout.read()
    seen += rest_of(control)
    os.close(terminal)
    os.close(control)
    assert b"\n" not in seen
    assert last_line(seen) == ""


def test_without_a_terminal_nothing_is_said() -> None:
    """A file gets no progress line."""
    with open_site("slow-drip") as site:
        _, _, complaints = check("--timeout", "0.5", f"{site.origin}/a")
    assert complaints == ""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminal of this kind")
def test_ctrl_c_while_the_site_answers(tmp_path: Path) -> None:
    """It ends at once with 130 and without a word; the store is whole, and nothing is held."""
    store = tmp_path / "robots.db"
    control, terminal = os.openpty()
    with open_site("slow-drip") as site:
        words = ["check", "--allow-private", "--store", str(store), f"{site.origin}/a"]
        with subprocess.Popen(  # noqa: S603  our own program
            [*GOODBOT, *words], stdout=subprocess.PIPE, stderr=terminal, env=environment()
        ) as process:
            seen = seen_until(control, b"requesting ")
            process.send_signal(signal.SIGINT)
            assert process.wait(HANGS) == ExitStatus.INTERRUPTED
            assert process.stdout is not None
            assert process.stdout.read() == b""
    seen += rest_of(control)
    os.close(terminal)
    os.close(control)
    assert last_line(seen) == ""
    assert b"Traceback" not in seen
    assert_whole(store)


@pytest.mark.stress
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send to one process")
def test_ctrl_c_at_any_moment_leaves_nothing_held(tmp_path: Path) -> None:
    """From the first change of the store on: while a lease is granted, and behind that."""
    with open_site("slow-drip") as site:
        for number in range(MOMENTS):
            store = tmp_path / f"{number}.db"
            words = ["check", "--allow-private", "--store", str(store), f"{site.origin}/a"]
            with subprocess.Popen([*GOODBOT, *words], env=environment()) as process:  # noqa: S603  ours
                while not store.exists():
                    time.sleep(0.001)
                time.sleep(0.08 * number / MOMENTS)
                process.send_signal(signal.SIGINT)
                assert process.wait(HANGS) == ExitStatus.INTERRUPTED
            assert_nothing_held(store)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT that ends a process")
def test_ctrl_c_while_a_string_is_executed(tmp_path: Path) -> None:
    """As when a module that is still loading makes a dataclass; `python -m` then died by SIGINT."""
    (tmp_path / "interrupted.py").write_text(
        "from goodbot.cli import main, program\n"
        "program.run = lambda: exec('raise KeyboardInterrupt')\n"
        "main()\n"
    )
    words = [sys.executable, "-m", "interrupted"]
    assert subprocess.run(words, cwd=tmp_path, check=False).returncode == 130  # noqa: S603  ours


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminal of this kind")
def test_ctrl_c_while_it_waits_for_its_turn(tmp_path: Path) -> None:
    """The wait that a site asks for is shown with its seconds, and can be interrupted."""
    store = tmp_path / "robots.db"
    control, terminal = os.openpty()
    away = always(503, b"", "Retry-After: 25")
    with open_site(away) as third, open_site(leading_to(third.origin)) as sites:
        words = ["check", "--allow-private", "--store", str(store)]
        words += [f"{sites.origin}/a", f"{sites.other_origin}/a"]
        with subprocess.Popen(  # noqa: S603  our own program
            [*GOODBOT, *words], stdout=subprocess.PIPE, stderr=terminal, env=environment()
        ) as process:
            seen = seen_until(control, " s: the site must not be visited sooner …".encode())
            process.send_signal(signal.SIGINT)
            assert process.wait(HANGS) == ExitStatus.INTERRUPTED
        assert len(third.visits) == 1
    os.close(terminal)
    os.close(control)
    assert b"\rwaiting 2" in seen
    assert_whole(store)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send to one process")
def test_ctrl_c_while_it_waits_for_a_url() -> None:
    """A list that comes slowly can be broken off between two URLs, and what was answered is out."""
    with (
        open_site("polite") as site,
        subprocess.Popen(  # noqa: S603  our own program
            [*GOODBOT, "check", "--allow-private"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{site.origin}/a\n".encode())
        process.stdin.flush()
        assert process.stdout.readline().startswith(f"{site.origin}/a: Allowed: ".encode())
        process.send_signal(signal.SIGINT)
        _, complaints = process.communicate(timeout=HANGS)
    assert (process.returncode, complaints.strip()) == (ExitStatus.INTERRUPTED, b"")


def test_a_wait_is_counted_down_and_the_question_goes_on() -> None:
    """The clock tells how long it sleeps; then the address is asked again."""
    screen = Terminal()
    progress = ProgressLine(screen)
    progress.ask("https://a.example/robots.txt")
    progress.wait(12, "the site must not be visited sooner")
    assert progress.text is not None
    assert progress.text(0.0) == "waiting 12 s: the site must not be visited sooner …"
    assert progress.text(10.5) == "waiting 2 s: the site must not be visited sooner …"
    asyncio.run(ProgressClock(progress).sleep(0))
    assert progress.text(0.0) == "requesting https://a.example/robots.txt …"


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        """Return true."""
        return True


def test_a_line_that_passes_by_fits_and_steers_nothing() -> None:
    """It is cut to the width, escaped, and erased by spaces."""
    screen = Terminal()
    progress = ProgressLine(screen)
    progress.draw("\x1b[2J" + "a" * 500)
    shown = screen.getvalue()
    assert "\x1b" not in shown
    assert len(shown) <= 200
    progress.draw("b")
    progress.draw("")
    assert last_line(screen.getvalue().encode()) == ""


def test_a_closed_pipe_ends_quietly() -> None:
    """When the reader goes away, the program ends with 141, and makes no more requests."""
    with open_site("polite") as site, open_site("polite") as other:
        words = ["check", "--allow-private", f"{site.origin}/a", *[f"{other.origin}/b"] * 2000]
        with subprocess.Popen(  # noqa: S603  our own program
            [*GOODBOT, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline().startswith(f"{site.origin}/a: Allowed: ".encode())
            process.stdout.close()
            assert process.stderr.read() == b""
        assert process.returncode == ExitStatus.PIPE_CLOSED


def test_an_answer_does_not_wait_for_the_next_site() -> None:
    """A reader of the pipe has the first answer while the second site still drips."""
    with open_site("polite") as site, open_site("slow-drip") as slow:
        words = ["check", "--allow-private", f"{site.origin}/a", f"{slow.origin}/a"]
        with subprocess.Popen(  # noqa: S603  our own program
            [*GOODBOT, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline().startswith(f"{site.origin}/a: Allowed: ".encode())
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            assert process.wait(HANGS) == ExitStatus.INTERRUPTED
