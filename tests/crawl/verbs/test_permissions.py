"""`goodbot crawl`: what is refused before it begins, and how it ends when the terminal goes."""

import asyncio
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

import goodbot
from goodbot.crawl import Crawl
from goodbot.http.address import address_of
from tests.crawl.verbs.test_crawl import states
from tests.support import program
from tests.support.loopback_shop import ROBOT, Shop, crawl
from tests.support.program import GOODBOT, environment
from tests.support.waiting import HANGS

WINDOWS = sys.platform == "win32"


HALF_URLS = [
    "http:example.com/x",
    "http:/example.com/x",
    "http:///example.com/x",
    "http:\\\\example.com\\x",
    "HTTP:/\\example.com/x",
]


@pytest.mark.parametrize("url", HALF_URLS)
def test_a_url_without_its_two_slashes_is_refused_everywhere(url: str, folder: str) -> None:
    """Two readers may go to two places with it; the message has the URL that is meant."""
    status, told, complaints = crawl(url, *ROBOT, "--out", folder)
    assert (status, told) == (2, "")
    assert "write http://example.com/x" in complaints
    assert not Path(folder).exists()
    for verb in ("check", "policy"):
        done = program.run(verb, url, env=environment())
        assert done.returncode == 2
        assert b"write http://example.com/x" in done.stderr
    page = program.run("page", "-", "--url", url, given=b"<p>x", env=environment())
    assert page.returncode == 2
    with pytest.raises(goodbot.NoOriginError, match=r"write http://example.com/x"):
        address_of(url)


def test_permissions_are_asked_for_again(shop: Shop, folder: str) -> None:
    """It is refused at once, with the options to add, which are never read from the folder."""
    network = ("--allow-network", "100.64.0.0/10")
    words = (f"{shop.origin}/", *ROBOT, "--out", folder, "--quiet", "--max-pages", "1")
    assert crawl(*words, *network)[0] == 0
    visits = len(shop.asked)
    for given, added in (
        ((), "--allow-private --allow-network 100.64.0.0/10"),
        (("--allow-private",), "--allow-network 100.64.0.0/10"),
        (network, "--allow-private"),
    ):
        for verb in (("--resume",), ("--due",), (f"{shop.origin}/", "-r", "ExampleBot/1.0")):
            status, told, complaints = crawl(*verb, "--out", folder, *given)
            assert (status, told) == (2, "")
            assert f"was started with {added}. " in complaints
            command = shlex.split(complaints.splitlines()[-1])
            assert {*shlex.split(added), *given, verb[0]} <= {*command}
    assert len(shop.asked) == visits
    assert crawl("--resume", "--out", folder, "--allow-private", *network)[0] == 0


def test_a_crawl_in_python_asks_for_permissions_again(shop: Shop, folder: str) -> None:
    """With the arguments to pass."""
    assert crawl(f"{shop.origin}/", *ROBOT, "--out", folder, "--quiet")[0] == 0
    again = Crawl(
        folder,
        "ExampleBot/1.0",
        info_url="https://example.com/bot",
        contact="bot@example.com",
    )
    with pytest.raises(goodbot.MisuseError, match="started with allow_private=True; pass it again"):
        asyncio.run(again.run())


@pytest.mark.stress
@pytest.mark.skipif(WINDOWS, reason="there is no SIGHUP")
@pytest.mark.parametrize("ignored", [False, True])
def test_a_terminal_that_goes_ends_the_crawl_unless_that_is_ignored(
    shop: Shop, folder: str, *, ignored: bool
) -> None:
    """As SIGTERM does; after `nohup` it goes on, whatever becomes of the terminal."""
    shop.hold("/")
    terminal, process = begun_on_terminal(shop, folder, ignored=ignored)
    assert shop.at_gate.wait(HANGS)
    process.send_signal(signal.SIGHUP)
    os.close(terminal)
    time.sleep(0.5)
    assert process.poll() is None, "what is under way comes to its end"
    shop.gate.set()
    assert process.wait(HANGS) == (0 if ignored else 130)
    assert set(states(folder).values()) == (
        {"done", "disallowed"} if ignored else {"done", "queued"}
    )
    assert crawl("--resume", "--out", folder, "--allow-private")[0] == 0
    assert "queued" not in states(folder).values()


def begun_on_terminal(
    shop: Shop, folder: str, *, ignored: bool
) -> tuple[int, "subprocess.Popen[bytes]"]:
    """Start a slow crawl on a terminal; return our end of it, and the process."""
    words = [f"{shop.origin}/", *ROBOT, "--out", folder]
    command = [*GOODBOT, "crawl", *words]
    if ignored:
        command = ["/bin/sh", "-c", 'trap "" HUP; exec "$@"', "sh", *command]
    ours, theirs = os.openpty()
    process = subprocess.Popen(  # noqa: S603
        command, stdin=theirs, stdout=subprocess.DEVNULL if ignored else theirs,
        stderr=subprocess.DEVNULL if ignored else theirs, env=environment(),
        start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    threading.Thread(target=read_all, args=(ours,), daemon=True).start()
    return ours, process


def read_all(terminal: int) -> None:
    """Read what is written to a terminal until that is gone: else its writer would wait."""
    with suppress(OSError):
        while os.read(terminal, 4096):
            pass
