"""Policies that are remembered, and how robots.txt is asked for, whoever sends the requests.

What may live here: an inquiry (`goodbot.policy.inquiry`) by a clock, and what is remembered of it.
Nothing here sends: `ask` yields each question and takes the reply to it, `drive` runs it.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Generator
from datetime import datetime, timezone
from typing import Any, Generic, Protocol, TypeVar

from goodbot._core import robots_txt_url
from goodbot.errors import RobotNameError, WrongValueError
from goodbot.policy import Policy, PolicyVerdict
from goodbot.policy.inquiry import FIELDS, Question, Reply, inquire
from goodbot.policy.size import MOST_BYTES, size_of

__all__ = [
    "PolicyCache",
    "TimeFunction",
    "ask",
    "drive",
    "drive_async",
    "has_robots_txt",
    "question_headers",
    "utc_now",
    "verdict_on",
]

MOST_ORIGINS = 10_000
"""Of so many origins the policy is remembered, as long as all take no more than 64 MiB; of more,
the one asked for longest ago is forgotten, and its robots.txt asked for again."""

TimeFunction = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the time: adapters act, and have a clock by default."""
    return datetime.now(timezone.utc)


def has_robots_txt(url: str) -> bool:
    """Tell whether a URL is of a kind that a robots.txt is asked about.

    >>> has_robots_txt("https://example.com/a"), has_robots_txt("data:,a")
    (True, False)

    Source: RFC 9309 section 2.3.
    """
    return url[:8].lower().startswith(("http://", "https://"))


def ask(
    url: str,
    *,
    clock: TimeFunction,
    previous: Policy | None = None,
    **choices: Any,  # noqa: ANN401  those of Policy.from_response
) -> Generator[Question, Reply, Policy]:
    """Ask for the robots.txt of a URL, as `inquire` does, by a clock.

    Args:
        url: An absolute URL of the origin.
        clock: Tells the time when a reply came.
        previous: The policy that there was: its copy serves while the site is out of reach.
        choices: `dialect` and `policy_dialect`.

    Returns:
        The policy.

    """
    inquiry = inquire(url, previous=previous, **choices)
    question = next(inquiry)
    while True:
        reply = yield question
        try:
            question = inquiry.send((reply, clock()))
        except StopIteration as end:
            policy: Policy = end.value
            return policy


def question_headers(question: Question, robot: str | None) -> dict[str, str]:
    """Return the fields of a request: what is accepted, the condition, and who asks."""
    agent = {"User-Agent": robot} if robot else {}
    return {**dict(FIELDS), **dict(question.conditions), **agent}


class LockLike(Protocol):
    """A lock of `threading`, `asyncio` or `anyio`."""

    def locked(self) -> bool:
        """Whether somebody has it."""
        ...


LockT = TypeVar("LockT", bound=LockLike)


class PolicyCache(Generic[LockT]):
    """The policies of origins, and a lock for each, so that one asks and the others wait.

    Args:
        lock: Makes a lock.
        clock: Tells the time.
        most: Of how many origins a policy is kept.
        choices: `dialect` and `policy_dialect`, as `Policy.from_response` takes them.

    """

    def __init__(
        self,
        lock: Callable[[], LockT],
        clock: TimeFunction,
        most: int = MOST_ORIGINS,
        **choices: Any,  # noqa: ANN401  as above
    ) -> None:
        """Begin with nothing; refuse a dialect that there is not."""
        if most < 1:
            message = f"most must be 1 or more, not {most}"
            raise WrongValueError(message)
        check_choices(choices)
        self.clock = clock
        self.choices = choices
        self.policies: OrderedDict[str, Policy] = OrderedDict()
        self._lock = lock
        self._locks: dict[str, LockT] = {}
        self._most = most
        self._bytes = 0
        """About how many the policies take."""

    def lock(self, url: str) -> LockT:
        """Give the lock of the URL's origin."""
        return self._locks.setdefault(robots_txt_url(url), self._lock())

    def fresh(self, url: str) -> Policy | None:
        """Give the policy of the URL's origin, if it may still be used."""
        policy = self.policies.get(robots_txt_url(url))
        if policy is None or not policy.is_fresh(self.clock()):
            return None
        return policy

    def ask(self, url: str) -> Generator[Question, Reply, Policy]:
        """Ask for the robots.txt of the URL's origin, and remember what comes of it."""
        previous = self.policies.get(robots_txt_url(url))
        policy = yield from ask(url, clock=self.clock, previous=previous, **self.choices)
        self.policies[policy.url] = policy
        self.policies.move_to_end(policy.url)
        self._bytes += size_of(policy) - (0 if previous is None else size_of(previous))
        while len(self.policies) > 1 and (
            len(self.policies) > self._most or self._bytes > MOST_BYTES
        ):
            oldest, forgotten = self.policies.popitem(last=False)
            self._bytes -= size_of(forgotten)
            lock = self._locks.get(oldest)
            if lock is not None and not lock.locked():
                del self._locks[oldest]
        return policy


def drive(
    inquiry: Generator[Question, Reply, Policy], fetch: Callable[[Question], Reply]
) -> Policy:
    """Run an inquiry to its end: send each question, and hand in the reply."""
    question = next(inquiry)
    while True:
        # Within the `try` a StopIteration of the fetch's own would be taken for the end.
        reply = fetch(question)
        try:
            question = inquiry.send(reply)
        except StopIteration as end:
            policy: Policy = end.value
            return policy


async def drive_async(
    inquiry: Generator[Question, Reply, Policy], fetch: Callable[[Question], Awaitable[Reply]]
) -> Policy:
    """Do the same where a fetch is awaited."""
    question = next(inquiry)
    while True:
        reply = await fetch(question)
        try:
            question = inquiry.send(reply)
        except StopIteration as end:
            policy: Policy = end.value
            return policy


def check_choices(choices: dict[str, Any]) -> None:
    """Refuse misuse where it is made, not at the first request."""
    Policy.from_failure("https://example.com/robots.txt", "dns", now=utc_now(), **choices)


def verdict_on(policy: Policy, url: str, robot: str | None) -> PolicyVerdict:
    """Ask a policy in the name of a robot.

    Raises:
        RobotNameError: The robot has no name.

    """
    if not robot:
        message = "the request has no User-Agent; send one, or give robot='ExampleBot'"
        raise RobotNameError(message)
    return policy.verdict_as_sent(url, robot)
