"""The core works beside other threads: long calls release the GIL."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from operator import methodcaller
from typing import TYPE_CHECKING

import pytest

import goodbot
from goodbot._core import HtmlDocument, parse_html

if TYPE_CHECKING:
    from goodbot.page.plan import CorePlan

LARGE = b"<p>some <b>words</b> and <a href=/a>a link</a>" * 20_000
NEVER, AT_ONCE = 1_000.0, 1e-6
"""The seconds for which a thread that waits for the GIL leaves it to another."""


@pytest.fixture
def waits(request: pytest.FixtureRequest) -> Iterator[None]:
    """Set how long threads wait before they ask another to give way."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(request.param)
    yield
    sys.setswitchinterval(interval)


ATTEMPTS = 200
"""On a busy machine the other thread may miss a short call, but never all of them."""
CALL = methodcaller("__call__")


def turns_during(work: Callable[[], object]) -> int:
    """Count the turns that another thread gets within one call of the core.

    Everything between the two readings of the count is in C: the interpreter, which lets threads
    change between its instructions, is not involved.
    """
    turns: list[None] = []
    is_over = threading.Event()

    def other() -> None:
        while not is_over.is_set():
            turns.append(None)
            time.sleep(0)

    thread = threading.Thread(target=other)
    thread.start()
    try:
        before, _, after = map(CALL, (turns.__len__, work, turns.__len__))
    finally:
        is_over.set()
        thread.join()
    return int(after) - int(before)


RULES = b"User-agent: *\n" + b"Disallow: /a*b\nDisalow: /c\n" * 20_000
Work = Callable[[], object]


@cache
def plan() -> "CorePlan":
    """Return the plan by which the core scans a large page."""
    page = goodbot.Page("https://example.com/", LARGE)
    return page._reading.marked.plan.as_dict("https://example.com/")  # noqa: SLF001  not available in public


@cache
def document() -> HtmlDocument:
    """Return the large page, parsed."""
    return parse_html(LARGE, None, [])


@cache
def robots_txt() -> goodbot.RobotsTxt:
    """Return a large robots.txt file, parsed."""
    return goodbot.RobotsTxt(RULES)


def lists(name: str, count: int) -> Work:
    """Return a call that lists what a scan found, with the verdicts of as many acts."""
    verdicts = [goodbot.Page("https://example.com/", b"").index]
    return partial(getattr(document().scan(plan()), name), *[verdicts] * count)


LONG_CALLS: dict[str, Callable[[], Work]] = {
    "parse_html": lambda: partial(parse_html, LARGE, None, []),
    "scan": lambda: partial(document().scan, plan()),
    "archive": lambda: partial(document().archive, plan(), ([], [], [])),
    "RobotsTxt": lambda: partial(goodbot.RobotsTxt, RULES),
    "RobotsTxt.findings": lambda: partial(getattr, goodbot.RobotsTxt(RULES), "findings"),
    "RobotsTxt.rules_for": lambda: partial(robots_txt().rules_for, "ExampleBot"),
    "Rules.verdicts_many": lambda: partial(
        robots_txt().rules_for("ExampleBot").verdicts_many, ["/x"] * 20_000
    ),
}
LONG_LISTS: dict[str, Callable[[], Work]] = {
    "runs": lambda: lists("runs", 3),
    "links": lambda: lists("links", 2),
}
"""They are prepared by the test, and not while tests are collected."""


@pytest.mark.usefixtures("waits")
@pytest.mark.parametrize("waits", [NEVER], indirect=True)
@pytest.mark.parametrize("name", LONG_CALLS)
def test_another_thread_runs_meanwhile(name: str) -> None:
    """A long call releases the GIL of its own accord."""
    work = LONG_CALLS[name]()
    assert any(turns_during(work) for _ in range(ATTEMPTS))


@pytest.mark.usefixtures("waits")
@pytest.mark.parametrize("waits", [AT_ONCE], indirect=True)
@pytest.mark.parametrize("name", LONG_LISTS)
def test_who_makes_many_objects_gives_way(name: str) -> None:
    """Creating Python objects needs the GIL; a thread that waits for it gets it in between."""
    work = LONG_LISTS[name]()
    assert any(turns_during(work) for _ in range(ATTEMPTS))


@pytest.mark.usefixtures("waits")
@pytest.mark.parametrize("waits", [NEVER, AT_ONCE], indirect=True)
def test_what_keeps_the_gil_lets_no_other_thread_run() -> None:
    """The measure itself works: during a call that keeps the GIL the other thread gets no turn."""
    keeps_it = partial(sorted, range(200_000), key=str)
    assert not any(turns_during(keeps_it) for _ in range(5))
