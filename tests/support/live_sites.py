"""Sites on loopback that run while the program visits them, and ways to run the program."""

import asyncio
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from goodbot.testing import Behaviour, LoopbackSite
from goodbot.testing.steps import Script, always
from tests.support import program
from tests.support.program import environment
from tests.support.waiting import HANGS


@contextmanager
def open_site(
    behaviour: str | Script, pages: Mapping[str, Script] | None = None
) -> Iterator[LoopbackSite]:
    """Run a site in a thread; a script is its answer for robots.txt. It may have more pages."""
    named = behaviour if isinstance(behaviour, str) else behaviour_of(behaviour)
    site = LoopbackSite(named, pages=pages)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    asyncio.run_coroutine_threadsafe(site.__aenter__(), loop).result(HANGS)
    try:
        yield site
    finally:
        asyncio.run_coroutine_threadsafe(site.__aexit__(None, None, None), loop).result(HANGS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def behaviour_of(script: Script) -> Behaviour:
    """Return a behaviour that answers robots.txt by a script."""
    return Behaviour(
        name="own",
        does="What the test says.",
        must="What the test says.",
        access="rules",
        authority="the test",
        answer=script,
    )


def ask(
    *words: str | bytes,
    given: bytes = b"",
    env: dict[str, str] | None = None,
    cwd: str | None = None,
    waits: bool = False,
) -> tuple[int, str, str]:
    """Run the program; return its exit status, output and error output.

    It skips the pauses of sites, unless `waits` says otherwise: see `program.run`.
    """
    variables = environment() if env is None else env
    done = program.run(*words, given=given, env=variables, cwd=cwd, waits=waits)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def check(*words: str | bytes, given: bytes = b"") -> tuple[int, str, str]:
    """Run `goodbot check`, with addresses on loopback allowed."""
    return ask("check", "--allow-private", *words, given=given)


def leading_to(url: str) -> Script:
    """Return a script that redirects robots.txt to a URL."""
    return always(302, b"", f"Location: {url}/robots.txt")


def assert_whole(path: Path) -> None:
    """Check that the file is sound and that no lease in it keeps others waiting."""
    with sqlite3.connect(path) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("SELECT held FROM accounts").fetchall()
    database.close()
    assert_nothing_held(path)


def assert_nothing_held(path: Path) -> None:
    """Check that a file holds no lease; it may have no account yet, or no table."""
    with sqlite3.connect(path) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
        if "accounts" in tables:
            assert not database.execute("SELECT origin FROM accounts WHERE held").fetchall()
    database.close()
