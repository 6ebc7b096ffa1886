"""What a response asks for before it serves a document: a price, or a licence.

Scope: reading. Nothing is ever paid, and no token is asked for: a price is a fact about the
response, and the document was not fetched.

>>> payment_of(402, (("crawler-price", "USD 0.01"),))
Payment(price='USD 0.01', charged=None, ...)
>>> print(payment_of(402, (("crawler-price", "one cent"),)))
the price 'one cent', which is not of the form USD 0.01
>>> print(payment_of(401, (("www-authenticate", 'License error="invalid_token"'),)))
a licence of RSL (invalid_token)

Sources: Cloudflare, pay per crawl ("Crawl pages", "Error codes" and "Advanced configuration", read
in the source of its documentation on 29 November 2026); RSL 1.0, sections 4.10 and 6.3 (read in a
digest of October 2026); RFC 9110 sections 11.6.1 and 15.5.3.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

from goodbot.display import short_repr
from goodbot.http.fields import Fields, first, name_of, values_of
from goodbot.http.head import TOKEN
from goodbot.http.quoting import shortened
from goodbot.lazy_dataclass import dataclass

__all__ = ["PAYMENT_REQUIRED", "PRICED", "Payment", "challenges_of", "payment_of"]

PRICED = "priced"
"""The reason of a document that is not served without a payment or a licence."""
PAYMENT_REQUIRED = 402
"""The status of a document that costs something (RFC 9110 section 15.5.3)."""
UNAUTHORIZED = 401
SCHEME = "license"
"""The authentication scheme of RSL (section 6.2)."""
PRICE = r"([A-Z]{3})[ \t]+([0-9]{1,12}(?:\.[0-9]{1,12})?)"
FIELDS = frozenset({"crawler-price", "crawler-charged", "crawler-error"})
"""The fields that speak of a payment with any status (Cloudflare, pay per crawl)."""
MOST_READ = 4_096
"""The most characters of challenges that are read."""
PARAMETER = re.compile(rf'({TOKEN})[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|({TOKEN}))')
ITEM = re.compile(rf"[ \t,]*({TOKEN})")


@dataclass(frozen=True, slots=True, repr=False)
class Payment:
    """What a site asks for before it serves a document, as far as the response says it."""

    price: str | None = None
    """The price as it is written (`crawler-price`); `None` if it is not stated."""
    charged: str | None = None
    """What was charged, as it is written (`crawler-charged`): someone else paid."""
    error: str | None = None
    """Why an offer to pay was refused (`crawler-error`), such as `MissingCrawlerPrice`."""
    wants_license: bool = False
    """Whether the response asks for a licence of RSL, by the scheme `License` of a challenge."""
    license_error: str | None = None
    """The error that RSL's challenge names, such as `invalid_request`."""

    __repr__ = short_repr

    @property
    def currency(self) -> str | None:
        """The currency of the price, three letters; `None` if no machine can read it."""
        found = re.fullmatch(PRICE, self.price or "")
        return found and found[1]

    @property
    def amount(self) -> str | None:
        """The amount of the price, a decimal number; `None` if no machine can read it."""
        found = re.fullmatch(PRICE, self.price or "")
        return found and found[2]

    @property
    def is_readable(self) -> bool:
        """Whether a price is stated in the form that a machine can read, such as `USD 0.01`."""
        return self.amount is not None

    def __str__(self) -> str:
        """Return what is asked for, in words."""
        asked = []
        if self.price is not None:
            unread = "" if self.is_readable else ", which is not of the form USD 0.01"
            shown = self.price if self.is_readable else repr(shortened(self.price, 40))
            asked.append(f"the price {shown}{unread}")
        if self.wants_license:
            why = f" ({shortened(self.license_error, 40)})" if self.license_error else ""
            asked.append(f"a licence of RSL{why}")
        if self.error is not None:
            asked.append(f"the error {shortened(self.error, 40)}")
        if self.charged is not None:
            asked.append(f"{shortened(self.charged, 40)} was charged")
        return " and ".join(asked) or "a payment, without a price"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        plain = {one.name: getattr(self, one.name) for one in fields(self)}
        read = {"amount": self.amount, "currency": self.currency, "is_readable": self.is_readable}
        return plain | read | {"sentence": str(self)}


def payment_of(status: int, header: Fields) -> Payment | None:
    """Return what a response asks for; `None` if it asks for nothing.

    A price counts with the status 402 only, as Cloudflare's documentation says; RSL's challenge
    with 401 and 402. What was charged, and why an offer was refused, count with every status.

    Args:
        status: The status of the response.
        header: Its field lines, names in lower case.

    """
    challenge = None
    is_asking = status in {UNAUTHORIZED, PAYMENT_REQUIRED}
    if not is_asking and FIELDS.isdisjoint(map(name_of, header)):
        return None
    if is_asking:
        named = (one for scheme, one in challenges_of(values_of(header, "www-authenticate"))
                 if scheme == SCHEME)  # fmt: skip
        challenge = next(named, None)
    found = Payment(
        (first(header, "crawler-price") or None) if status == PAYMENT_REQUIRED else None,
        first(header, "crawler-charged") or None,
        first(header, "crawler-error") or None,
        challenge is not None,
        None if challenge is None else challenge.get("error"),
    )
    return found if status == PAYMENT_REQUIRED or found != Payment() else None


def challenges_of(values: Iterable[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each challenge of WWW-Authenticate: its scheme in lower case, and its parameters.

    >>> list(challenges_of(['Basic realm="a, b", License error="invalid_token"']))
    [('basic', {'realm': 'a, b'}), ('license', {'error': 'invalid_token'})]

    Source: RFC 9110 section 11.6.1. A token68 is ignored.
    """
    text, at = ", ".join(values)[:MOST_READ], 0
    scheme: str | None = None
    parameters: dict[str, str] = {}
    while at < len(text):
        named = PARAMETER.match(text, at)
        item = ITEM.match(text, at)
        if named is not None and scheme is not None:
            quoted = named[2]
            value = named[3] if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
            parameters.setdefault(named[1].lower(), value)
            at = named.end()
        elif item is None:
            at += 1
        elif PARAMETER.match(text, item.start(1)):
            at = item.start(1) if scheme is not None else item.end()
        else:
            # A scheme comes first, or behind a comma; other words are a token68.
            if at == 0 or "," in item[0] or text[at - 1] == ",":
                if scheme is not None:
                    yield scheme, parameters
                scheme, parameters = item[1].lower(), {}
            at = item.end()
    if scheme is not None:
        yield scheme, parameters
