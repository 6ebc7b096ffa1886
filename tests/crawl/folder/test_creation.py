"""A crawl can be started again by the same command, wherever its creation was interrupted."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goodbot.crawl import Crawl
from goodbot.crawl.folder.database import FILE
from goodbot.crawl.verbs.crawl_view.given import former_in
from goodbot.errors import StoreError
from goodbot.testing import FakeClock, FakeSite
from tests.support.crawls.memory_crawls import ME, SITE, numbered
from tests.support.examples import some_of, thorough
from tests.support.loopback_shop import ROBOT, open_shop
from tests.support.loopback_shop import crawl as crawl_words
from tests.support.program import GOODBOT, environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")

KILLS = 8
STEPS = {"open", "os.mkdir", "os.truncate", "fcntl.flock", "sqlite3.connect"}
"""Python audit events at which the process may be killed, besides every SQL statement."""


def site() -> FakeSite:
    """Return a site of four pages."""
    return FakeSite({**numbered(3), "/robots.txt": 404}, clock=FakeClock())


def crawl(folder: Path) -> Any:  # noqa: ANN401  a Summary
    """Crawl the site, as the same command does each time."""
    import asyncio  # noqa: PLC0415  forked processes have a loop of their own

    found = site()
    made = Crawl(folder, "ExampleBot/1.0", **ME, start=[SITE + "/"], fetcher=found,
                 clock=found.clock)  # fmt: skip
    return asyncio.run(made.run())


def in_child(act: Callable[[], object]) -> int:
    """Run a function in a process of its own; return its exit status."""
    process = os.fork()
    if not process:
        try:
            act()
        except StoreError:
            os._exit(3)
        except BaseException:  # noqa: BLE001  the status reports it
            os._exit(1)
        os._exit(0)
    return os.waitpid(process, 0)[1]


class Killer:
    """Kills its process at one step, counted from when it was created."""

    def __init__(self, folder: Path, number: int) -> None:
        """Start counting."""
        self.folder, self.number, self.count = str(folder), number, 0
        connect = sqlite3.connect

        def traced(*words: Any, **named: Any) -> sqlite3.Connection:  # noqa: ANN401
            connection: sqlite3.Connection = connect(*words, **named)
            connection.set_trace_callback(self.step)
            return connection

        sqlite3.connect = traced  # type: ignore[assignment]
        sys.addaudithook(self.hear)

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Count the events that concern the folder."""
        first = str(arguments[0]) if arguments else ""
        if event in STEPS and (first.isdigit() or first.startswith(self.folder)):
            self.step(event)

    def step(self, _what: str) -> None:
        """Count a step, and kill the process at the chosen one."""
        self.count += 1
        if self.count == self.number:
            os.kill(os.getpid(), signal.SIGKILL)


def same_command_goes_on(folder: Path) -> None:
    """Check that a crawl starts, whatever is in the folder, and completes."""
    former_in(crawl_words_of(folder))
    summary = crawl(folder)
    assert summary.ended == "nothing-left"
    assert summary.urls == {"done": 4}


def crawl_words_of(folder: Path) -> Any:  # noqa: ANN401  the part of `Words` that is used
    """Return the arguments of the command."""

    class Command:
        goes_on = False

    Command.folder = str(folder)  # type: ignore[attr-defined]
    return Command


@pytest.mark.stress
@thorough
def test_a_crawl_that_is_killed_at_any_step_of_its_beginning(tmp_path: Path) -> None:
    """Kill it at each file that is opened and each statement, until after the first visit."""
    crawl(tmp_path / "warm")  # so that everything is imported
    for number in some_of(range(1, 151)):
        folder = tmp_path / str(number)

        def killed(folder: Path = folder, number: int = number) -> None:
            Killer(folder, number)
            crawl(folder)

        status = in_child(killed)
        same_command_goes_on(folder)
        shutil.rmtree(folder, ignore_errors=True)
        if status == 0:
            break
        assert os.WIFSIGNALED(status), number
    assert number > 80, "there are more steps than that"


@pytest.mark.stress
@pytest.mark.parametrize(
    "size", [0, 1, 100, 4095, 4096, 4097, 8192, 20_000, 40_000, 80_000, 120_000, 160_000]
)
def test_a_disk_that_is_full_at_the_beginning(size: int, tmp_path: Path) -> None:
    """With a limit on file sizes the crawl fails; without it, the same command succeeds."""
    folder = tmp_path / "crawl"
    crawl(tmp_path / "warm")

    def limited() -> None:
        import resource  # noqa: PLC0415  not on Windows

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        crawl(folder)

    status = in_child(limited)
    assert os.waitstatus_to_exitcode(status) == (3 if size < 100_000 else status and 3)
    same_command_goes_on(folder)


@pytest.mark.stress
@thorough
def test_the_program_is_killed_within_its_first_milliseconds(tmp_path: Path) -> None:
    """After `kill -9` at a random moment once its folder exists, the same command succeeds."""
    chance = random.Random(7)  # noqa: S311
    with open_shop() as shop:
        words = [f"{shop.origin}/", *ROBOT, "--allow-private", "--pause", "0", "--quiet", "--json"]
        for number in some_of(range(KILLS)):
            folder = tmp_path / f"crawl {number}"
            process = subprocess.Popen(  # noqa: S603
                [*GOODBOT, "crawl", *words, "--out", str(folder)],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(),
            )  # fmt: skip
            while not folder.exists() and process.poll() is None:
                time.sleep(0.0005)
            time.sleep(chance.uniform(0, 0.03))
            process.kill()
            process.wait()
            status, _, complaints = crawl_words(*words, "--out", str(folder))
            assert status == 0, complaints
            assert (folder / FILE).exists()
