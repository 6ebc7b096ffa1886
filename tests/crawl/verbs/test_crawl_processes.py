"""`goodbot crawl --processes`, as a program: stopped, killed and resumed, it loses nothing."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.frontier.reading import entries
from tests.crawl.run.test_crash import Site, check_pace, opened
from tests.support.examples import some_of, thorough
from tests.support.program import GOODBOT, environment, run
from tests.support.waiting import HANGS, wait_until

OPTIONS = ("--robot", "ExampleBot/1.0", "--allow-private", "--pause", "0.05", "--json")


def command(folder: Path, sites: list[Site], *words: str) -> list[str]:
    """Return the words of a crawl of some sites in three processes."""
    urls = [f"{site.origin}/" for site in sites]
    return ["crawl", *urls, "--out", str(folder), "--processes", "3", *OPTIONS, *words]


@contextmanager
def running(folder: Path, sites: list[Site]) -> Iterator["subprocess.Popen[str]"]:
    """Start a crawl, and wait until it has fetched some pages."""
    with subprocess.Popen(  # noqa: S603  our own program
        [*GOODBOT, *command(folder, sites)],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        fetched = 0
        while fetched < 12:
            fetched += json.loads(process.stdout.readline())["event"] == "settled"
        try:
            yield process
        finally:
            process.kill()


def parts_of(process: "subprocess.Popen[str]") -> list[int]:
    """Return the numbers of the processes that a crawl has started."""
    path = f"/proc/{process.pid}/task/{process.pid}/children"
    return [int(one) for one in Path(path).read_text().split()]


def wait_until_gone(numbers: list[int]) -> None:
    """Wait until processes have ended."""
    wait_until(
        lambda: not any(Path(f"/proc/{number}/stat").exists() for number in numbers),
        "the end of the other processes",
    )


def sites_of(count: int) -> list[Site]:
    """Return sites that one process would visit for some seconds."""
    return [Site(delay=0.05, pages=20) for _ in range(count)]


def check(folder: Path, sites: list[Site]) -> None:
    """Every page is there once, and no request was early."""
    with open_readonly(folder) as database:
        found = list(entries(database))
    urls = [f"{site.origin}/{page}" for site in sites for page in ["", *range(site.pages)]]
    assert sorted(one.url for one in found) == sorted(urls)
    assert {one.state for one in found} == {"done"}
    for site in sites:
        check_pace(site)


needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux's /proc")


@pytest.mark.stress
@needs_proc
@pytest.mark.parametrize("victim", ["part", "face"])
def test_a_process_that_is_killed(victim: str, tmp_path: Path) -> None:
    """The others stop in order; a killed part is named; resumed, the crawl has every page once."""
    sites = sites_of(4)
    with opened(*sites):
        with running(tmp_path, sites) as process:
            parts = parts_of(process)
            assert len(parts) == 3
            os.kill(parts[1] if victim == "part" else process.pid, signal.SIGKILL)
            _, complaints = process.communicate(timeout=HANGS)
            if victim == "part":
                assert process.returncode == 2
                assert "process 2 of 3" in complaints
                assert "by signal 9, as a system does when memory runs out" in complaints
                assert "--resume" in complaints
        done = run(
            "crawl", "--resume", "--out", tmp_path, "--allow-private", "--json", env=environment()
        )
        wait_until_gone(parts)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["ended"] == "nothing-left"
    check(tmp_path, sites)


@pytest.mark.stress
@needs_proc
@thorough
@pytest.mark.parametrize("number", some_of([signal.SIGINT, signal.SIGTERM, signal.SIGHUP]))
def test_a_crawl_that_is_stopped(number: signal.Signals, tmp_path: Path) -> None:
    """Requests under way are finished, the summary is printed, and all processes end."""
    sites = sites_of(3)
    with opened(*sites), running(tmp_path, sites) as process:
        parts = parts_of(process)
        process.send_signal(number)
        output, complaints = process.communicate(timeout=HANGS)
        wait_until_gone(parts)
    assert process.returncode == 130
    assert "Finishing running requests" in complaints
    last = json.loads(output.splitlines()[-1])
    assert (last["event"], last["ended"]) == ("ended", "stopped")
    assert last["urls"]["done"] == last["reasons"]["fetched"] == last["pages"]
    assert last["urls"]["queued"]
    for site in sites:
        check_pace(site)
