"""The interface of one fetch: the request, the response, and the limits.

Scope: the contract. Implementations are elsewhere: `AiohttpFetcher` with sockets,
`goodbot.testing.FakeSite` in memory, or your own client.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from math import inf
from typing import Any, Literal, Protocol, runtime_checkable

from goodbot.display import short_repr
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.fields import values_named
from goodbot.lazy_dataclass import dataclass
from goodbot.net.decoding import needs_content

__all__ = ["DEFAULT_LIMITS", "AddressLookup", "Fetcher", "HeaderFields", "Limits", "Response"]

HeaderFields = Iterable[tuple[str, str]]
"""Header fields: names and values, in order."""

WHEN_LARGER = ("cut", "fail")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Limits:
    """The limits of one fetch.

    >>> Limits(seconds=5, bytes=512_000).when_larger
    'cut'

    Raises:
        WrongTypeError: A number has the wrong type.
        WrongValueError: A number is not above 0 and finite, or `when_larger` is neither of the two.

    Source: RFC 9309 section 3 (guard memory, treat content as untrusted); section 2.5 wants at
    least 500 KiB of a robots.txt read.

    """

    seconds: float = 30.0
    """Seconds for the whole exchange: resolving, connecting, sending, and reading header and
    content. Waiting for a free connection of the fetcher does not count."""
    bytes: int = 8 * 1024 * 1024
    """The most bytes of content, decoded."""
    wire_bytes: int = 8 * 1024 * 1024
    """The most bytes of content, as it comes over the wire."""
    when_larger: Literal["cut", "fail"] = "cut"
    """What to do with a larger response: keep its beginning and set `truncated`, or fail with
    `too-large`."""
    keep_wire: bool = False
    """Whether to keep the content as it came as well (`Response.wire`), for archives: up to
    `wire_bytes` more memory if the response is compressed, otherwise none."""

    reads: Callable[[str], bool] | None = None
    """A function that gets the Content-Type of each success (2xx). If it returns false, the
    connection is closed after the header, and the content is not read (`Response.unread`). `None`:
    all types."""
    min_rate: int = 100
    """The bytes of content a second that must come on average, from 10 seconds after the header on;
    a slower response is a failure (`timeout`). 0 for any rate."""
    header_only: bool = False
    """Whether to close the connection after the header of every response."""

    __repr__ = short_repr

    def is_of_use(self, status: int, content_type: str) -> bool:
        """Whether to read the content of a response."""
        if self.header_only:
            return False
        return self.reads is None or not needs_content(status) or self.reads(content_type)

    def __post_init__(self) -> None:
        """Check the limits."""
        for name in ("seconds", "bytes", "wire_bytes"):
            value: Any = getattr(self, name)
            kinds = (int, float) if name == "seconds" else (int,)
            is_number = isinstance(value, kinds) and not isinstance(value, bool)
            if not is_number:
                message = f"{name} must be a number such as 30, not {type(value).__name__}"
                raise WrongTypeError(message)
            if not 0 < value < inf:  # also catches NaN
                message = f"{name} must be above 0 and finite, such as 30; it is {value}"
                raise WrongValueError(message)
        if self.when_larger not in WHEN_LARGER:
            message = f"when_larger must be 'cut' or 'fail', not {self.when_larger!r}"
            raise WrongValueError(message)
        if isinstance(self.min_rate, bool) or not isinstance(self.min_rate, int):
            message = f"min_rate must be an int such as 100, not {type(self.min_rate).__name__}"
            raise WrongTypeError(message)
        if self.min_rate < 0:
            message = f"min_rate must be 0 or more bytes a second; it is {self.min_rate}"
            raise WrongValueError(message)
        for name in ("keep_wire", "header_only"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                message = f"{name} must be True or False, not {type(value).__name__}"
                raise WrongTypeError(message)
        if self.reads is not None and not callable(self.reads):
            message = "reads must be a function of a Content-Type, or None for all types"
            raise WrongTypeError(message)


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True, repr=False)
class Response:
    """A response with any status, including a redirect, which is never followed.

    >>> from datetime import datetime, timezone
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
    >>> fields = (("Location", "/new"), ("Vary", "a"), ("vary", "b"))
    >>> moved = Response("https://example.com/old", 301, fields, b"", noon, noon)
    >>> moved.field("location"), moved.field_values("Vary"), moved.field("ETag")
    ('/new', ['a', 'b'], None)
    """

    url: str
    """The requested URL, as it was passed."""
    status: int
    """The status of the response."""
    headers: tuple[tuple[str, str], ...]
    """Its fields, names and values as they came and in that order; each character is a byte (ISO
    8859-1), so that `value.encode("latin-1")` gives the bytes."""
    body: bytes
    """Its content, decoded as Content-Encoding says; that of a redirect or an error is empty if it
    cannot be decoded."""
    started: datetime
    """When the request began; aware."""
    ended: datetime
    """When the response was read; aware."""
    elapsed: float = 0.0
    """Seconds in between, by a clock that never runs backwards."""
    address: str | None = None
    """The address of the server, such as `192.0.2.1`; `None` without a socket."""
    http_version: str | None = None
    """The version of HTTP, such as `1.1`."""
    truncated: bool = False
    """Whether the response exceeded the limits, and `body` is its beginning."""
    wire_bytes: int = 0
    """Bytes of content that came over the wire, before they were decoded."""
    wire: bytes | None = None
    """The content as it came, before Content-Encoding was decoded; `None` unless
    `Limits.keep_wire` is set. Transfer-Encoding is always decoded."""
    unread: bool = False
    """Whether the content was not read because its type was not wanted (`Limits.reads`), or only
    the header was (`Limits.header_only`)."""
    first_byte: float | None = None
    """Seconds from when the connection was ready until the header had come: the time that the
    server took. `None` if it was not measured."""

    __repr__ = short_repr

    def field(self, name: str) -> str | None:
        """Return the value of the first field of a name, in any case of letters, or `None`."""
        wanted = name.lower()
        size = len(wanted)  # hardly any other field has a name of the same length
        for other, value in self.headers:
            if len(other) == size and other.lower() == wanted:
                return value
        return None

    def field_values(self, name: str) -> list[str]:
        """Return the values of all fields of a name, in any case of letters, in order."""
        return values_named(self.headers, name)


class Fetcher(Protocol):
    """A client that can fetch one URL. You can write your own: it needs this one method.

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
        """Fetch one URL by GET; follow no redirects, keep no cookies, send only the passed fields.

        Args:
            url: An absolute URL of http or https; a fragment is not sent.
            headers: The fields to send: User-Agent and From identify the robot.
            limits: The limits of the fetch.

        Returns:
            The response, whatever its status.

        Raises:
            FetchError: There is no usable response; `kind` is one of `goodbot.net.FAILURES`.
            MisuseError: An argument is invalid.

        """
        ...


@runtime_checkable
class AddressLookup(Protocol):
    """What a fetcher may implement as well: looking up the address of a host.

    A robot needs it if it visits hosts with the same address as one server (`Manners.groups`).
    """

    async def find_address(self, host: str) -> str | None:
        """Return an IP address of a host; `None` if it has none, or none that may be visited.

        Args:
            host: A name or an IP address, without brackets.

        Returns:
            The address. Of several, always the same one, whatever their order.

        """
        ...
