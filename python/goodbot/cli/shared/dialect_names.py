"""The names of dialects in a sentence."""

from collections.abc import Sequence

__all__ = ["listed_dialects"]


def listed_dialects(names: Sequence[str]) -> str:
    """Return the names of dialects as a part of a sentence.

    >>> listed_dialects(["rfc9309"]), listed_dialects(["rfc9309", "google", "lwp"])
    ('the dialect rfc9309', 'the dialects rfc9309, google and lwp')
    """
    *others, last = names
    return f"the dialects {', '.join(others)} and {last}" if others else f"the dialect {last}"
