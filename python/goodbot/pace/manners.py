"""The robot's own settings."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

from goodbot.display import short_repr
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.instants import checked_seconds, duration
from goodbot.lazy_dataclass import dataclass
from goodbot.pace.groups import checked_groups
from goodbot.pace.own_hours import own_minutes

__all__ = ["Manners"]

MOST_DOUBLINGS = 64
"""After so many doublings, any first step above 0 exceeds any longest one."""
SECONDS = ("floor", "default", "back_off_first", "back_off_longest")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Manners:
    """How a robot behaves if the site states no pace, and its own limits.

    Raises:
        WrongTypeError: A value has the wrong type.
        WrongValueError: A value is negative or not finite, `back_off_after` or `bytes_per_second`
            is 0, `hours` are invalid, or the longest step of the back-off is shorter than the
            first.

    >>> Manners(floor=2.0).between(took=7.5), Manners().between(took=0.1)
    (15.0, 10.0)

    Source: Conner 1996, Request-rate (the rule of thumb); the back-off is goodbot's own.

    """

    floor: float = 0.0
    """Seconds between visits that no rule of a site makes shorter."""
    factor: float = 2.0
    """This many times the time that the last document took ..."""
    default: float = 10.0
    """... or this many seconds, whichever is longer, if the site states no pace."""
    back_off_after: int = 3
    """Different URLs of a site that must fail in a row before the robot backs off from the site.
    Overload (429, 503) makes it back off at once."""
    back_off_first: float = 30.0
    """Seconds of the first step of a back-off without a Retry-After; each next step doubles it."""
    back_off_longest: float = 21600.0
    """Seconds at which the doubling stops. Jitter adds up to half of it, so that no robot backs off
    for longer than one and a half times this."""
    jitter: Callable[[], float] | None = None
    """A function that returns a random number from 0 to 1, such as `random.random`; `None` for no
    jitter. Jitter only lengthens a back-off."""
    patience: float | None = None
    """The longest time between visits, in seconds, that the robot accepts; if a site asks for more,
    it is not visited. `None`: the robot waits as long as the site asks for."""
    hours: str = ""
    """When the robot makes requests, including those for robots.txt, in UT: `22:00-06:00`, or
    several windows separated by commas. The end is excluded. Empty: at any time."""
    bytes_per_second: float | None = None
    """The bytes per second that the robot reads from one site on average: after a large response it
    waits for as long as the response should have taken. `None`: no limit."""

    adaptive: bool = False
    """Whether the robot waits at least `factor` times as long as the server lately took to answer,
    also where the site asks for less. The wait grows at once when the server gets slower, and
    shrinks step by step; it is never shorter than what the site asks for."""
    groups: Sequence[str] = ()
    """Hosts that share a server, which the robot visits one at a time, as it visits one site:
    `address` (all hosts of one IP address), `network` (of one /24 or /48), networks such as
    `192.0.2.0/24`, hosts, or `*.example.com` with all hosts below it. A host belongs to the first
    that fits. Each site's own pace applies as well."""
    group_pause: float | None = None
    """Seconds between visits to hosts of one group; `None` for the pause at a site that states no
    pace."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check the values."""
        for name in SECONDS:
            checked_seconds(getattr(self, name), name)
        checked_seconds(self.factor, "factor")
        if self.patience is not None:
            checked_seconds(self.patience, "patience")
        own_minutes(self.hours)
        object.__setattr__(self, "groups", checked_groups(self.groups))
        if self.group_pause is not None:
            checked_seconds(self.group_pause, "group_pause")
        if not isinstance(self.adaptive, bool):
            message = f"adaptive must be True or False, not {self.adaptive!r}"
            raise WrongTypeError(message)
        if self.bytes_per_second is not None and (
            not checked_seconds(self.bytes_per_second, "bytes_per_second")
        ):
            message = "bytes_per_second must be above 0, or None for no limit"
            raise WrongValueError(message)
        if self.jitter is not None and not callable(self.jitter):
            message = (
                "jitter must be a function that returns a number from 0 to 1, such as random.random"
            )
            raise WrongTypeError(message)
        after: object = self.back_off_after
        if not isinstance(after, int) or isinstance(after, bool):
            message = f"back_off_after must be a whole number such as 3, not {after!r}"
            raise WrongTypeError(message)
        if after < 1:
            message = f"back_off_after must be 1 or more; it is {after}"
            raise WrongValueError(message)
        if self.back_off_longest < self.back_off_first:
            message = "{manners.back_off_longest} must not be shorter than {manners.back_off_first}"
            names = ("back_off_longest", "back_off_first")
            raise WrongValueError(message, {f"manners.{name}": name for name in names})

    def between(self, took: float) -> float:
        """Return the seconds between visits if the site states no pace.

        Args:
            took: Seconds that the last document took.

        """
        return max(self.factor * took, self.default)

    def between_hosts(self, took: float) -> float:
        """Return the seconds between visits to hosts of one group.

        Args:
            took: Seconds that the last document took.

        """
        pause = self.between(took) if self.group_pause is None else self.group_pause
        return max(pause, self.floor)

    def keep_off(self, failures: int) -> int:
        """Return the microseconds to back off at a step, which is 1 or more.

        Each step is double the one before it, up to the longest; jitter adds up to a half.

        Raises:
            WrongValueError: The jitter is not from 0 to 1.

        >>> [Manners().keep_off(failures) // 10**6 for failures in (1, 2, 3, 4, 99)]
        [30, 60, 120, 240, 21600]
        >>> Manners(jitter=lambda: 1.0).keep_off(1) // 10**6
        45

        """
        doubled = duration(self.back_off_first) << min(failures - 1, MOST_DOUBLINGS)
        step = min(doubled, duration(self.back_off_longest))
        chance = 0.0 if self.jitter is None else self.jitter()
        if not 0 <= chance <= 1:
            message = (
                f"jitter returned {chance!r}; it must return a number from 0 to 1, such as "
                "random.random"
            )
            raise WrongValueError(message)
        return step + int(step * chance) // 2

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON; without the jitter, which is a function."""
        named = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "jitter"}
        return named | {"groups": list(self.groups)}
