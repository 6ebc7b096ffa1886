"""The core works beside other threads: long calls release the GIL."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from operator import methodcaller

import pytest

import goodbot
from goodbot._core import parse_html

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


READING = goodbot.Page("https://example.com/", LARGE)._reading  # noqa: SLF001  not available in public
PLAN = READING.marked.plan.as_dict("https://example.com/")
DOCUMENT = parse_html(LARGE, None, [])
SCAN = DOCUMENT.scan(PLAN)
NAMES = [goodbot.Page("https://example.com/", b"").index]
RULES = b"User-agent: *\n" + b"Disallow: /a*b\nDisalow: /c\n" * 20_000
ROBOTS_TXT = goodbot.RobotsTxt(RULES)
RULES_OF_ONE = ROBOTS_TXT.rules_for("ExampleBot")
LONG_CALLS: dict[str, Callable[[], object]] = {
    "parse_html": partial(parse_html, LARGE, None, []),
    "scan": partial(DOCUMENT.scan, PLAN),
    "archive": partial(DOCUMENT.archive, PLAN, ([], [], [])),
    "RobotsTxt": partial(goodbot.RobotsTxt, RULES),
    "RobotsTxt.findings": partial(getattr, ROBOTS_TXT, "findings"),
    "RobotsTxt.rules_for": partial(ROBOTS_TXT.rules_for, "ExampleBot"),
    "Rules.verdicts_many": partial(RULES_OF_ONE.verdicts_many, ["/x"] * 20_000),
}


LONG_LISTS: dict[str, Callable[[], object]] = {
    "runs": partial(SCAN.runs, NAMES, NAMES, NAMES),
    "links": partial(SCAN.links, NAMES, NAMES),
}


@pytest.mark.usefixtures("waits")
@pytest.mark.parametrize("waits", [NEVER], indirect=True)
@pytest.mark.parametrize("work", LONG_CALLS.values(), ids=LONG_CALLS)
def test_another_thread_runs_meanwhile(work: Callable[[], object]) -> None:
    """A long call releases the GIL of its own accord."""
    assert any(turns_during(work) for _ in range(ATTEMPTS))


@pytest.mark.usefixtures("waits")
@pytest.mark.parametrize("waits", [AT_ONCE], indirect=True)
@pytest.mark.parametrize("work", LONG_LISTS.values(), ids=LONG_LISTS)
def test_who_makes_many_objects_gives_way(work: Callable[[], object]) -> None:
    """Creating Python objects needs the GIL; a thread that waits for it gets it in between."""
    assert any(turns_during(work) for _ in range(ATTEMPTS))


@pytest.mark.usefixtures("waits")
@pytest.mark.parametrize("waits", [NEVER, AT_ONCE], indirect=True)
def test_what_keeps_the_gil_lets_no_other_thread_run() -> None:
    """The measure itself works: during a call that keeps the GIL the other thread gets no turn."""
    keeps_it = partial(sorted, range(200_000), key=str)
    assert not any(turns_during(keeps_it) for _ in range(5))
