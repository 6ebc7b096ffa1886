"""Helpers for the tests of the adapters: a site in its own thread, and plain robots.txt files."""

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from hypothesis import strategies as st

from goodbot.testing import Behaviour, LoopbackSite, behaviour
from goodbot.testing.steps import Script, always
from tests.support.waiting import HANGS

NAMES = ("alpha", "beta", "gamma")
"""Names, none of which contains another."""

LETTERS = st.sampled_from("abc/")
PATHS = st.text(LETTERS, max_size=6).map("/{}".format).filter(lambda path: "//" not in path)


def says(status: int, body: bytes = b"", *fields: str) -> Behaviour:
    """Return the behaviour of a site whose robots.txt always gets this answer."""
    return answers(always(status, body, *fields))


def answers(script: Script) -> Behaviour:
    """Return the behaviour of a site whose robots.txt is answered by a script."""
    return replace(behaviour("polite"), name="of-a-test", answer=script)


@contextmanager
def serving(
    how: str | Behaviour = "polite", pages: Mapping[str, bytes | Script] | None = None
) -> Iterator[LoopbackSite]:
    """Run a site in a thread, for clients that block."""
    site = LoopbackSite(how, pages=pages)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(site.__aenter__(), loop).result(HANGS)
        yield site
    finally:
        asyncio.run_coroutine_threadsafe(site.__aexit__(None, None, None), loop).result(HANGS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(HANGS)
        loop.close()


@st.composite
def plain_files(draw: st.DrawFn) -> str:
    """Draw a robots.txt on which all parsers should agree.

    It avoids what goodbot departs from other parsers on: several groups for one robot, names that
    contain one another, a short rule before a long one and ties, wildcards, escapes, blank lines
    within groups, unusual fields and values.
    """
    names = draw(st.lists(st.sampled_from([*NAMES, "*"]), unique=True, max_size=4))
    groups = []
    for name in names:
        paths = draw(st.lists(PATHS, unique=True, min_size=1, max_size=6))
        lines = [f"User-agent: {name}"]
        if draw(st.booleans()):
            lines.append(f"Crawl-delay: {draw(st.integers(0, 99))}")
        if draw(st.booleans()):
            lines.append(f"Request-rate: {draw(st.integers(1, 9))}/{draw(st.integers(1, 99))}")
        kinds = draw(st.lists(st.sampled_from(["Allow", "Disallow"]), min_size=6, max_size=6))
        longest_first = sorted(paths, key=len, reverse=True)
        lines += [f"{kind}: {path}" for kind, path in zip(kinds, longest_first, strict=False)]
        groups.append("\n".join(lines))
    sitemaps = [f"Sitemap: https://a.example/{n}.xml" for n in range(draw(st.integers(0, 2)))]
    return "\n\n".join([*groups, *sitemaps]) + "\n"


ROBOTS = st.sampled_from([*NAMES, "Alpha/2.0", "delta"])
URLS = st.tuples(PATHS, st.sampled_from(["", "?a=b"])).map("".join)
