"""The answer to a request for a file of the gate: robots.txt, tdmrep.json, licences.

Scope: method, path and conditional fields in, status, fields and body out (RFC 9110). It decides;
the time is handed in. robots.txt is never refused: an error would mean "nothing may be fetched".
"""

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from hashlib import sha256

from goodbot.display import short_repr
from goodbot.http.dates import http_date
from goodbot.http.request_target import plain_path
from goodbot.lazy_dataclass import dataclass
from goodbot.site.gate.rendered import Rendered

__all__ = ["ServedAnswer", "entity_tag", "served"]

METHODS = ("GET", "HEAD")

FieldOf = Callable[[str], str | None]
"""Returns the value of a field of the request by its name in lower case; `None` without one."""


@dataclass(frozen=True, slots=True, repr=False)
class ServedAnswer:
    """An answer to a request."""

    status: int
    """The status: 200, 304 or 405."""
    headers: tuple[tuple[str, str], ...]
    """The header fields."""
    body: bytes
    """The content; empty for HEAD and 304."""

    __repr__ = short_repr


def entity_tag(body: bytes) -> str:
    """Return a strong validator of a file (RFC 9110 section 8.8.3)."""
    return f'"{sha256(body).hexdigest()[:32]}"'


def served(
    said: Rendered, method: str, path: str, field: FieldOf, *, now: datetime
) -> ServedAnswer | None:
    """Return the answer for a file of the gate; `None` for every other path.

    Args:
        said: What the host says.
        method: The method of the request.
        path: Its path, in any spelling; a query is ignored.
        field: What the request has in a field.
        now: The time.

    """
    file = said.files.get(path) or said.files.get(plain_path(path))
    if file is None:
        return None
    if method not in METHODS:
        refused = (("Allow", "GET, HEAD"), ("Content-Length", "0"))
        return ServedAnswer(405, refused, b"")
    tag, changed = entity_tag(file.body), said.changed
    max_age = said.max_age(now)
    expires = now + timedelta(seconds=max_age)
    fields = [("ETag", tag), ("Cache-Control", f"public, max-age={max_age}")]
    # For clients of HTTP/1.0, which know no Cache-Control; others ignore it (RFC 9111 section 5.3).
    fields.append(("Expires", written(expires)))
    if changed is not None:
        fields.append(("Last-Modified", written(changed)))
    if is_current(tag, changed, field, now):
        return ServedAnswer(304, tuple(fields), b"")
    fields += [("Content-Type", file.content_type), ("Content-Length", str(len(file.body)))]
    return ServedAnswer(200, tuple(fields), b"" if method == "HEAD" else file.body)


def written(at: datetime) -> str:
    """Return a time as a field has it (RFC 9110 section 5.6.7)."""
    return format_datetime(at.astimezone(timezone.utc), usegmt=True)


def is_current(tag: str, changed: datetime | None, field: FieldOf, now: datetime) -> bool:
    """Return whether the copy of who asks is current (RFC 9110 section 13.2.2)."""
    tags = field("if-none-match")
    if tags is not None:
        given = {one.strip().removeprefix("W/") for one in tags.split(",")}
        return "*" in given or tag in given
    since = field("if-modified-since")
    if since is None or changed is None:
        return False
    at = http_date(since, now=now)
    return at is not None and changed.replace(microsecond=0) <= at
