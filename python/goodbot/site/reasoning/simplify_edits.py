"""What might be simplified in a file: edits that are worth a proof.

Scope: candidates. A candidate may be wrong; only what is proven is done.
"""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from goodbot._core import (
    Dialect,
    Group,
    Line,
    RobotsTxt,
    Rules,
    fields,
    first_considered,
    obeyed_lines,
    rule_lines,
)
from goodbot.site.reasoning.difference import is_same
from goodbot.site.reasoning.robot_classes import EVERYONE_ELSE
from goodbot.site.reasoning.simplify_layout import Edit

__all__ = ["STEPS", "CandidateFile", "WrittenGroup"]

STARS = re.compile(rb"\*+")
NEEDLESS_END = re.compile(rb"(?:\*+\$?)$")
SITEMAP = b"sitemap"

OF_GROUPS = {name.lower() for name, scope, _, _ in fields() if scope == "group"}
"""The fields that speak to the robots of their group alone."""

PLAIN = ("", "zq")
"""What a star is replaced by in the paths that are tried for a rule."""


MOST_TRIED = 35_000_000
"""How many rules may be read when paths are tried, in all dialects."""

READS_OF_A_TRIAL = 1_000
"""How many rules are read in the time that a trial takes beside that."""

READS_OF_A_BYTE = 10
"""The same for each byte of a path."""

READS_OF_A_MATCH = 400
"""The same for each rule that matches."""

MOST_MATCHING = 8
"""The most rules of a path that are remembered."""


@dataclass(slots=True)
class WrittenGroup:
    """A group as it is written; places count from 0."""

    agents: list[int]
    """The places of its User-agent lines."""
    rules: list[int]
    """The places of its rules."""
    fields: list[int] = field(default_factory=list)
    """The places of its other fields that goodbot knows."""
    is_closed: bool = False
    """Whether something is in it whose meaning is unknown, so that it stays where it is."""

    @property
    def records(self) -> list[int]:
        """The places of its rules and fields."""
        return sorted(self.rules + self.fields)


class CandidateFile:
    """A file, and what might be omitted from it.

    Args:
        files: The file in each dialect; the first one says how it is divided into groups.
        names: The robots whose rules are tried in each of them.
        same: A quick comparison of what two robots obey; `None` is a robot that obeys nothing.

    """

    def __init__(
        self,
        files: Sequence[RobotsTxt],
        names: Sequence[Sequence[str]],
        same: Callable[[str, str | None], bool],
    ) -> None:
        """Read its lines."""
        file = files[0]
        self.files = files
        self.names = names
        self.same = same
        self.is_complete = True
        self.lines = file.lines
        self.agents: dict[int, Counter[str]] = {}
        self.alone: dict[tuple[bytes, bytes, bytes], bool] = {}
        read = OF_GROUPS.intersection(file.dialect.choices["fields"].split())
        self.groups = [written_group(group, self.lines, read) for group in file.groups]
        close_groups(self.groups, self.lines)

    def words(self, place: int) -> tuple[bytes, bytes]:
        """Return the name of a field in lower case, and its value."""
        line = self.lines[place]
        return (line.name or b"").lower(), line.value or b""

    def is_same_alone(self, place: int, value: bytes) -> bool:
        """Return whether a rule alone says the same with another value, in every dialect.

        Where the other rules make it the same, the rule is needless as a whole.
        """
        name, old = self.words(place)
        key = name, old, value
        if key not in self.alone:
            dialects = [file.dialect for file in self.files]
            self.alone[key] = all(is_same(*alone(name, key[1:], one)) for one in dialects)
        return self.alone[key]

    def agents_at(self, place: int) -> Counter[str]:
        """Return the robots that a User-agent line names, with how often it names each."""
        if place not in self.agents:
            found: Counter[str] = Counter()
            value = self.words(place)[1].decode("utf-8", "replace")
            # A line may repeat a name 250,000 times.
            for name, count in Counter(value.split(",")).items():
                found[name.strip()] += count
            self.agents[place] = found
        return self.agents[place]


