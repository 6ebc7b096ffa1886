"""Revisits: whether a conditional request may be sent, and the response that a 304 confirms.

Scope: decisions on responses. Nothing is fetched, and nothing is stored.

A 304 has no content, so a conditional request needs an earlier response with everything that is
needed to judge the page: its content and its header. No conditional request is made

- without a validator, or if the content is missing, empty or cut;
- if the response differs for each request (`Vary: *`);
- if the earlier header says what robots may do (X-Robots-Tag and the like): a 304 need not repeat
  that, so it could never be revoked.

Source: RFC 9110 sections 13.1 and 15.4.5; RFC 9111 sections 4.1, 4.3.1 and 4.3.4.
"""

from dataclasses import replace

from goodbot.http.fields import Fields, field_lines, name_of
from goodbot.http.freshness import fields_named
from goodbot.http.status import NOT_MODIFIED
from goodbot.http.validators import (
    Validators,
    conditional_headers,
    updated_fields,
    validators_of,
)
from goodbot.net.fetcher import HeaderFields, Response

__all__ = ["conditions_of", "confirmed", "revisit_validators"]

WHOLE = 200
"""The status of a response that a 304 may confirm; no other has the whole page."""

SAYS_WHAT_MAY_BE_DONE = {
    "content-signal",
    "content-usage",
    "robots-tag",
    "tdm-policy",
    "tdm-reservation",
    "x-robots-tag",
}
"""Fields that say what robots may do with a page and that a 304 may omit: RFC 9110 section 15.4.5
requires only some fields, and none of these."""

VALIDATORS = {"etag", "last-modified"}
"""The fields by which a 304 can confirm a copy (RFC 9110 section 8.8)."""


def revisit_validators(response: Response) -> Validators | None:
    """Return the validators of a response; `None` if no conditional request may be made.

    Args:
        response: The earlier response, with its fields as later 304s have updated them.

    >>> from datetime import datetime, timezone
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
    >>> answer = Response("https://a.example/", 200, (("ETag", '"1"'),), b"a", noon, noon)
    >>> revisit_validators(answer)
    Validators(etag='"1"', last_modified=None)
    >>> revisit_validators(replace(answer, headers=(*answer.headers, ("X-Robots-Tag", "noindex"))))

    Source: see the module.

    """
    if response.status != WHOLE or response.truncated or not response.body:
        return None
    fields = field_lines(response.headers)
    names = set(map(name_of, fields))
    if VALIDATORS.isdisjoint(names) or not SAYS_WHAT_MAY_BE_DONE.isdisjoint(names):
        return None
    if varies(fields):
        return None
    return validators_of(fields, now=response.ended) or None


def varies(fields: Fields) -> bool:
    """Return whether a response matches no other request (RFC 9111 section 4.1)."""
    return "*" in fields_named(value for name, value in fields if name == "vary")


def conditions_of(validators: Validators | None) -> HeaderFields:
    """Return the header fields of a conditional request; none without validators."""
    return () if validators is None else tuple(conditional_headers(validators).items())


def confirmed(stored: Response, answer: Response) -> Response | None:
    """Return the earlier response that a 304 confirms; `None` if it does not confirm it.

    It has the content of the earlier response, its header updated by the 304, and the times of the
    304, so that it counts as received now.

    Args:
        stored: The earlier response, whose validators the request contained.
        answer: The response to that request.

    >>> from datetime import datetime, timezone
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
    >>> stored = Response("https://a.example/", 200, (("ETag", '"1"'),), b"a", noon, noon)
    >>> fields = (("ETag", 'W/"1"'), ("X-Robots-Tag", "noindex"))
    >>> again = confirmed(stored, Response(stored.url, 304, fields, b"", noon, noon))
    >>> again.status, again.body, again.headers
    (200, b'a', (('etag', 'W/"1"'), ('x-robots-tag', 'noindex')))

    Source: RFC 9111 sections 3.2 and 4.3.4.

    """
    before, news = field_lines(stored.headers), field_lines(answer.headers)
    if answer.status != NOT_MODIFIED or answer.url != stored.url:
        return None
    if not validators_of(before).agree_with(validators_of(news)):
        return None
    return replace(
        answer,
        status=stored.status,
        headers=updated_fields(before, news),
        body=stored.body,
        truncated=stored.truncated,
        wire=stored.wire,
    )
