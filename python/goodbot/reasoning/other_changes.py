"""What a change of robots.txt changes beside what may be fetched: pace, hours, uses, sitemaps.

Scope: two files compared field by field, by typed values where there are any.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from goodbot._core import RobotsTxt, Rules

__all__ = ["AS_WRITTEN", "FieldChange", "changed_fields", "changed_file"]

AS_WRITTEN = ("Content-Usage", "Content-Signal", "License", "Clean-param")
"""The fields whose lines are compared as they are written, because paths may be part of them."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field, or what follows from the file as a whole, that is not what it was."""

    field: str
    """The name of the field, such as `Crawl-delay`; `findings` for what is odd about the file."""
    before: tuple[str, ...]
    """Its values in the first file that the second does not have."""
    after: tuple[str, ...]
    """Its values in the second file that the first does not have."""


def changed_fields(
    before: RobotsTxt, after: RobotsTxt, rules: Sequence[Rules | None]
) -> tuple[FieldChange, ...]:
    """Return the fields that one robot reads differently in two files.

    Args:
        before: The first file.
        after: The second file.
        rules: What the robot obeys in each.

    """
    old, new = values_of(before, rules[0]), values_of(after, rules[1])
    found = (
        difference(name, old.get(name, ()), new.get(name, ()))
        for name in dict.fromkeys([*old, *new])
    )
    return tuple(one for one in found if one is not None)


def values_of(file: RobotsTxt, rules: Rules | None) -> dict[str, Sequence[str]]:
    """Return the values of each field that a robot obeys, as texts in the order of the file."""
    if rules is None:
        return {}
    stated, delay = file.fields_for(rules.robot), rules.crawl_delay
    typed: dict[str, Sequence[str]] = {
        "Crawl-delay": [] if delay is None else [repr(delay).removesuffix(".0")],
        "Request-rate": [str(rate) for rate in rules.request_rates],
        "Visit-time": [str(time) for time in rules.visit_times],
        "Comment": rules.comments,
        "Please-visit": rules.please_visit,
    }
    written = {name: [value for field, value, _ in stated if field == name] for name in AS_WRITTEN}
    return typed | written


def changed_file(before: RobotsTxt, after: RobotsTxt) -> tuple[FieldChange, ...]:
    """Return what has changed for every robot: the sitemaps, and the findings.

    Args:
        before: The first file.
        after: The second file.

    """
    found = (
        difference("Sitemap", before.sitemaps, after.sitemaps),
        difference("findings", findings_of(before), findings_of(after)),
    )
    return tuple(one for one in found if one is not None)


def findings_of(file: RobotsTxt) -> list[str]:
    """Return what is odd about a file, without the lines: those change with every edit."""
    return [f"{one.message} [{one.code}]" for one in file.findings]


def difference(name: str, before: Sequence[str], after: Sequence[str]) -> FieldChange | None:
    """Return a change of values; `None` if there is none. Their order does not matter."""
    if Counter(before) == Counter(after):
        return None
    return FieldChange(name, without(before, after), without(after, before))


def without(values: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Return the values that are not among others, each as often as it is missing there."""
    return tuple((Counter(values) - Counter(others)).elements())
