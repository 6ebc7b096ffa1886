"""Validators: how a stored response is compared with the site's, and how a 304 confirms it.

Scope: what HTTP says about conditional requests. There is no clock: every time is passed.
"""

from datetime import datetime

from goodbot.display import short_repr
from goodbot.http.dates import http_date
from goodbot.http.fields import Fields, field_lines, first
from goodbot.lazy_dataclass import dataclass

__all__ = ["Validators", "conditional_headers", "updated_fields", "validators_of"]

MAX_VALIDATOR = 1_024
"""The most characters of a validator that is stored and sent: a response may have one of any
length, and a server may refuse a long line (RFC 9110 section 5.4)."""

NOT_UPDATED = {"content-encoding", "content-length", "content-range", "content-type"}
"""They describe the stored content, and a 304 does not change them (RFC 9111 section 3.2)."""

OF_ONE_ANSWER = {"age", "date"}
"""They describe one response; mixed with those of a newer one, they would age it."""


@dataclass(frozen=True, slots=True, repr=False)
class Validators:
    """What a stored copy can be compared with the site's version by.

    >>> validators_of({"ETag": '"a"'}).etag
    '"a"'
    """

    etag: str | None
    """The entity tag, with its quotes and perhaps `W/`; `None` if there is none."""
    last_modified: str | None
    """When the file last changed, as the site wrote it; `None` if it is not an HTTP date."""

    __repr__ = short_repr

    def __bool__(self) -> bool:
        """Whether there is a validator."""
        return self.etag is not None or self.last_modified is not None

    def agree_with(self, told: "Validators") -> bool:
        """Return whether a 304 with these validators is about this copy: not if its tag is another.

        >>> Validators('"a"', None).agree_with(Validators('W/"a"', None))
        True

        Source: RFC 9111 section 4.3.4; weak comparison as in RFC 9110 section 8.8.3.2.

        """
        if self.etag is None or told.etag is None:
            return True
        return self.etag.removeprefix("W/") == told.etag.removeprefix("W/")

    def as_dict(self) -> dict[str, str | None]:
        """Return plain values, for JSON."""
        return {"etag": self.etag, "last_modified": self.last_modified}


def validators_of(headers: object, *, now: datetime | None = None) -> Validators:
    """Return the validators of a response that are short and can be sent in a request.

    Args:
        headers: Its fields.
        now: When it came; if passed, a Last-Modified that is not a date is omitted.

    >>> validators_of({"ETag": "a" * 2_000, "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"})
    Validators(etag=None, last_modified='Sun, 06 Nov 1994 08:49:37 GMT')

    Source: RFC 9110 section 8.8; goodbot: choice (1,024 characters).

    """
    fields = field_lines(headers)
    changed, etag = sendable(first(fields, "last-modified")), sendable(first(fields, "etag"))
    if changed is not None and now is not None and http_date(changed, now=now) is None:
        changed = None
    return Validators(etag, changed)


def sendable(validator: str | None) -> str | None:
    """Return a validator, or `None` if it is empty, too long, or cannot be sent in a line."""
    if not validator or len(validator) > MAX_VALIDATOR:
        return None
    return validator if validator.isascii() and validator.isprintable() else None


def conditional_headers(validators: Validators) -> dict[str, str]:
    """Return the fields of a request that checks whether a copy is current.

    >>> conditional_headers(Validators('"a"', None))
    {'If-None-Match': '"a"'}

    Source: RFC 9111 section 4.3.1: If-None-Match MUST be sent, If-Modified-Since SHOULD.

    """
    asked = {"If-None-Match": validators.etag, "If-Modified-Since": validators.last_modified}
    return {name: value for name, value in asked.items() if value is not None}


def updated_fields(stored: Fields, news: Fields) -> Fields:
    """Return the fields of a stored response after a 304 has confirmed it.

    >>> updated_fields((("etag", '"a"'), ("age", "9")), (("cache-control", "max-age=5"),))
    (('etag', '"a"'), ('cache-control', 'max-age=5'))

    Source: RFC 9111 sections 3.2 and 4.3.4.

    """
    news = tuple(line for line in news if line[0] not in NOT_UPDATED)
    replaced = {name for name, _ in news} | OF_ONE_ANSWER
    return tuple(line for line in stored if line[0] not in replaced) + news
