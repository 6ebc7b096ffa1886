"""Sites on loopback that stay open while the program asks them, and the program itself."""

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from goodbot.testing import Behaviour, LoopbackSite
from goodbot.testing.steps import Script, always
from tests.support import program
from tests.support.program import environment


@contextmanager
def open_site(behaviour: str | Script) -> Iterator[LoopbackSite]:
    """Open a site in a thread; a script is what it answers for robots.txt."""
    site = LoopbackSite(behaviour if isinstance(behaviour, str) else behaviour_of(behaviour))
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    asyncio.run_coroutine_threadsafe(site.__aenter__(), loop).result(10)
    try:
        yield site
    finally:
        asyncio.run_coroutine_threadsafe(site.__aexit__(None, None, None), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def behaviour_of(script: Script) -> Behaviour:
    """Make a behaviour of what is answered for robots.txt."""
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
) -> tuple[int, str, str]:
    """Run the program; its exit status, output and complaints."""
    done = program.run(*words, given=given, env=environment() if env is None else env, cwd=cwd)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def check(*words: str | bytes, given: bytes = b"") -> tuple[int, str, str]:
    """Run `goodbot check`, also for addresses on loopback."""
    return ask("check", "--allow-private", *words, given=given)


def leading_to(url: str) -> Script:
    """Redirect every request to a robots.txt elsewhere."""
    return always(302, b"", f"Location: {url}/robots.txt")


def assert_whole(path: Path) -> None:
    """The file is sound, and no lease is left in it that would keep others waiting."""
    with sqlite3.connect(path) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("SELECT held FROM accounts").fetchall()
    database.close()
    assert_nothing_held(path)


def assert_nothing_held(path: Path) -> None:
    """No lease is left in a file that may have no account yet, nor any table."""
    with sqlite3.connect(path) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
        if "accounts" in tables:
            assert not database.execute("SELECT origin FROM accounts WHERE held").fetchall()
    database.close()