def alone(name: bytes, values: Iterable[bytes], dialect: Dialect) -> Iterator[Rules]:
    """Yield what robots would obey if a rule with each of some values were the only one."""
    for value in values:
        content = b"User-agent: *\n%b: %b\n" % (name, value)
        yield RobotsTxt(content, dialect=dialect).rules_for(EVERYONE_ELSE)


def written_group(group: Group, lines: Sequence[Line], read: AbstractSet[str]) -> WrittenGroup:
    """Return where the lines of a group are; `read` has the fields that its dialect reads."""
    agents = sorted({number - 1 for number in group.lines})
    rules = sorted({rule.line - 1 for rule in group.rules})
    fields = sorted({number - 1 for name, _, number in group.fields if name.lower() in read})
    # A group of rules before any User-agent line names its first rule as its line.
    is_orphan = any((lines[place].name or b"").lower() != b"user-agent" for place in agents)
    return WrittenGroup(agents, rules, fields, is_closed=is_orphan or not agents)


def close_groups(groups: Sequence[WrittenGroup], lines: Sequence[Line]) -> None:
    """Mark groups that contain lines of unknown meaning."""
    begun = sorted((one for one in groups if one.agents), key=lambda one: min(one.agents))
    begins = [min(one.agents) for one in begun]
    known = {place for one in groups for place in (*one.agents, *one.records)}
    for place, line in enumerate(lines):
        is_harmless = line.kind in {"blank", "comment"} or (line.name or b"").lower() == SITEMAP
        if place in known or is_harmless:
            continue
        before = bisect_left(begins, place)
        if before:
            begun[before - 1].is_closed = True


def duplicate_rules(candidates: CandidateFile) -> Iterator[Edit]:
    """Yield each rule that an earlier line of its group says in the same words."""
    for group in candidates.groups:
        seen = set()
        for place in group.rules:
            words = candidates.words(place)
            if words in seen:
                yield Edit("rule", dropped=(place,))
            seen.add(words)


def needless_rules(candidates: CandidateFile) -> Iterator[Edit]:
    """Yield rules without which all paths that are tried are decided as before, the last first.

    One rule of each group stays, so that the group has an end.
    """
    trials = defaultdict(list)
    reads = 0
    for size, trial in chain.from_iterable(map(trials_of, candidates.files, candidates.names)):
        reads += READS_OF_A_TRIAL + size + READS_OF_A_MATCH * trial.matching
        if reads > MOST_TRIED:
            candidates.is_complete = False
            break
        for line, _ in trial.rules:
            trials[line].append(trial)
    gone: set[int] = set()
    places = {place: group for group in candidates.groups for place in group.rules}
    left = Counter(id(group) for group in places.values())
    for place, group in sorted(places.items(), key=itemgetter(0), reverse=True):
        if left[id(group)] > 1 and (candidates.is_complete or place + 1 in trials):
            gone.add(place + 1)
            if all(trial.stays(gone) for trial in trials[place + 1]):
                left[id(group)] -= 1
                yield Edit("rule", dropped=(place,))
            else:
                gone.remove(place + 1)


class Trial(NamedTuple):
    """A path, and the rules that match it."""

    allowed: bool
    """The verdict on it."""
    rules: tuple[tuple[int, bool], ...]
    """The line and the effect of the first rules that match, the one that decides first."""
    otherwise: bool | None
    """The verdict if none of these rules is left; `None` if there are more of them."""
    matching: int
    """How many rules match."""

    def stays(self, gone: AbstractSet[int]) -> bool:
        """Return whether the verdict stays without some lines."""
        left = (allowed for line, allowed in self.rules if line not in gone)
        return next(left, self.otherwise) is self.allowed


def trials_of(file: RobotsTxt, names: Sequence[str]) -> Iterator[tuple[int, Trial]]:
    """Yield paths that the rules of a file match, for robots that obey different lines.

    Before each stands what it costs to read it, beside the rules that match, as a number of rules.
    """
    seen = set()
    for name, lines in zip(names, obeyed_lines(file, list(names)), strict=True):
        if lines is None or str(lines) in seen:
            continue
        seen.add(str(lines))
        rules = file.rules_for(name)
        every = rule_lines(rules)[1]
        for said in every:
            for path in paths_of(said.partition(": ")[2]):
                yield len(every) + READS_OF_A_BYTE * len(path), trial_of(rules, path)


