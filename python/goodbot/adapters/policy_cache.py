"""The cache of policies, and the steps of fetching a robots.txt, for every HTTP client.

Scope: an inquiry (`goodbot.policy.inquiry`) with a clock, and the cache of its results. Nothing
here sends requests: `ask` yields each question and receives the reply, and `drive` runs it.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Generator, Mapping
from datetime import datetime, timezone
from typing import Any, Generic, Protocol, TypeVar

from goodbot._core import Verdict, robots_txt_url
from goodbot.adapters.sender import as_text, checked_name
from goodbot.errors import WrongValueError
from goodbot.policy import Policy
from goodbot.policy.inquiry import FIELDS, Question, inquire
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer
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
"""The largest number of origins in the cache, which also takes at most 64 MiB. Beyond that, the
policy that was fetched longest ago is dropped, and its robots.txt is fetched again when needed."""

IDENTITY = ("User-Agent", "From")
"""The fields that say who sends a request (RFC 9110 sections 10.1.5 and 10.1.2)."""

TimeFunction = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(timezone.utc)


def has_robots_txt(url: str) -> bool:
    """Return whether a URL belongs to a site that can have a robots.txt.

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
) -> Generator[Question, RobotsTxtAnswer, Policy]:
    """Request the robots.txt of a URL, as `inquire` does, with a clock.

    Args:
        url: An absolute URL of the origin.
        clock: Returns the time at which a reply arrived.
        previous: The policy so far; its copy is used while the site cannot be reached.
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


def question_headers(question: Question, cause: Mapping[str, Any]) -> dict[str, str]:
    """Return the header fields of a request for robots.txt.

    Args:
        question: The request; it has a condition if there is a copy.
        cause: The header fields of the request that needs it, whose User-Agent and From are sent.

    """
    who = {name: as_text(cause.get(name)) for name in IDENTITY}
    said = {name: value for name, value in who.items() if value}
    return {**dict(FIELDS), **dict(question.conditions), **said}


class LockLike(Protocol):
    """A lock of `threading`, `asyncio` or `anyio`."""

    def locked(self) -> bool:
        """Return whether the lock is held."""
        ...


LockT = TypeVar("LockT", bound=LockLike)


class PolicyCache(Generic[LockT]):
    """The policies of origins, with a lock for each, so that one fetches and the others wait.

    Args:
        lock: Returns a new lock.
        clock: Returns the time.
        most: The largest number of origins to keep.
        choices: `dialect` and `policy_dialect`, as `Policy.from_response` takes them.

    """

    def __init__(
        self,
        lock: Callable[[], LockT],
        clock: TimeFunction,
        most: int = MOST_ORIGINS,
        **choices: Any,  # noqa: ANN401  as above
    ) -> None:
        """Start with an empty cache; refuse an unknown dialect."""
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
        """How many bytes the policies take, approximately."""

    def lock(self, url: str) -> LockT:
        """Return the lock of the URL's origin."""
        return self._locks.setdefault(robots_txt_url(url), self._lock())

    def fresh(self, url: str) -> Policy | None:
        """Return the policy of the URL's origin if it is still fresh."""
        policy = self.policies.get(robots_txt_url(url))
        if policy is None or not policy.is_fresh(self.clock()):
            return None
        return policy

    def ask(self, url: str) -> Generator[Question, RobotsTxtAnswer, Policy]:
        """Request the robots.txt of the URL's origin, and keep the resulting policy."""
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
    inquiry: Generator[Question, RobotsTxtAnswer, Policy],
    fetch: Callable[[Question], RobotsTxtAnswer],
) -> Policy:
    """Run an inquiry to its end: fetch each question, and pass it the reply."""
    question = next(inquiry)
    while True:
        # Outside the `try`, so that a StopIteration raised by `fetch` does not look like the end.
        reply = fetch(question)
        try:
            question = inquiry.send(reply)
        except StopIteration as end:
            policy: Policy = end.value
            return policy


async def drive_async(
    inquiry: Generator[Question, RobotsTxtAnswer, Policy],
    fetch: Callable[[Question], Awaitable[RobotsTxtAnswer]],
) -> Policy:
    """Run an inquiry to its end, like `drive`, with a fetch that is awaited."""
    question = next(inquiry)
    while True:
        reply = await fetch(question)
        try:
            question = inquiry.send(reply)
        except StopIteration as end:
            policy: Policy = end.value
            return policy


def check_choices(choices: dict[str, Any]) -> None:
    """Check the choices now, rather than at the first request."""
    Policy.from_failure("https://example.com/robots.txt", "dns", now=utc_now(), **choices)


def verdict_on(policy: Policy, url: str, robot: str | None) -> Verdict:
    """Return the verdict of a policy for a robot.

    Raises:
        RobotNameError: `robot` is empty or `None`.

    """
    return policy.may_fetch(url, checked_name(robot))
