"""The options of an audit.

Scope: values, checked.
"""

from datetime import datetime, timedelta

from goodbot._core import origin
from goodbot.display import short_repr
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.instants import checked_time
from goodbot.lazy_dataclass import dataclass
from goodbot.policy import policy_dialect

MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, repr=False)
class AuditOptions:
    """How an audit judges.

    >>> options = AuditOptions(site="https://example.com", behind_cdn=True)
    >>> options.clock_resolution.total_seconds()
    1.0

    Raises:
        NoOriginError: `site` has no origin.
        UnknownDialectError: There is no such dialect.
        WrongTypeError: A value has the wrong type.
        WrongValueError: A duration is negative, or a time is naive.
    """

    site: str | None = None
    """The site that lines without a host are about: any URL of it."""
    behind_cdn: bool = False
    """Whether a cache in front of the server may answer requests that the log does not show. A
    violation then also needs that no copy that an unseen request could have got allowed it."""
    clock_resolution: timedelta = timedelta(seconds=1)
    """How exact the times of the log are; always counted in the robot's favour."""
    log_begins: datetime | None = None
    """Since when the log has all requests; by default the time of a site's first line, without
    single lines whose times are far from all others, as those of a wrong clock are."""
    log_ends: datetime | None = None
    """Until when the log has all requests; by default the time of a site's last line, in the same
    way, or no end if `log_begins` is given. What comes later is `unknown`."""
    max_age: timedelta | None = None
    """The max-age of Cache-Control with which the site serves robots.txt, for versions that are
    known from files and state nothing themselves; without it, a copy lives 24 hours."""
    dialect: str = "rfc9309"
    """The dialect of robots whose own is not known."""
    retry_after: timedelta | None = None
    """The Retry-After that the server sends with a 429 or 503, if the log does not show it."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        if self.site is not None:
            object.__setattr__(self, "site", origin(self.site))
        for name in ("log_begins", "log_ends"):
            if getattr(self, name) is not None:
                checked_time(getattr(self, name), name)
        policy_dialect(self.dialect)
        for name in ("clock_resolution", "retry_after", "max_age"):
            value = getattr(self, name)
            if value is None and name != "clock_resolution":
                continue
            if not isinstance(value, timedelta):
                message = f"{name} must be a timedelta, not {type(value).__name__}"
                raise WrongTypeError(message)
            if value < timedelta(0):
                message = f"{name} must not be negative"
                raise WrongValueError(message)

    @property
    def resolution(self) -> int:
        """`clock_resolution` in microseconds."""
        return self.clock_resolution // MICROSECOND
