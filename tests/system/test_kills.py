"""Processes of a crawl that are killed in truth, at random moments: nothing is lost or early."""

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

from tests.crawl.run.test_crash import Site, opened
from tests.crawl.verbs.test_crawl_processes import (
    check,
    command,
    needs_proc,
    parts_of,
    running,
    wait_until_gone,
)
from tests.support.program import GOODBOT, environment, run
from tests.support.waiting import HANGS

KILLS = 12


@needs_proc
def test_processes_that_are_killed_at_random_moments(tmp_path: Path) -> None:
    """Whichever is killed, the next run goes on; in the end every page is there once."""
    chance = random.Random(13)  # noqa: S311  no secret
    sites = [
        Site(delay=0.05, pages=60),
        Site(delay=0.05, seconds=0.03, busy=frozenset({"/3", "/20"})),
        Site(delay=0.1),
        # Longer than a process needs to start, so that early requests would show.
        Site(delay=1.5, pages=12),
    ]
    with opened(*sites):
        with running(tmp_path, sites) as process:
            kill_one(process, chance, sites, tmp_path)
        for _ in range(KILLS):
            with subprocess.Popen(  # noqa: S603  our own program
                [*GOODBOT, *command(tmp_path, sites, "--resume")],
                env=environment(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            ) as process:
                time.sleep(chance.uniform(0.3, 2.0))
                kill_one(process, chance, sites, tmp_path)
        done = run(*command(tmp_path, sites, "--resume"), env=environment())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["ended"] == "nothing-left"
    check(tmp_path, sites)
    archive = run("archive", "check", tmp_path, "--json")
    assert archive.returncode == 0, archive.stdout


def kill_one(
    process: "subprocess.Popen[str]", chance: random.Random, sites: list[Site], folder: Path
) -> None:
    """Kill the first process of a crawl or one of its parts; wait until all have ended."""
    parts = parts_of(process) if process.poll() is None else []
    os.kill(chance.choice([process.pid, *parts]), signal.SIGKILL)
    _, complaints = process.communicate(timeout=HANGS)
    wait_until_gone(parts)
    for site in sites:
        site.note_lost(folder)
    assert "Traceback" not in complaints
