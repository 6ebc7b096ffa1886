"""What a change of robots.txt changes beside what may be fetched: pace, hours, uses, sitemaps.

Scope: two files compared field by field, by typed values where there are any.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from goodbot._core import RobotsTxt, Rules, file_fields, stated_fields
from goodbot.content_use.purpose_tokens import purposes_named
from goodbot.lazy_dataclass import dataclass

__all__ = ["AS_WRITTEN", "FieldChange", "FieldValues", "changed_file", "meant_values"]

AS_WRITTEN = ("Content-Usage", "Content-Signal", "License", "Clean-param")
"""The fields whose lines are compared as they are written, because paths may be part of them."""

WRITTEN = re.compile(rf"^({'|'.join(AS_WRITTEN)}): (.*)$", re.MULTILINE)
"""A line with one of them, with the name and the value."""

TYPED = ("Crawl-delay", "Request-rate", "Visit-time", "Comment", "Please-visit")
"""The fields that are compared by what they mean."""

COMPARED = TYPED + AS_WRITTEN
"""All fields that are compared for each robot, in the order in which changes are reported."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field, or what follows from the file as a whole, that is not what it was."""

    field: str
    """The name of the field, such as `Crawl-delay`; `findings` for what is odd about the file."""
    before: tuple[str, ...]
    """Its values in the first file that the second does not have."""
    after: tuple[str, ...]
    """Its values in the second file that the first does not have."""


class FieldValues:
    """The fields that robots read in two files.

    Args:
        files: The files.

    """

    def __init__(self, files: tuple[RobotsTxt, RobotsTxt]) -> None:
        """Begin with nothing read."""
        self.files = files
        self.used = [frozenset(file.fields_used) for file in files]
        self.known: dict[int, tuple[Rules, dict[str, list[str]]]] = {}

    def changes(self, rules: Sequence[Rules | None]) -> tuple[FieldChange, ...]:
        """Return the fields that one robot reads differently in the two files.

        Args:
            rules: What the robot obeys in each.

        """
        old, new = map(self.values, (0, 1), rules)
        if old == new:
            return ()
        found = (difference(name, old.get(name, []), new.get(name, [])) for name in COMPARED)
        return tuple(one for one in found if one is not None)

    def values(self, place: int, rules: Rules | None) -> dict[str, list[str]]:
        """Return the values of each field that a robot obeys in a file, in the order of the file.

        Args:
            place: Which of the files.
            rules: What the robot obeys.

        """
        if rules is None or self.used[place].isdisjoint(COMPARED):
            return {}
        if id(rules) not in self.known:
            said = ""
            if not self.used[place].isdisjoint(AS_WRITTEN):
                said, _ = stated_fields(self.files[place], rules.robot)
            self.known[id(rules)] = rules, meant_values(rules, said)
        return self.known[id(rules)][1]


def typed_values(rules: Rules) -> Iterator[tuple[str, list[str]]]:
    """Yield the typed values of fields as texts; fields without values are not there."""
    delay = rules.crawl_delay
    values: tuple[Sequence[object], ...] = (
        () if delay is None else (repr(delay).removesuffix(".0"),),
        rules.request_rates,
        rules.visit_times,
        rules.comments,
        rules.please_visit,
    )
    for name, several in zip(TYPED, values, strict=True):
        if several:
            yield name, list(map(str, several))


def written_values(said: str) -> dict[str, list[str]]:
    r"""Return the values of the fields that are compared as they are written.

    >>> written_values("License: a\nCrawl-delay: 5\nLicense: b\n")
    {'License': ['a', 'b']}
    """
    found: dict[str, list[str]] = {}
    for name, value in WRITTEN.findall(said):
        found.setdefault(name, []).append(value)
    return found


def meant_values(rules: Rules, said: str) -> dict[str, list[str]]:
    """Return the values of all compared fields that a robot obeys.

    Args:
        rules: What it obeys.
        said: Its fields other than rules as they are written, a line for each (`stated_fields`).

    """
    return dict(typed_values(rules)) | written_values(said)


def changed_file(before: RobotsTxt, after: RobotsTxt) -> tuple[FieldChange, ...]:
    """Return what has changed for every robot: fields of the whole file, sitemaps, and findings.

    Purposes that have a group in one file only are a change of User-agent: they are no robots.

    Args:
        before: The first file.
        after: The second file.

    """
    old, new = (values_of_file(file) for file in (before, after))
    found = (
        *(difference(name, old.get(name, []), new.get(name, [])) for name in AS_WRITTEN),
        difference("User-agent", purposes_named(before), purposes_named(after)),
        difference("Sitemap", before.sitemaps, after.sitemaps),
        difference("findings", findings_of(before), findings_of(after)),
    )
    return tuple(one for one in found if one is not None)


def values_of_file(file: RobotsTxt) -> dict[str, list[str]]:
    """Return the fields that apply to the whole file, as they are written, without its sitemaps."""
    found: dict[str, list[str]] = {}
    for name, value, _ in file_fields(file):
        found.setdefault(name, []).append(value)
    return found


def findings_of(file: RobotsTxt) -> list[str]:
    """Return what is odd about a file, without the lines: those change with every edit."""
    return [f"{one.message} [{one.code}]" for one in file.findings]


def difference(name: str, before: Sequence[str], after: Sequence[str]) -> FieldChange | None:
    """Return a change of values; `None` if there is none. Their order does not matter."""
    if before == after:
        return None
    old, new = Counter(before), Counter(after)
    gone, come = tuple((old - new).elements()), tuple((new - old).elements())
    return FieldChange(name, gone, come) if gone or come else None
