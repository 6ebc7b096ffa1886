"""A log of requests in the form `combined` behind host and port, which an audit can read.

Scope: the line, and a file to which each is appended at once, so that processes may share it.
"""

import os
from datetime import datetime

from goodbot.lazy_dataclass import dataclass

__all__ = ["AccessLog", "LoggedRequest", "log_line"]

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
LONGEST_FIELD = 4_096
"""The most characters of a field that are written."""
ESCAPES = {
    **{code: f"\\x{code:02x}" for code in (*range(32), *range(127, 256))},
    ord("\\"): "\\\\",
    ord('"'): '\\"',
}
"""How Apache writes what would end or hide a part of a line."""


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """A request that was answered."""

    host: str
    """The host, with its port if it has one."""
    client: str | None
    """The address of the client."""
    time: datetime
    """When it came."""
    method: str
    """The method."""
    target: str
    """The path with its query, as it was sent."""
    protocol: str
    """The version of HTTP, such as `HTTP/1.1`."""
    status: int
    """The status of the answer."""
    size: int
    """The bytes of its content."""
    referer: str
    """The field Referer; empty without one."""
    user_agent: str
    """The field User-Agent; empty without one."""


def log_line(one: LoggedRequest, port: int) -> str:
    r"""Return the line of a request, as Debian's Apache writes `vhost_combined`.

    Args:
        one: The request.
        port: The port, where the host names none.

    >>> from datetime import timezone
    >>> at = datetime(2026, 12, 1, 8, 30, tzinfo=timezone.utc)
    >>> request = ("GET", "/a", "HTTP/1.1", 200, 5, "", 'a"b')
    >>> print(log_line(LoggedRequest("example.com", "192.0.2.1", at, *request), 443))
    example.com:443 192.0.2.1 - - [01/Dec/2026:08:30:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "a\"b"

    """
    at = one.time
    zone = at.strftime("%z")[:5] or "+0000"
    when = f"{at.day:02d}/{MONTHS[at.month - 1]}/{at.year:04d}:{at:%H:%M:%S} {zone}"
    host, _, given = one.host.rpartition(":") if one.host[-1:].isdigit() else (one.host, "", "")
    name = host if given.isdigit() and host else one.host
    head = f"{word(name)}:{given if name == host and given else port} {word(one.client or '')} - -"
    request = f"{quoted(one.method)} {quoted(one.target)} {quoted(one.protocol)}"
    tail = (
        f'{one.status} {one.size} "{quoted(one.referer) or "-"}" "{quoted(one.user_agent) or "-"}"'
    )
    return f'{head} [{when}] "{request}" {tail}'


def quoted(text: str) -> str:
    """Return a text between quotation marks of a log."""
    return text[:LONGEST_FIELD].translate(ESCAPES).encode("ascii", "backslashreplace").decode()


def word(text: str) -> str:
    """Return a text that stands without quotation marks; `-` if it is empty."""
    return quoted(text).replace(" ", "\\x20") or "-"


class AccessLog:
    """A file to which requests are appended.

    Args:
        path: The file; it is made if it does not exist.
        port: The port to write where a request names none.

    Raises:
        OSError: It cannot be opened.

    """

    def __init__(self, path: str | os.PathLike[str], *, port: int = 443) -> None:
        """Open the file."""
        self.port = port
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        self.file = os.open(path, flags, 0o640)

    def write(self, one: LoggedRequest) -> None:
        """Append a line, in one step."""
        os.write(self.file, f"{log_line(one, self.port)}\n".encode())

    def close(self) -> None:
        """Close the file."""
        os.close(self.file)
