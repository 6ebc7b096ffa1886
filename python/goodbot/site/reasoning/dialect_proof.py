r"""The proof that two versions of a file say the same to every robot, in each of some dialects.

Scope: which robots are compared, in which dialects, and everything that their rules say.

>>> import goodbot
>>> before, after = b"User-agent: *\nDisallow: /a*\n", b"User-agent: *\nDisallow: /a\n"
>>> for one in Proof(before, goodbot.dialects()[:3]).answers(after):
...     print(one.dialect, one.is_same, [found.path for found in one.differences])
rfc9309 True []
google True []
koster1994 False ['/a']
"""

from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from hashlib import blake2b
from itertools import chain

from goodbot import bots
from goodbot._core import (
    Dialect,
    RobotsTxt,
    Rules,
    compared_names,
    file_fields,
    group_sizes,
    obeyed_lines,
    rules_content,
    rules_memory,
    stated_fields,
)
from goodbot._core import dialect as dialect_of
from goodbot.bots import KnownRobot
from goodbot.bots.family import obeyed_name
from goodbot.content_use.purpose_tokens import PURPOSES_READ_IN, purpose_rules, purposes_named
from goodbot.display import short_repr
from goodbot.errors import RobotNameError
from goodbot.lazy_dataclass import dataclass
from goodbot.site.reasoning.difference import (
    Difference,
    counted_comparison,
    counted_first,
    on_path,
    path_of,
    sent_difference,
)
from goodbot.site.reasoning.other_changes import meant_values
from goodbot.site.reasoning.path_reader import path_reader
from goodbot.site.reasoning.plain_rules import is_plainly_same
from goodbot.site.reasoning.robot_classes import EVERYONE_ELSE, MOST_NAMES
from goodbot.site.reasoning.sample_robots import (
    TooManyPairs,
    names_compared,
    names_of_two,
    written_names,
)

__all__ = [
    "STATES_OF_A_PROOF",
    "DialectAnswer",
    "Proof",
    "TooMuch",
    "Version",
    "chosen_dialects",
    "known_names",
]

STATES_OF_A_PROOF = 10_000
"""The most states that one comparison of rules considers."""

STATES_OF_A_RUN = 60_000
"""The most states of all comparisons of a run; beyond them nothing more is proven."""

STATES_OF_A_SMALL_RUN, STATES_OF_A_LINE = 20_000, 100
"""The same for a file of few lines: so many, and more for each of them."""

STATES_OF_A_LARGE_RUN = 24_000
"""The same for a file of more than `LARGE` bytes."""

STATES_OF_A_START = 5
"""As how many states each comparison counts in any case."""

PAIRS_OF_A_LINE = 4
"""How many comparisons of a name with a group take as long as a line."""

MOST_WITNESSES = 20
"""How many URLs are tried on which earlier versions differ, before a search."""

LARGE = 50_000
"""From how many bytes on a file is large."""

MOST_MEMORY = 24 << 20
"""The most bytes of the rules of all robots in both versions: each may obey thousands of lines."""

BYTES_OF_A_FIELD = 150
"""As how many bytes a field counts beside its value."""

ComparedFields = tuple[tuple[str, str], ...]
FieldLists = Mapping[str, Sequence[str]]
"""The values of each field."""
Values = tuple[object, ...]
ObeyedLines = tuple[tuple[int, ...], ...]
"""Where what a robot obeys begins, for each reading of a file."""


class TooMuch(Exception):  # noqa: N818  it is caught in this room and reported as a refusal
    """A file has more lines, or names more robots, than are compared."""


