"""One fetch as everybody above sees it: what is asked, what is answered, and within which limits.

Scope: the contract. Who keeps it is elsewhere: `AiohttpFetcher` with sockets,
`goodbot.testing.FakeSite` in memory, or a user's own client.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from math import inf
from typing import Any, Literal, Protocol

from goodbot.display import short_repr
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.fields import values_named

__all__ = ["DEFAULT_LIMITS", "Fetcher", "HeaderFields", "Limits", "Response"]

HeaderFields = Iterable[tuple[str, str]]
"""Header fields: names and values, in order."""

SUCCESS = 2

WHEN_LARGER = ("cut", "fail")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one fetch may take.

    >>> Limits(seconds=5, bytes=512_000).when_larger
    'cut'

    Raises:
        WrongTypeError: A number is of another type.
        WrongValueError: A number is not above 0 and finite, or `when_larger` is neither of the two.

    Source: RFC 9309 section 3 (guard memory, treat content as untrusted); section 2.5 wants at
    least 500 KiB of a robots.txt read.

    """

    seconds: float = 30.0
    """For the whole exchange: to resolve, connect, send, and read header and content to the end.
    Waiting until one of the fetcher's connections is free does not count."""
    bytes: int = 8 * 1024 * 1024
    """Of content, decoded."""
    wire_bytes: int = 8 * 1024 * 1024
    """Of content, as it comes over the wire."""
    when_larger: Literal["cut", "fail"] = "cut"
    """What to do with a larger answer: keep its beginning and say `truncated`, or fail with
    `too-large`."""
    keep_wire: bool = False
    """Whether to keep the content as it came, too (`Response.wire`), as an archive wants it: up to
    `wire_bytes` more memory for an answer that is compressed, none for another."""

    reads: Callable[[str], bool] | None = None
    """Is given the Content-Type of each success (2xx). Where it says no, the connection is closed
    behind the header, and nothing of the content is read (`Response.unread`). `None`: all types."""

    __repr__ = short_repr

    def is_of_use(self, status: int, content_type: str) -> bool:
        """Whether the content of an answer is to be read."""
        return self.reads is None or status // 100 != SUCCESS or self.reads(content_type)

    def __post_init__(self) -> None:
        """Refuse what is no limit."""
        for name in ("seconds", "bytes", "wire_bytes"):
            value: Any = getattr(self, name)
            kinds = (int, float) if name == "seconds" else (int,)
            is_number = isinstance(value, kinds) and not isinstance(value, bool)
            if not is_number:
                message = f"{name} must be a number such as 30, not {type(value).__name__}"
                raise WrongTypeError(message)
            if not 0 < value < inf:  # also what is not a number at all (NaN)
                message = f"{name} must be above 0 and finite, such as 30; it is {value}"
                raise WrongValueError(message)
        if self.when_larger not in WHEN_LARGER:
            message = f"when_larger must be 'cut' or 'fail', not {self.when_larger!r}"
            raise WrongValueError(message)
        if not isinstance(self.keep_wire, bool):
            message = f"keep_wire must be True or False, not {type(self.keep_wire).__name__}"
            raise WrongTypeError(message)
        if self.reads is not None and not callable(self.reads):
            message = "reads must be a function of a Content-Type, or None for all types"
            raise WrongTypeError(message)


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Response:
    """An answer: of any status, also a redirect, which is never followed.

    >>> from datetime import datetime, timezone
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
    >>> fields = (("Location", "/new"), ("Vary", "a"), ("vary", "b"))
    >>> moved = Response("https://example.com/old", 301, fields, b"", noon, noon)
    >>> moved.field("location"), moved.field_values("Vary"), moved.field("ETag")
    ('/new', ['a', 'b'], None)
    """

    url: str
    """The URL that was asked for, as it was given."""
    status: int
    """The status of the answer."""
    headers: tuple[tuple[str, str], ...]
    """Its fields, names and values as they came and in that order; each character is a byte (ISO
    8859-1), so that `value.encode("latin-1")` gives the bytes."""
    body: bytes
    """Its content, decoded as Content-Encoding says."""
    started: datetime
    """When asking began; aware."""
    ended: datetime
    """When the answer was read; aware."""
    elapsed: float = 0.0
    """Seconds in between, by a clock that never runs backwards."""
    address: str | None = None
    """The address that answered, such as `192.0.2.1`; `None` if there was no socket."""
    http_version: str | None = None
    """Such as `1.1`."""
    truncated: bool = False
    """Whether the answer was larger than the limits, and `body` is its beginning."""
    wire_bytes: int = 0
    """Bytes of content that came over the wire, before they were decoded."""
    wire: bytes | None = None
    """The content as it came, before Content-Encoding was undone; `None` unless
    `Limits.keep_wire` asked for it. Transfer-Encoding is always undone."""
    unread: bool = False
    """Whether the content was not read, as its type is of no use (`Limits.reads`)."""

    __repr__ = short_repr

    def field(self, name: str) -> str | None:
        """Return the value of the first field of a name, in any case of letters, or `None`."""
        return next(iter(values_named(self.headers, name)), None)

    def field_values(self, name: str) -> list[str]:
        """Return the values of all fields of a name, in any case of letters, in order."""
        return values_named(self.headers, name)


class Fetcher(Protocol):
    """What can fetch one URL. Bring your own: it needs this one method.

    >>> import asyncio
    >>> from goodbot.testing import FakeSite
    >>> site = FakeSite({"https://example.com/robots.txt": "User-agent: *"})
    >>> response = asyncio.run(site.fetch("https://example.com/robots.txt"))
    >>> response.status, response.body
    (200, b'User-agent: *')
    """

    async def fetch(
        self, url: str, *, headers: HeaderFields = (), limits: Limits = DEFAULT_LIMITS
    ) -> Response:
        """Fetch one URL by GET; follow nothing, keep no cookies, send nothing that is not asked.

        Args:
            url: An absolute URL of http or https; a fragment is not sent.
            headers: The fields to send: User-Agent and From say who asks.
            limits: How much the fetch may take.

        Returns:
            The answer, whatever its status.

        Raises:
            FetchError: No answer came; `kind` is one of `goodbot.net.FAILURES`.
            MisuseError: An argument is not what is taken.

        """
        ...
