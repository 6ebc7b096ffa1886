"""Merging stored settings with those that a caller passes now.

Scope: the rule for each kind of setting. `settings` defines which settings there are and when they
are merged.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from goodbot.crawl.frontier.bounds import Bounds
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.pace import Manners

__all__ = ["either", "merged_bounds", "merged_count", "merged_manners"]

Kind = TypeVar("Kind")


def merged_bounds(
    before: Bounds,
    named: Bounds | Mapping[str, Any] | None,
    start: Iterable[str],
    first: Iterable[str] = (),
) -> Bounds:
    """Merge bounds; origins in a mapping are added to the stored ones and those of the start URLs.

    Args:
        before: The stored bounds.
        named: The bounds that a caller passed. In a mapping, `None` for `origins` stands for those
            of the start URLs alone.
        start: The origins of the start URLs that the caller passed.
        first: The origins of the start URLs of earlier runs.

    >>> a, b = "https://a.example", "https://b.example"
    >>> after = merged_bounds(Bounds(origins=[a]), {"origins": [b]}, [], [a])
    >>> sorted(after.origins)
    ['https://a.example', 'https://b.example']
    >>> sorted(merged_bounds(after, {"origins": None}, [], [a]).origins)
    ['https://a.example']
    """
    known = before.origins
    if isinstance(named, Bounds):
        bounds, added = named, None
        if named.origins is not None:
            return named
    else:
        values = named_values("bounds", named, Bounds)
        if "origins" in values and values["origins"] is None:
            known = None
        added = Bounds(origins=values.pop("origins", None)).origins
        any_origin = values.pop("any_origin", before.any_origin and not added)
        bounds = replace(before, **values, any_origin=any_origin, origins=None)
    if bounds.any_origin:
        return replace(bounds, origins=added)
    stored = first if known is None else known
    return replace(bounds, origins=frozenset({*stored, *start, *(added or ())}))


def merged_manners(before: Manners, named: Manners | Mapping[str, Any] | None) -> Manners:
    """Merge manners; if only one end of the back-off is passed, the other is adjusted to fit.

    >>> merged_manners(Manners(), {"back_off_longest": 20.0}).back_off_first
    20.0
    """
    if isinstance(named, Manners):
        return named
    values = named_values("manners", named, Manners)
    first, longest = values.get("back_off_first"), values.get("back_off_longest")
    if longest is None and first is not None:
        values["back_off_longest"] = max(first, before.back_off_longest)
    elif first is None and longest is not None:
        values["back_off_first"] = min(longest, before.back_off_first)
    return replace(before, **values)


def merged_count(name: str, before: int, given: object) -> int:
    """Return the count that was passed or, if it is `None`, the stored one.

    Raises:
        WrongTypeError: It is not an int.
        WrongValueError: It is negative.

    """
    if given is None:
        return before
    if not isinstance(given, int) or isinstance(given, bool):
        message = f"{name} must be an int such as {before}, not {type(given).__name__}"
        raise WrongTypeError(message)
    if given < 0:
        message = f"{name} must be 0 or more, not {given}"
        raise WrongValueError(message)
    return given


def named_values(what: str, named: object, kind: type[Bounds | Manners]) -> dict[str, Any]:
    """Return the values of a mapping; an empty one for `None`.

    Raises:
        WrongTypeError: `named` is not a mapping.
        WrongValueError: `named` has an unknown name.

    """
    if named is None:
        return {}
    if not isinstance(named, Mapping):
        given = type(named).__name__
        message = f"{what} must be {kind.__name__}, a mapping or None, not {given}"
        raise WrongTypeError(message)
    names = [one.name for one in fields(kind) if one.init]
    unknown = [name for name in named if name not in names]
    if unknown:
        message = f"{what} has no {unknown[0]!r}; it has {', '.join(names)}"
        raise WrongValueError(message)
    return dict(named)


def either(given: Kind | None, before: Kind) -> Kind:
    """Return the value that was passed or, if it is `None`, the stored one."""
    return before if given is None else given
