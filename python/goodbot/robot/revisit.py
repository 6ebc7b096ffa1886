"""Revisits: whether an earlier answer suffices to ask with a condition, and what a 304 makes of it.

What may live here: decisions on answers. Nothing is fetched, and nothing is stored.

A 304 brings no content, so that whoever asks with a condition must have all from which the page is
judged: its content, and its header. No condition is sent

- without a validator, or where the content is missing, empty or cut;
- where the answer is other for each request (`Vary: *`);
- where the earlier header says what robots may do (X-Robots-Tag and the like): a 304 need not
  repeat it, and a silent one could never take it back.

Source: RFC 9110 sections 13.1 and 15.4.5; RFC 9111 sections 4.1, 4.3.1 and 4.3.4.
"""

from dataclasses import replace

from goodbot.http.fields import Fields, field_lines
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
"""The status of an answer that a 304 may confirm: the others have no whole page."""

SAYS_WHAT_MAY_BE_DONE = {
    "content-signal",
    "content-usage",
    "robots-tag",
    "tdm-policy",
    "tdm-reservation",
    "x-robots-tag",
}
"""Fields that say what robots may do with a page, and that a 304 may leave out: RFC 9110 section
15.4.5 wants only some fields repeated, and none of these."""


def revisit_validators(response: Response) -> Validators | None:
    """Return the validators with which to ask for a page again; `None` if no condition may be sent.

    Args:
        response: The earlier answer, with the fields as later 304s have updated them.

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
    if not SAYS_WHAT_MAY_BE_DONE.isdisjoint(name for name, _ in fields) or varies(fields):
        return None
    return validators_of(fields, now=response.ended) or None


def varies(fields: Fields) -> bool:
    """Whether an answer fits no other request (RFC 9111 section 4.1)."""
    return "*" in fields_named(value for name, value in fields if name == "vary")


def conditions_of(validators: Validators | None) -> HeaderFields:
    """Return the fields of the request; none without validators."""
    return () if validators is None else tuple(conditional_headers(validators).items())


def confirmed(stored: Response, answer: Response) -> Response | None:
    """Return an earlier answer as a 304 confirms it; `None` if it does not.

    The content is that of the earlier answer, the fields are updated by those of the 304, and the
    times are those of the 304: it counts as an answer that came now.

    Args:
        stored: The earlier answer, about which the request asked.
        answer: What came.

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