@dataclass(frozen=True, slots=True, repr=False)
class DialectAnswer:
    """Whether two files say the same in a dialect."""

    dialect: str
    """The name of the dialect."""
    robot: str
    """A robot for which they differ; empty if none was found."""
    differences: tuple[Difference, ...]
    """A path that only the first file disallows, and one that only the second does, if there are
    such paths, each with the verdicts of a robot for which they differ."""
    field: str
    """A field that says something else, such as `Crawl-delay`; empty if none does."""
    is_complete: bool
    """Whether every robot and every path was considered."""

    __repr__ = short_repr

    @property
    def is_same(self) -> bool | None:
        """Whether they say the same; `None` if the bounds were reached before that was known."""
        if self.robot:
            return False
        return True if self.is_complete else None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """How two sets of rules compare."""

    differences: tuple[Difference, ...]
    is_complete: bool

    @property
    def is_same(self) -> bool | None:
        """Whether they decide alike; `None` if that is unknown."""
        return False if self.differences else (True if self.is_complete else None)


SAME, UNKNOWN = SearchResult((), is_complete=True), SearchResult((), is_complete=False)

ReadingPair = tuple[str, "ObeyedText | None", "ObeyedText | None"]
"""A robot, and what it obeys in both versions; `None` if it obeys nothing."""


