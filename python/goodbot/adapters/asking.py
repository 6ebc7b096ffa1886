"""How robots.txt is asked for, whoever sends the requests: what the adapters share.

What may live here: the way from an address to a policy, hop by hop, and what is remembered of it.
Nothing here sends: `asking` yields the address to fetch and takes what came of it, `led` drives it.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Generic, Protocol, TypeVar

from goodbot._core import robots_txt_url
from goodbot.errors import RobotNameError, WrongValueError
from goodbot.policy import Policy, PolicyVerdict, next_hop

__all__ = [
    "FIELDS",
    "LARGEST",
    "Answered",
    "Clock",
    "Failed",
    "Memory",
    "Reply",
    "answered",
    "asking",
    "has_robots_txt",
    "led",
    "led_async",
    "now",
    "verdict_on",
]

LARGEST = 512_000
"""Octets of a robots.txt that are read: `at least 500 kibibytes` (RFC 9309 section 2.5)."""

MOST_ORIGINS = 10_000
"""Of so many origins the policy is remembered; of more, the one asked for longest ago is
forgotten, and its robots.txt asked for again."""

FIELDS = {"Accept": "text/plain, */*;q=0.1", "Accept-Encoding": "identity"}
"""What a request for robots.txt sends beside User-Agent: a compressed file could be a bomb."""

Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer to one request."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass(frozen=True, slots=True)
class Failed:
    """No answer came: `kind` is one of `goodbot.policy.FAILURES`."""

    kind: str


Reply = Answered | Failed


def now() -> datetime:
    """Tell the time: adapters act, and have a clock by default."""
    return datetime.now(timezone.utc)


def answered(status: int, headers: tuple[tuple[str, str], ...], body: bytes) -> Reply:
    r"""Take an answer whose content may have been read to `LARGEST` octets and a little more.

    What is cut is cut at the end of a line: half an `Allow` would allow too much. A single line of
    that size is no file.

    >>> len(answered(200, (), b"Allow: /a\n" * 60_000).body)
    512000
    >>> answered(200, (), b"x" * 600_000)
    Failed(kind='too-large')

    Source: RFC 9309 section 2.5.
    """
    if len(body) > LARGEST:
        end = max(body.rfind(b"\n", 0, LARGEST), body.rfind(b"\r", 0, LARGEST)) + 1
        if not end:
            return Failed("too-large")
        body = body[:end]
    return Answered(status, headers, body)


def has_robots_txt(url: str) -> bool:
    """Tell whether a URL is of a kind that a robots.txt is asked about.

    >>> has_robots_txt("https://example.com/a"), has_robots_txt("data:,a")
    (True, False)

    Source: RFC 9309 section 2.3.
    """
    return url[:8].lower().startswith(("http://", "https://"))


def asking(
    url: str,
    *,
    clock: Clock,
    previous: Policy | None = None,
    **choices: Any,  # noqa: ANN401  those of Policy.from_response
) -> Generator[str, Reply, Policy]:
    """Ask for the robots.txt of a URL: yield each address to fetch, take the reply to it.

    Args:
        url: An absolute URL of the origin.
        clock: Tells the time when a reply came.
        previous: The policy that there was: its copy serves while the site is out of reach.
        choices: `dialect` and `policy_dialect`.

    Returns:
        The policy.

    >>> from datetime import datetime, timezone
    >>> way = asking("http://a.example/b", clock=lambda: datetime(2026, 1, 1, tzinfo=timezone.utc))
    >>> next(way)
    'http://a.example/robots.txt'
    >>> way.send(Answered(301, (("Location", "/r.txt"),), b""))
    'http://a.example/r.txt'
    >>> try:
    ...     way.send(Failed("timeout"))
    ... except StopIteration as end:
    ...     print(end.value.access)
    disallow-all

    Source: RFC 9309 section 2.3.1.

    """
    address = robots_txt_url(url)
    hops = [address]
    while True:
        reply = yield hops[-1]
        given: dict[str, Any] = {"now": clock(), "previous": previous, "hops": hops, **choices}
        if isinstance(reply, Failed):
            return Policy.from_failure(address, reply.kind, **given)
        hop = next_hop(hops[-1], reply.status, reply.headers, hops)
        if hop.url is None:
            return Policy.from_response(address, reply.status, reply.headers, reply.body, **given)
        hops.append(hop.url)


class LockLike(Protocol):
    """A lock of `threading`, `asyncio` or `anyio`."""

    def locked(self) -> bool:
        """Whether somebody has it."""
        ...


LockT = TypeVar("LockT", bound=LockLike)


class Memory(Generic[LockT]):
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
        clock: Clock,
        most: int = MOST_ORIGINS,
        **choices: Any,  # noqa: ANN401  as above
    ) -> None:
        """Begin with nothing; refuse a dialect that there is not."""
        if most < 1:
            message = f"most must be 1 or more, not {most}"
            raise WrongValueError(message)
        checked(choices)
        self.clock = clock
        self.choices = choices
        self.policies: OrderedDict[str, Policy] = OrderedDict()
        self._lock = lock
        self._locks: dict[str, LockT] = {}
        self._most = most

    def lock(self, url: str) -> LockT:
        """Give the lock of the URL's origin."""
        return self._locks.setdefault(robots_txt_url(url), self._lock())

    def fresh(self, url: str) -> Policy | None:
        """Give the policy of the URL's origin, if it may still be used."""
        policy = self.policies.get(robots_txt_url(url))
        if policy is None or not policy.is_fresh(self.clock()):
            return None
        return policy

    def asking(self, url: str) -> Generator[str, Reply, Policy]:
        """Ask for the robots.txt of the URL's origin, and remember what comes of it."""
        previous = self.policies.get(robots_txt_url(url))
        policy = yield from asking(url, clock=self.clock, previous=previous, **self.choices)
        self.policies[policy.url] = policy
        self.policies.move_to_end(policy.url)
        if len(self.policies) > self._most:
            oldest, _ = self.policies.popitem(last=False)
            lock = self._locks.get(oldest)
            if lock is not None and not lock.locked():
                del self._locks[oldest]
        return policy


def led(way: Generator[str, Reply, Policy], fetch: Callable[[str], Reply]) -> Policy:
    """Go a way to its end: fetch each address, and hand in the reply."""
    address = next(way)
    while True:
        # Within the `try` a StopIteration of the fetch's own would be taken for the end.
        reply = fetch(address)
        try:
            address = way.send(reply)
        except StopIteration as end:
            policy: Policy = end.value
            return policy


async def led_async(
    way: Generator[str, Reply, Policy], fetch: Callable[[str], Awaitable[Reply]]
) -> Policy:
    """Do the same where a fetch is awaited."""
    address = next(way)
    while True:
        reply = await fetch(address)
        try:
            address = way.send(reply)
        except StopIteration as end:
            policy: Policy = end.value
            return policy


def checked(choices: dict[str, Any]) -> None:
    """Refuse misuse where it is made, not at the first request."""
    Policy.from_failure("https://example.com/robots.txt", "dns", now=now(), **choices)


def verdict_on(policy: Policy, url: str, robot: str | None) -> PolicyVerdict:
    """Ask a policy in the name of a robot.

    Raises:
        RobotNameError: The robot has no name.

    """
    if not robot:
        message = "the request has no User-Agent; send one, or give robot='ExampleBot'"
        raise RobotNameError(message)
    return policy.verdict(url, robot)
