"""What a robot was told, and what it got: two words for each request.

Scope: the words, the table that says which answer means what, and the word for an answer. What a
status says about a page is in `goodbot.http.status`.

>>> from goodbot.http.served import find_served
>>> [find_served(status) for status in (200, 304, 403, 402, 429, 500)]
['served', 'served', 'refused', 'priced', 'limited', 'failed']
>>> find_served(403, challenged=True), find_served(None)
('challenged', 'failed')
"""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from goodbot.display import short_repr
from goodbot.http.challenges import challenge_of
from goodbot.http.fields import Fields
from goodbot.http.payment import payment_of
from goodbot.lazy_dataclass import dataclass

__all__ = [
    "ANSWERS",
    "DECLARED",
    "SERVED",
    "Declared",
    "Served",
    "ServedRow",
    "answer_row",
    "find_served",
    "is_contrary",
    "pairs",
    "served_answer",
    "served_fields",
]

Declared: TypeAlias = Literal["allowed", "disallowed", "unknown"]
Served: TypeAlias = Literal["served", "refused", "challenged", "priced", "limited", "failed"]

DECLARED: dict[Declared, str] = {
    "allowed": "robots.txt allows it.",
    "disallowed": "robots.txt disallows it.",
    "unknown": "It is not known which robots.txt was in force, or what it says of this.",
}
"""What robots.txt declares of a request, each word with its meaning."""

SERVED: dict[Served, str] = {
    "served": "The site answered as it answers anybody: with the document, or with a redirect.",
    "refused": "The site refused the document to this client.",
    "challenged": "A firewall answered with a challenge for browsers in place of the document.",
    "priced": "The site asked for a payment or a licence first.",
    "limited": "The site asked for fewer requests.",
    "failed": "There was no document: no such page, a faulty request, an error, or no answer.",
}
"""What the site served, each word with its meaning."""


@dataclass(frozen=True, slots=True, repr=False)
class ServedRow:
    """What one kind of answer means.

    >>> answer_row("451").served
    'refused'
    """

    answer: str
    """A status such as `403`, a class such as `4xx`, or what shows it in another way."""
    served: Served
    """What was served."""
    why: str
    """Why it means that."""
    source: str
    """The document and section."""

    __repr__ = short_repr


CHALLENGE = "challenge"
LICENSE = "401 with a challenge of the scheme License"
NO_ANSWER = "no answer"

ANSWERS: tuple[ServedRow, ...] = (
    ServedRow(
        CHALLENGE,
        "challenged",
        "A field or a mark of the answer shows the challenge of a firewall, whatever its status.",
        "the documents of each vendor (`goodbot.http.challenges.CHALLENGES`)",
    ),
    ServedRow(
        LICENSE,
        "priced",
        "The document is served with a licence.",
        "RSL 1.0 sections 4.10 and 6.2",
    ),
    ServedRow(
        "402",
        "priced",
        "A payment is asked for.",
        "RFC 9110 section 15.5.3; Cloudflare, pay per crawl",
    ),
    ServedRow(
        "2xx",
        "served",
        "The request was successful.",
        "RFC 9110 section 15.3",
    ),
    ServedRow(
        "202",
        "failed",
        "The request has not been acted upon yet, and the content is not the document.",
        "RFC 9110 section 15.3.3",
    ),
    ServedRow(
        "3xx",
        "served",
        "The site says where the document is, or that the client's copy is current. What is served "
        "there is another request.",
        "RFC 9110 sections 15.4 and 15.4.5",
    ),
    ServedRow(
        "401",
        "refused",
        "The client has no credentials for it.",
        "RFC 9110 section 15.5.2",
    ),
    ServedRow(
        "403",
        "refused",
        "The server understood the request and refuses to fulfil it.",
        "RFC 9110 section 15.5.4",
    ),
    ServedRow(
        "451",
        "refused",
        "It is refused because of a legal demand.",
        "RFC 7725 section 3",
    ),
    ServedRow(
        "444",
        "refused",
        "nginx closed the connection without an answer, as its configuration says.",
        "nginx, ngx_http_rewrite_module, return",
    ),
    ServedRow(
        "429",
        "limited",
        "The client sent too many requests.",
        "RFC 6585 section 4",
    ),
    ServedRow(
        "529",
        "limited",
        "The site is overloaded.",
        "no document: as servers use it",
    ),
    ServedRow(
        "4xx",
        "failed",
        "There is no such page, or the request was faulty: anybody would have got the same.",
        "RFC 9110 section 15.5",
    ),
    ServedRow(
        "503",
        "failed",
        "The server is overloaded or in maintenance; the status does not say which. nginx limits "
        "requests with it by default: with `limit_req_status 429`, the two differ.",
        "RFC 9110 section 15.6.4; nginx, ngx_http_limit_req_module, limit_req_status",
    ),
    ServedRow(
        "5xx",
        "failed",
        "The server failed.",
        "RFC 9110 section 15.6",
    ),
    ServedRow(
        NO_ANSWER,
        "failed",
        "No usable answer came, or its status is outside 200 to 599.",
        "RFC 9110 section 15: as a 5xx",
    ),
)
"""Which answer means what: a status before its class, and the first two before any status."""

