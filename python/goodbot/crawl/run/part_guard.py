"""A guard around a part that was passed to a crawl.

Scope: what an error of such a part means. It ends the crawl, whatever its kind: it is no answer of
a site, no permission, and no fault of the URL at which it happened.
"""

from functools import wraps
from typing import Any

from goodbot.errors import CrawlPartError

__all__ = ["PartGuard", "part_failure"]

REPAIR = "Repair it, and resume the crawl; nothing was visited without it"


class PartGuard:
    """A part of a crawl whose errors name it.

    Args:
        role: What it is in the crawl, such as `frontier`.
        part: The part.

    >>> PartGuard("index", [1]).index(2)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    goodbot.errors.CrawlPartError: index= of the crawl (list) failed: ValueError: 2 is not in...
    """

    def __init__(self, role: str, part: object) -> None:
        """Guard it."""
        self._role, self._part = role, part

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  of any type
        """Return an attribute of the part; a method is guarded, and looked up only once."""
        role, part = self._role, self._part
        try:
            found = getattr(part, name)
        except Exception as error:
            raise part_failure(role, part, error) from error
        if not callable(found):
            return found

        @wraps(found)
        def guarded(*values: Any, **options: Any) -> Any:  # noqa: ANN401  as the part has them
            try:
                return found(*values, **options)
            except Exception as error:
                raise part_failure(role, part, error) from error

        vars(self)[name] = guarded
        return guarded

    def __contains__(self, one: object) -> bool:
        """Whether the part contains something."""
        try:
            return one in self._part  # type: ignore[operator]
        except Exception as error:
            raise part_failure(self._role, self._part, error) from error


def part_failure(role: str, part: object, error: Exception | str) -> CrawlPartError:
    """Return the error of a crawl one of whose parts failed."""
    if isinstance(error, CrawlPartError):
        return error
    what = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    return CrawlPartError(f"{role}= of the crawl ({type(part).__name__}) failed: {what}. {REPAIR}")
