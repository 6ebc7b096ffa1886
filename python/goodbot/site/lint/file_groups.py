"""The groups of a robots.txt, read from the core once for all rules of lint.

Scope: what a group states. It judges nothing.
"""

from collections.abc import Iterable

from goodbot._core import Group, Rule

__all__ = ["FileGroup", "file_groups"]


class FileGroup:
    """A group of a robots.txt; the core makes its lists anew each time they are asked for.

    Args:
        group: The group.

    """

    def __init__(self, group: Group) -> None:
        """Read the names and lines."""
        self._group = group
        self._rules: list[Rule] | None = None
        self.agents: list[str] = group.agents
        """The values of its User-agent lines, each as often as it is written."""
        self.lines: list[int] = group.lines
        """The lines on which they stand."""
        one = len(self.agents) == 1
        self.names: tuple[str, ...] = tuple(self.agents if one else dict.fromkeys(self.agents))
        """The same values, each spelling once: a line may repeat one of them 100,000 times."""

    @property
    def rules(self) -> list[Rule]:
        """Its rules."""
        if self._rules is None:  # a `cached_property` has a lock, for each of 10,000 groups
            self._rules = self._group.rules
        return self._rules

    def lines_of(self, field: str) -> list[int]:
        """Return the lines with a field other than a rule."""
        return [line for name, _value, line in self._group.fields if name == field]


def file_groups(groups: Iterable[Group]) -> tuple[FileGroup, ...]:
    """Return groups of the core as they are kept."""
    return tuple(map(FileGroup, groups))