class Proof:
    """What a file says to every robot, and whether another version says the same.

    Args:
        content: The file.
        dialects: The dialects in which both must say the same to every robot.
        others: Further files whose names are compared; those of `content` are always.

    Raises:
        TooMuch: The file names more robots than the bound.

    """

    has_families = True
    """Whether known robots are compared that try several names, or that ignore `*`."""

    def __init__(
        self,
        content: bytes,
        dialects: Sequence[Dialect],
        *others: bytes,
    ) -> None:
        """Read the file in each dialect."""
        self.dialects = list(dialects)
        self.before = Version(content, self.dialects)
        self.names: dict[str, list[str]] = {}
        for dialect in self.dialects:
            read = (RobotsTxt(other, dialect=dialect) for other in others)
            written = written_names(self.before.files[dialect.name], *read)
            if len(written) > MOST_NAMES:
                message = f"it names {len(written):,} robots, and {MOST_NAMES:,} are the most"
                raise TooMuch(message)
            known = known_names().get(dialect.name, ())
            self.names[dialect.name] = names_compared(dialect, written, known)
        self.readers = {one.name: path_reader(one) for one in self.dialects}
        self.line_count = len(self.before.raw)
        self.states_left = self.most_states = states_for(content, self.line_count)
        self.known: dict[Values, SearchResult] = {}
        self.witnesses: deque[str] = deque(maxlen=MOST_WITNESSES)
        """URLs on which the last versions that failed differ: others often fail there, too."""

    def limit_states(self, most: int) -> None:
        """Consider no more states than this, if there are not fewer left."""
        self.states_left = self.most_states = min(self.states_left, most)

    @property
    def states_taken(self) -> int:
        """How many states the searches have taken."""
        return self.most_states - self.states_left

    @property
    def work(self) -> int:
        """The work of one version: its lines, and names that are compared with groups.

        It counts more in a large file, of which no more than a few versions can be read in time.
        """
        first = self.before.files[self.dialects[0].name]
        pairs = len(self.names[first.dialect.name]) * group_sizes(first)[0]
        times = len(first.content) // LARGE + 1
        return (self.line_count + pairs // PAIRS_OF_A_LINE + 1) * times**2

    def holds_for(self, content: bytes) -> bool | None:
        """Return whether a version says the same; `None` if the bounds were reached."""
        after = Version(content, self.dialects)
        every = chain.from_iterable(self.pairs(dialect, after) for dialect in self.dialects)
        try:
            answers = (self.same(old, new) for _, old, new in every)
            return next((same for same in answers if same is not True), True)
        except TooManyPairs:
            return None

    def answers(self, content: bytes) -> Iterator[DialectAnswer]:
        """Yield for each dialect whether a version says the same, with an example if not."""
        after = Version(content, self.dialects)
        for dialect in self.dialects:
            yield self.answer(dialect, after)

    def answer(self, dialect: Dialect, after: "Version") -> DialectAnswer:
        """Return whether a version says the same in a dialect."""
        robot, changed = "", ""
        found: dict[bool, Difference] = {}
        is_complete = True
        try:
            for name, old, new in self.pairs(dialect, after):
                compared = self.finding(old, new)
                is_complete &= compared.is_complete
                field = "" if changed else self.changed_field(old, new)
                if compared.differences or field:
                    robot, changed = robot or name, changed or field
                for one in compared.differences:
                    if one.is_stricter not in found:
                        found[one.is_stricter] = self.of_robot(name, one, dialect, after)
                if self.is_enough(robot, found):
                    break
        except TooManyPairs:
            is_complete = False
        differences = tuple(found[side] for side in sorted(found))
        return DialectAnswer(dialect.name, robot, differences, changed, is_complete)

    def of_robot(
        self, name: str, one: Difference, dialect: Dialect, after: "Version"
    ) -> Difference:
        """Return a difference with the verdicts of a robot: others may obey equal rules."""
        files = (version.files[dialect.name] for version in (self.before, after))
        before, now = (file.rules_for(name) for file in files)
        confirmed = on_path(one.path, before, now)
        # A known robot may obey nothing, or the group of another name.
        return confirmed if confirmed.before.allowed != confirmed.after.allowed else one

    def is_enough(self, robot: str, _found: dict[bool, Difference]) -> bool:
        """Return whether no further robots need to be compared."""
        return bool(robot)

    def pairs(self, dialect: Dialect, after: "Version") -> Iterator[ReadingPair]:
        """Yield what each robot reads before and after, without those that read the same lines.

        Raises:
            TooManyPairs: There are more robots, or rules, than are compared.

        """
        before_file, after_file = self.before.files[dialect.name], after.files[dialect.name]
        has_changed = self.facts_of(before_file) != self.facts_of(after_file)
        if has_changed or self.before.purposes != after.purposes:
            yield EVERYONE_ELSE, None, after.reading(dialect.name, EVERYONE_ELSE)
        seen = set[Values]()
        names = self.names[dialect.name]
        yield from self.pairs_named(dialect, names, after, seen)

        def content_of(name: str) -> tuple[object, object]:
            return tuple(version.content(dialect.name, name) for version in (self.before, after))  # type: ignore[return-value]

        of_two = list(names_of_two(before_file, after_file, content_of))
        yield from self.pairs_named(dialect, of_two, after, seen)
        if self.has_families and compared_names(before_file) != compared_names(after_file):
            yield from self.known_robots(dialect, after)

    def pairs_named(
        self, dialect: Dialect, names: list[str], after: "Version", seen: set[Values]
    ) -> Iterator[ReadingPair]:
        """Yield the same of robots of these names."""
        versions = self.before, after
        obeyed = [version.lines_of(dialect.name, names) for version in versions]
        is_whole = all(version.is_whole(dialect) for version in versions)
        for name, *lines in zip(names, *obeyed, strict=True):
            key = tuple(lines)
            if None not in key and key not in seen:
                seen.add(key)
                if is_whole and self.is_same_text(dialect.name, after, *lines):
                    continue
                if self.before.memory + after.memory > MOST_MEMORY:
                    raise TooManyPairs
                before, now = (
                    version.obeying(dialect.name, name, of_version)
                    for version, of_version in zip(versions, lines, strict=True)
                )
                yield name, before, now

    def is_same_text(
        self, dialect: str, after: "Version", old: ObeyedLines, new: ObeyedLines
    ) -> bool:
        """Return whether what a robot obeys is written alike, so that it need not be compiled."""
        return self.before.text(dialect, old) == after.text(dialect, new)

    def known_robots(self, dialect: Dialect, after: "Version") -> Iterator[ReadingPair]:
        """Yield the same of the known robots whose names alone do not say what they obey."""
        usual = self.dialects[0].name
        for robot in families():
            own = robot.dialect if robot.dialect in self.names else usual
            if own == dialect.name:
                versions = self.before, after
                old, new = (version.of_family(dialect.name, robot) for version in versions)
                yield robot.name, old, new

    def facts_of(self, file: RobotsTxt) -> Values:
        """Return what a file says to all robots, or as a whole."""
        return tuple(file.sitemaps), file.is_cut_short, fields_of_file(file)

    def same(self, before: "ObeyedText | None", after: "ObeyedText | None") -> bool | None:
        """Return whether two readings mean the same; `None` if the bounds were reached."""
        if self.changed_field(before, after):
            return False
        return self.finding(before, after).is_same

    def changed_field(self, before: "ObeyedText | None", after: "ObeyedText | None") -> str:
        """Return a field that says something else; empty if there is none."""
        if before is None or after is None:
            return "" if before is after else "what applies to the whole file"
        return "" if before.said == after.said else changed(before.fields, after.fields)

    def finding(self, before: "ObeyedText | None", after: "ObeyedText | None") -> SearchResult:
        """Return how the rules of two readings compare."""
        if before is None or after is None or before.access == after.access:
            return SAME
        dialect = self.readers[before.rules.dialect]
        key = (dialect, before.access, after.access)
        if key not in self.known:
            is_same = is_plainly_same(before.rules, after.rules, dialect)
            self.known[key] = SAME if is_same else self.search(before.rules, after.rules)
        return self.known[key]

    def search(self, before: Rules, after: Rules) -> SearchResult:
        """Compare two sets of rules on every path, within the bounds."""
        if self.states_left <= 0:
            return UNKNOWN
        for url in self.witnesses:
            if before.allows(url) != after.allows(url):
                shown = sent_difference(path_of(url), before, after)
                if shown:
                    return SearchResult(tuple(shown), is_complete=True)
        most = min(STATES_OF_A_PROOF, self.states_left)
        found, is_certain, states = counted_first(before, after, most)
        self.states_left -= states + STATES_OF_A_START
        if found is None:
            return SAME if is_certain else UNKNOWN
        self.witnesses.appendleft(found.url)
        return SearchResult((found,), is_complete=True)


class FilesProof(Proof):
    """The same for two files of which each may say anything, such as an old one and a new one.

    What they ask beside access is compared by what it means, and every robot is compared, so that
    it is known whether the change is stricter, laxer or both.
    """

    has_families = False  # `compare_files` compares them, each in its dialect

    def is_enough(self, _robot: str, found: dict[bool, Difference]) -> bool:
        """Return whether no further robots need to be compared."""
        return len(found) > 1

    def facts_of(self, file: RobotsTxt) -> Values:
        """Return the fields of the whole file; sitemaps are no question of dialects."""
        return tuple(sorted(fields_of_file(file)))

    def changed_field(self, before: "ObeyedText | None", after: "ObeyedText | None") -> str:
        """Return a field whose values mean something else; empty if there is none."""
        if before is None or after is None:
            return super().changed_field(before, after)
        if before.said == after.said:
            return ""
        return changed_values(*(meant_values(one.rules, one.said) for one in (before, after)))

    def answer(self, dialect: Dialect, after: "Version") -> DialectAnswer:
        """Return whether a version says the same in a dialect, and forget what was read for it."""
        answer = super().answer(dialect, after)
        for version in (self.before, after):
            version.forget(dialect.name)
        return answer

    def search(self, before: Rules, after: Rules) -> SearchResult:
        """Compare two sets of rules on every path, in both directions."""
        if self.states_left <= 0:
            return UNKNOWN
        most = min(STATES_OF_A_PROOF, self.states_left)
        found, states = counted_comparison(before, after, most)
        self.states_left -= states + STATES_OF_A_START
        sides = {one.is_stricter: one for one in reversed(found.differences)}
        return SearchResult(tuple(sides.values()), found.is_complete)


def changed(before: ComparedFields, after: ComparedFields) -> str:
    """Return the first field that is not what it was; empty if there is none.

    >>> changed((("Crawl-delay", "5"), ("Comment", "a")), (("Crawl-delay", "5"),))
    'Comment'
    """
    if before == after:
        return ""
    # A file may have thousands of them, of which the last one alone is another.
    old, new = set(before), set(after)
    other = next((one for one in before if one not in new), None)
    other = other or next((one for one in after if one not in old), (*before, *after)[0])
    return other[0]


def changed_values(before: FieldLists, after: FieldLists) -> str:
    """Return the same of the values of each field: by name, and whatever the order of the values.

    >>> changed_values({"Comment": ["a", "b"]}, {"Comment": ["b", "a"]})
    ''
    >>> changed_values({"Comment": ["a"]}, {"Comment": ["b", "a"], "Crawl-delay": ["5"]})
    'Comment'
    """
    for own, other in ((before, after), (after, before)):
        for name in sorted(own):
            if not set(other.get(name, ())).issuperset(own[name]):
                return name
    is_same = all(
        Counter(values) == Counter(after.get(name, ())) for name, values in before.items()
    )
    return "" if is_same else min(before)


def fields_of_file(file: RobotsTxt) -> ComparedFields:
    """Return the fields of the whole file as they are written, without its sitemaps."""
    return tuple((name, value) for name, value, _ in file_fields(file))


def states_for(content: bytes, lines: int) -> int:
    r"""Return the most states of a run on a file of so many lines.

    >>> states_for(b"Disallow: /a\n" * 50, 50)
    25000
    """
    if len(content) > LARGE:
        return STATES_OF_A_LARGE_RUN
    return min(STATES_OF_A_RUN, STATES_OF_A_SMALL_RUN + STATES_OF_A_LINE * lines)


class ObeyedText:
    """What one robot obeys in one version of a file."""

    __slots__ = ("_characters", "access", "rules", "said")

    def __init__(self, file: RobotsTxt, rules: Rules) -> None:
        """Collect what can be compared without a search."""
        self.rules = rules
        # A digest, since thousands of versions are remembered.
        digest = blake2b(rules_content(rules), digest_size=16).digest()
        # Dialects that compare paths alike share a search, but for records of another version.
        read_as = "" if rules.read_as == rules.dialect else rules.read_as
        self.access = rules.otherwise, read_as, digest
        """What the rules say: equal ones need no search."""
        self.said, self._characters = stated_fields(file, rules.robot)
        """The other fields as they are written, a line for each: pace, hours, use, comments. They
        may be thousands, so that no objects are made of them."""

    @property
    def size(self) -> int:
        """About how many bytes the other fields take."""
        return self._characters + BYTES_OF_A_FIELD * self.said.count("\n")

    @property
    def fields(self) -> ComparedFields:
        """The other fields one by one."""
        pairs = (line.partition(": ") for line in self.said.split("\n")[:-1])
        return tuple((name, value) for name, _, value in pairs)


class Version:
    """A version of a file, read in each dialect."""

    def __init__(self, content: bytes, dialects: Sequence[Dialect]) -> None:
        """Read it."""
        self.files = {one.name: RobotsTxt(content, dialect=one) for one in dialects}
        self.raw = [line.raw for line in next(iter(self.files.values())).lines]
        self.lines: dict[tuple[str, str], ObeyedLines | None] = {}
        self.starts: dict[str, set[int]] = {one.name: set() for one in dialects}
        """The lines at which the groups begin that robots obey, in each dialect."""
        self.sorted_starts: dict[str, list[int]] = {one.name: [] for one in dialects}
        self.readings: dict[tuple[str, ObeyedLines | None], ObeyedText] = {}
        self.memory = 0
        """How many bytes the rules of all readings take."""

    @cached_property
    def purposes(self) -> Values:
        """The purposes that have groups, and their rules where no robot stands for them.

        A purpose is no robot: without a group of its own nothing is said of it, not what `*` says.
        It is read in one dialect, whatever the others.
        """
        file = self.files.get(PURPOSES_READ_IN)
        if file is not None:
            return purposes_named(file), ()
        file = RobotsTxt(next(iter(self.files.values())).content, dialect=PURPOSES_READ_IN)
        rules = tuple(rules_content(one.rules) for one in purpose_rules(file))
        return purposes_named(file), rules

    def lines_of(self, dialect: str, names: Sequence[str]) -> list[ObeyedLines | None]:
        """Return the lines that each robot obeys; `None` for what cannot be the name of a robot."""
        unknown = [name for name in names if (dialect, name) not in self.lines]
        found = obeyed_lines(self.files[dialect], unknown) if unknown else []
        for name, lines in zip(unknown, found, strict=True):
            self.lines[dialect, name] = None if lines is None else tuple(map(tuple, lines))
            # Of each reading: the lines of its groups, then those of fields within them.
            self.starts[dialect].update(*(lines or ())[::2])
        return [self.lines[dialect, name] for name in names]

    def is_whole(self, dialect: Dialect) -> bool:
        """Return whether a dialect reads all of the file."""
        limit = int(dialect.choices["size_limit"])
        return not limit or len(self.files[dialect.name].content) <= limit

    def text(self, dialect: str, lines: ObeyedLines) -> Values:
        """Return the groups that a robot obeys as they are written, for each reading.

        A group ends where the next one begins at the latest, so that what follows it may be there,
        too, and nothing of it is missing.
        """
        return tuple(tuple(self.part(dialect, start) for start in each) for each in lines[::2])

    def part(self, dialect: str, start: int) -> bytes:
        """Return the lines from one at which a group begins to the next one of these."""
        starts = self.sorted_starts[dialect]
        if len(starts) != len(self.starts[dialect]):
            self.sorted_starts[dialect] = starts = sorted(self.starts[dialect])
        place = bisect_right(starts, start)
        end = starts[place] - 1 if place < len(starts) else len(self.raw)
        return b"".join(self.raw[start - 1 : end])

    def reading(self, dialect: str, name: str) -> ObeyedText:
        """Return what a robot of this name obeys.

        Raises:
            RobotNameError: It cannot be the name of a robot.

        """
        (lines,) = self.lines_of(dialect, [name])
        return self.obeying(dialect, name, lines)

    def obeying(self, dialect: str, name: str, lines: ObeyedLines | None) -> ObeyedText:
        """Return what a robot obeys of which the lines are known: others may share it."""
        key = dialect, lines
        if key not in self.readings:
            file = self.files[dialect]
            rules = file.rules_for(name)
            obeyed = ObeyedText(file, rules)
            self.memory += rules_memory(rules) + obeyed.size
            self.readings[key] = obeyed
        return self.readings[key]

    def forget(self, dialect: str) -> None:
        """Drop what robots obey in a dialect: it is not asked for again, or else read again."""
        for key in [key for key in self.readings if key[0] == dialect]:
            del self.readings[key]
        self.memory = 0

    def content(self, dialect: str, name: str) -> object:
        """Return what a robot of this name obeys as a value: robots of equal values obey alike."""
        try:
            reading = self.reading(dialect, name)
        except RobotNameError:
            return None
        return reading.access, reading.said

    def of_family(self, dialect: str, robot: KnownRobot) -> ObeyedText | None:
        """Return what a known robot obeys; `None` if it obeys nothing."""
        name, _ = obeyed_name(self.files[dialect], robot)
        return None if name is None else self.reading(dialect, name)


@cache
def families() -> tuple[KnownRobot, ...]:
    """Return the known robots that try several names, or that ignore `*`."""
    return tuple(one for one in bots.every() if one.ignores_star or len(one.tokens) > 1)


@cache
def known_names() -> dict[str, tuple[str, ...]]:
    """Return the names of the known robots of each dialect that is not the default."""
    names: dict[str, dict[str, None]] = {}
    for robot in bots.every():
        if robot.dialect is not None:
            names.setdefault(robot.dialect, {})[(robot.tokens or (robot.name,))[0]] = None
    return {dialect: tuple(of_dialect) for dialect, of_dialect in names.items()}


def chosen_dialects(names: Sequence[str]) -> list[Dialect]:
    """Return the dialects of these names.

    Raises:
        UnknownDialectError: There is no dialect of a name.

    """
    return [dialect_of(name) for name in dict.fromkeys(names)]