def paths_of(pattern: str) -> Iterator[str]:
    """Yield paths that a pattern matches."""
    for plain in PLAIN:
        path = pattern.removesuffix("$").replace("*", plain)
        yield path if path.startswith("/") else f"/{path}"


def trial_of(rules: Rules, path: str) -> Trial:
    """Try one path."""
    allowed, matching, number = first_considered(rules, path, MOST_MATCHING)
    # An empty Disallow that decides is one that allows everything (koster1994, yandex).
    effects = tuple((line, field == "Allow" or not pattern) for field, pattern, line in matching)
    otherwise = rules.otherwise[0] if number <= MOST_MATCHING else None
    return Trial(allowed, effects, otherwise, number)


def needless_stars(candidates: CandidateFile) -> Iterator[Edit]:
    """Yield each pattern whose last stars, or repeated stars, say nothing."""
    for group in candidates.groups:
        for place in group.rules:
            line = candidates.lines[place]
            old = line.value or b""
            new = NEEDLESS_END.sub(b"", STARS.sub(b"*", old))
            if new != old and new.startswith(b"/") and candidates.is_same_alone(place, new):
                begin = line.raw.index(
                    old, line.raw.index(line.name or b"") + len(line.name or b"")
                )
                text = line.raw[:begin] + new + line.raw[begin + len(old) :]
                yield Edit("star", after=place, text=text)


def needless_robots(candidates: CandidateFile) -> Iterator[Edit]:
    """Yield each group, and each name of a group, without which robots would obey the same."""
    written: Counter[str] = Counter()
    for group in candidates.groups:
        for place in group.agents:
            for name, times in candidates.agents_at(place).items():
                written[name.casefold()] += times
    count = len(candidates.groups)
    for group in reversed(candidates.groups):
        idle = [place for place in group.agents if is_needless(candidates, place, written)]
        if group.is_closed or not idle:
            continue
        if len(idle) < len(group.agents):
            yield from (Edit("robot", dropped=(place,)) for place in reversed(idle))
        elif count > 1:
            count -= 1  # a file without any group looks like a failed download
            yield Edit("group", dropped=tuple(sorted(group.agents + group.records)))


def is_needless(candidates: CandidateFile, place: int, written: Counter[str]) -> bool:
    """Return whether each robot of a User-agent line is named elsewhere, or obeys what `*` does.

    Without the group for `*`, all others obey nothing.
    """
    for name in candidates.agents_at(place):
        is_repeated = written[name.casefold()] > 1
        instead = None if name == EVERYONE_ELSE else EVERYONE_ELSE
        if not is_repeated and not candidates.same(name, instead):
            return False
    return True


def equal_groups(candidates: CandidateFile) -> Iterator[Edit]:
    """Yield each group that says the same as an earlier one, to be merged with it."""
    first: dict[object, WrittenGroup] = {}
    for group in candidates.groups:
        if group.is_closed or not group.records:
            continue
        fields = tuple(candidates.words(place) for place in group.fields)
        key = frozenset(candidates.words(place) for place in group.rules), fields
        if key not in first:
            first[key] = group
            continue
        heading = list(heading_of(group, candidates.lines))
        yield Edit(
            "merge",
            dropped=tuple(group.records),
            moved=(*heading, *group.agents),
            after=first[key].agents[-1],
        )


def heading_of(group: WrittenGroup, lines: Sequence[Line]) -> Iterator[int]:
    """Yield the places of the comments directly above a group, if a blank line is above them."""
    place = group.agents[0]
    while place > 0 and lines[place - 1].kind == "comment":
        place -= 1
    if place > 0 and lines[place - 1].kind == "blank":
        yield from range(place, group.agents[0])


STEPS: tuple[Callable[[CandidateFile], Iterator[Edit]], ...] = (
    duplicate_rules,
    needless_stars,
    needless_rules,
    needless_robots,
    equal_groups,
)
"""The kinds of candidates, in the order in which they are tried."""