WITHHELD: frozenset[Served] = frozenset({"refused", "challenged", "priced", "limited"})
"""What is served to this client otherwise than to anybody."""

ROWS = {row.answer: row for row in ANSWERS}


def answer_row(answer: str) -> ServedRow:
    """Return the row of an answer by its name in `ANSWERS`; of other statuses, that of their class.

    Args:
        answer: Such as `challenge`, `403` or `418`.

    """
    return ROWS.get(answer) or ROWS.get(f"{answer[:1]}xx") or ROWS[NO_ANSWER]


def served_answer(
    status: int | None, *, challenged: bool = False, wants_license: bool = False
) -> ServedRow:
    """Return the row of an answer.

    Args:
        status: Its status; `None` if no answer came.
        challenged: Whether it is the challenge of a firewall.
        wants_license: Whether it has a challenge of the scheme License, which counts with 401.

    """
    if challenged:
        return ROWS[CHALLENGE]
    if wants_license and status == 401:  # noqa: PLR2004  Unauthorized
        return ROWS[LICENSE]
    return answer_row("" if status is None else str(status))


def find_served(
    status: int | None, *, challenged: bool = False, wants_license: bool = False
) -> Served:
    """Return the word for what was served; the arguments are those of `served_answer`."""
    return served_answer(status, challenged=challenged, wants_license=wants_license).served


def served_fields(status: int, fields: Fields, content: bytes = b"") -> Served:
    """Return the word for what was served, from a whole answer.

    Args:
        status: Its status.
        fields: Its header fields, names in lower case.
        content: Its content, in which marks of challenges are looked for.

    >>> served_fields(401, (("www-authenticate", 'License error="invalid_token"'),))
    'priced'
    """
    payment = payment_of(status, fields)
    return find_served(
        status,
        challenged=challenge_of(status, fields, content) is not None,
        wants_license=payment is not None and payment.wants_license,
    )


def is_contrary(declared: Declared, served: Served | None) -> bool:
    """Return whether a site does otherwise than its robots.txt says.

    It is so where robots.txt allows what the site withholds from the client, and where it disallows
    what the site serves.

    >>> is_contrary("allowed", "refused"), is_contrary("disallowed", "served")
    (True, True)
    >>> is_contrary("allowed", "failed"), is_contrary("unknown", "refused")
    (False, False)
    """
    if declared == "allowed":
        return served in WITHHELD
    return declared == "disallowed" and served == "served"


def pairs() -> Iterator[tuple[Declared, Served]]:
    """Yield each pair of what may be declared and served.

    >>> len(list(pairs()))
    18
    """
    for declared in DECLARED:
        for served in SERVED:
            yield declared, served
