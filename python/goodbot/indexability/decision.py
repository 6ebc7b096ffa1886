"""Whether a URL may be in an index, and who says so: the one order in which that is decided.

Scope: this order. What a URL is barred by, and what its page says, is handed in; an inventory has
it from a table, and a report on one page from the page itself.
"""

from functools import lru_cache
from typing import NamedTuple

from goodbot.errors import NoOriginError
from goodbot.http.address import address_of

__all__ = ["Indexability", "decide", "normal", "without_content"]

NO_CONTENT = (204, 205)
"""The statuses of answers that have no content by design (RFC 9110, sections 15.3.5, 15.3.6)."""


class Indexability(NamedTuple):
    """Whether a URL may be in an index, why, and who says so."""

    allowed: bool
    reason: str
    """The slug of the reason."""
    source: str
    """The statement that decided; empty if none did."""


def decide(
    url: str, barred: Indexability | None, said: Indexability, canonical: str | None
) -> Indexability:
    """Decide whether a URL may be in an index.

    Args:
        url: The URL in its normal form.
        barred: What keeps a robot from the page at this URL; `None` if nothing does.
        said: What the page and its header say at this time.
        canonical: The canonical URL that the page states in its normal form; `None` if it states
            none.

    >>> said = Indexability(True, "nothing-said", "")
    >>> decide("https://a.example/b?c", None, said, "https://a.example/b").reason
    'canonical'

    Source: RFC 6596 section 3 (the canonical URL is to be preferred).

    """
    if barred is not None:
        return barred
    if said.allowed and canonical is not None and canonical != url:
        return Indexability(False, "canonical", f"canonical: {canonical}")  # noqa: FBT003
    return said


def without_content(status: int | None) -> Indexability | None:
    """Return that an answer without content gives nothing to index; `None` if it has content.

    >>> without_content(204).reason, without_content(200)
    ('no-content', None)

    Source: RFC 9110 sections 15.3.5 and 15.3.6: such an answer has no content, so there is no
    document that an index could hold.

    """
    if status not in NO_CONTENT:
        return None
    return Indexability(False, "no-content", f"status {status}")  # noqa: FBT003


@lru_cache(maxsize=10_000)
def normal(url: str | None) -> str | None:
    """Return the normal form of a URL; `None` if it is not one of HTTP or HTTPS."""
    if url is None:
        return None
    try:
        return address_of(url)[1]
    except NoOriginError:
        return None
