"""Cache-Control, read as in RFC 9111: the directives of a response."""

import re
from collections.abc import Iterable, Iterator

from goodbot.lazy_dataclass import dataclass

__all__ = ["GREATEST_DELTA", "CacheControl", "cache_control", "delta_seconds"]

GREATEST_DELTA = 2**31
"""The value of a number that is too large (RFC 9111 section 1.2.2)."""

DIGITS_OF_GREATEST = 10

ESCAPED = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CacheControl:
    """The directives of a response that say how long it may be stored and used.

    >>> cache_control(["max-age=60, no-cache"])
    CacheControl(max_age=60, no_cache=True)
    """

    max_age: int | None = None
    """Seconds of freshness (section 5.2.2.1)."""
    s_maxage: int | None = None
    """Seconds of freshness in a shared cache (section 5.2.2.10)."""
    stale_if_error: int | None = None
    """Seconds of use beyond freshness if the server fails (RFC 5861 section 4)."""
    no_cache: bool = False
    """Must not be used without revalidation (section 5.2.2.4), even if it names only fields."""
    no_store: bool = False
    """Must not be stored (section 5.2.2.5)."""
    must_revalidate: bool = False
    """Must not be used stale (section 5.2.2.2)."""
    proxy_revalidate: bool = False
    """Must not be used stale in a shared cache (section 5.2.2.8)."""
    must_understand: bool = False
    """May be stored only if the status is understood, and then despite `no-store` (5.2.2.3)."""
    private: bool = False
    """Must not be stored in a shared cache (section 5.2.2.7)."""
    invalid: tuple[str, ...] = ()
    """The directives with an invalid value: such freshness information counts as stale (4.2.1)."""

    def __repr__(self) -> str:
        """Return a description with the directives that are stated."""
        stated = (f"{name}={value!r}" for name, value in self.as_dict().items() if value)
        return f"CacheControl({', '.join(stated)})"

    def as_dict(self) -> dict[str, object]:
        """Return plain values."""
        return {name: getattr(self, name) for name in self.__slots__}


NUMBERS = {"max-age", "s-maxage", "stale-if-error"}
FLAGS = {
    "no-cache",
    "no-store",
    "must-revalidate",
    "proxy-revalidate",
    "must-understand",
    "private",
}


def cache_control(values: Iterable[str]) -> CacheControl:
    r"""Read the values of all Cache-Control lines of a response.

    Args:
        values: The value of each line, in order.

    Returns:
        The directives. If one is repeated, the first applies; names are in either case; numbers may
        be quoted; unknown directives are ignored.

    >>> cache_control(['private="a, no-store"', 'Max-Age="60", max-age=5'])
    CacheControl(max_age=60, private=True)
    >>> cache_control(["max-age=-1"])
    CacheControl(invalid=('max-age',))

    Source: RFC 9111 sections 4.2.1 and 5.2.

    """
    numbers: dict[str, int | None] = {}
    flags = set()
    for value in values:
        for name, argument in directives(value):
            if name in NUMBERS:
                numbers.setdefault(name, delta_seconds(argument or ""))
            elif name in FLAGS:
                flags.add(name)
    return CacheControl(
        max_age=numbers.get("max-age"),
        s_maxage=numbers.get("s-maxage"),
        stale_if_error=numbers.get("stale-if-error"),
        no_cache="no-cache" in flags,
        no_store="no-store" in flags,
        must_revalidate="must-revalidate" in flags,
        proxy_revalidate="proxy-revalidate" in flags,
        must_understand="must-understand" in flags,
        private="private" in flags,
        invalid=tuple(name for name, number in numbers.items() if number is None),
    )


def directives(value: str) -> Iterator[tuple[str, str | None]]:
    """Yield the name in lower case and the argument of each directive of a line."""
    for piece in pieces(value):
        name, equals, argument = piece.partition("=")
        name, argument = name.strip().lower(), argument.strip()
        if len(argument) > 1 and argument[0] == argument[-1] == '"':
            argument = ESCAPED.sub(r"\1", argument[1:-1])
        if name:
            yield name, argument if equals else None


def pieces(value: str) -> list[str]:
    """Split a line at its commas, except those in quoted strings.

    A quote that never closes is an ordinary character: what follows it is read as usual. That is
    tried once, from the first such quote, so that the time stays linear.
    """
    found, start, quoted, escaped = [], 0, False, False
    for place, character in enumerate(value):
        if escaped:
            escaped = False
        elif quoted and character == "\\":
            escaped = True
        elif character == '"':
            quoted = not quoted
        elif character == "," and not quoted:
            found.append(value[start:place])
            start = place + 1
    rest = value[start:]
    return [*found, *(rest.split(",") if quoted else [rest])]


def delta_seconds(text: str) -> int | None:
    """Read a number of seconds; return `None` if it is not one.

    >>> delta_seconds("60"), delta_seconds("99999999999"), delta_seconds("1.5"), delta_seconds("")
    (60, 2147483648, None, None)

    Source: RFC 9111 section 1.2.2.

    """
    if not (text.isascii() and text.isdigit()):
        return None
    digits = text.lstrip("0")
    if len(digits) > DIGITS_OF_GREATEST:
        return GREATEST_DELTA
    return min(int(digits or "0"), GREATEST_DELTA)
