"""The proof that two versions of a file say the same to every robot.

Scope: which robots are compared, in which dialects, and everything that their rules say.
"""

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from hashlib import blake2b
from itertools import starmap

from goodbot import bots
from goodbot._core import Dialect, RobotsTxt, Rules, group_sizes, obeyed_lines, rules_content
from goodbot._core import dialect as dialect_of
from goodbot.bots import KnownRobot
from goodbot.bots.family import obeyed_name
from goodbot.reasoning.difference import SITE, counted_first
from goodbot.reasoning.path_reader import PathReader, path_reader
from goodbot.reasoning.robot_classes import MOST_NAMES, OTHER_WORDS, leading_token, robot_names
from goodbot.reasoning.simplify_layout import NumberedLine, content_of

__all__ = ["STATES_OF_A_PROOF", "Proof", "TooMuch"]

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

PREFIXES = (
    ("star", "wildcard"),
    ("dollar", "end"),
    ("extent", "prefix"),
    ("absolute_paths", "never-match"),
)
"""The choices with which a pattern matches all paths that begin as it says."""

PLAIN = re.compile(r"/[A-Za-z0-9_~!&-/:;=?@]*\$?")
"""A pattern of characters that every URL may have: it is compared as written. A `$` before the end
would become one at the end without the stars behind it."""

MOST_PLAIN = 2_000
"""The most rules that are compared without a search: some dialects drop what is beyond a limit."""

MOST_COVERINGS = 200_000
"""The most pairs of patterns that are compared without a search."""

NEEDLESS_END = re.compile(r"\*+\$?$")

ComparedFields = tuple[tuple[str, str], ...]
Values = tuple[object, ...]


class TooMuch(Exception):  # noqa: N818  it is caught in this room and reported as a refusal
    """A file has more lines, or names more robots, than are compared."""


class Proof:
    """What a file says to every robot, and whether another version says the same.

    Args:
        lines: The file.
        dialects: The dialects in which both must say the same to every robot.
        own_dialects: Whether known robots that read another dialect are compared in theirs.
        most_states: The most states of all searches; fewer in a large file.

    Raises:
        TooMuch: The file names more robots than the bound.

    """

    def __init__(
        self,
        lines: Sequence[NumberedLine],
        dialects: Sequence[Dialect],
        *,
        own_dialects: bool,
        most_states: int = STATES_OF_A_RUN,
    ) -> None:
        """Read the file in each dialect."""
        self.names: dict[str, list[str]] = {}
        asked = [one.name for one in dialects]
        own = known_names()
        self.dialects = [*dialects]
        if own_dialects:
            self.dialects += [dialect_of(name) for name in own if name not in asked]
        self.before = Version(lines, self.dialects)
        for dialect in self.dialects:
            names = names_compared(self.before.files[dialect.name], own.get(dialect.name, ()))
            is_asked = dialect.name in asked
            self.names[dialect.name] = names if is_asked else list(own[dialect.name])
        self.readers = {one.name: path_reader(one) for one in self.dialects}
        self.states_left = self.most_states = min(states_for(lines), most_states)
        self.known: dict[Values, bool | None] = {}
        self.witnesses: deque[str] = deque(maxlen=MOST_WITNESSES)
        """URLs on which the last versions that failed differ: others often fail there, too."""

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
        return (len(self.before.lines) + pairs // PAIRS_OF_A_LINE + 1) * times**2

    def holds_for(self, lines: Sequence[NumberedLine]) -> bool | None:
        """Return whether a version says the same; `None` if the bounds were reached."""
        pairs = self.pairs(Version(lines, self.dialects))
        return next((same for same in starmap(self.same, pairs) if same is not True), True)

    def pairs(self, after: "Version") -> Iterator[tuple["ObeyedText | None", "ObeyedText | None"]]:
        """Yield what each robot reads before and after, without those that read the same lines."""
        for dialect in self.dialects:
            before_file, after_file = self.before.files[dialect.name], after.files[dialect.name]
            if facts_of(before_file) != facts_of(after_file):
                yield None, ObeyedText(after_file, after_file.rules_for("*"))
            seen = set()
            names = self.names[dialect.name]
            obeyed = (obeyed_in(file, names) for file in (before_file, after_file))
            for name, old, new in zip(names, *obeyed, strict=True):
                if old is not None and (old, new) not in seen:
                    seen.add((old, new))
                    yield self.before.reading(dialect.name, name), after.reading(dialect.name, name)
        if any(
            agents_of(self.before.files[one.name]) != agents_of(after.files[one.name])
            for one in self.dialects
        ):
            yield from self.known_robots(after)

    def known_robots(
        self, after: "Version"
    ) -> Iterator[tuple["ObeyedText | None", "ObeyedText | None"]]:
        """Yield the same of the known robots whose names alone do not say what they obey."""
        for robot in families():
            dialect = robot.dialect if robot.dialect in self.names else self.dialects[0].name
            yield self.before.of_family(dialect, robot), after.of_family(dialect, robot)

    def same(self, before: "ObeyedText | None", after: "ObeyedText | None") -> bool | None:
        """Return whether two readings mean the same; `None` if the bounds were reached."""
        if before is None or after is None:
            return before is after
        if before.fields != after.fields:
            return False
        if before.access == after.access:
            return True
        dialect = self.readers[before.rules.dialect]
        key = (dialect, before.access, after.access)
        if key not in self.known:
            self.known[key] = is_plainly_same(before, after, dialect) or self.search(before, after)
        return self.known[key]

    def search(self, before: "ObeyedText", after: "ObeyedText") -> bool | None:
        """Return whether two sets of rules mean the same; `None` if the bounds were reached."""
        if self.states_left <= 0:
            return None
        if any(before.rules.allows(url) != after.rules.allows(url) for url in self.witnesses):
            return False
        most = min(STATES_OF_A_PROOF, self.states_left)
        found, is_certain, states = counted_first(before.rules, after.rules, most)
        self.states_left -= states + STATES_OF_A_START
        if found is not None:
            self.witnesses.appendleft(found.url)
        return found is None if is_certain else None


def states_for(lines: Sequence[NumberedLine]) -> int:
    """Return the most states of a run on a file.

    >>> states_for([NumberedLine(1, b"Disallow: /a")] * 50)
    25000
    """
    if sum(len(line.raw) for line in lines) > LARGE:
        return STATES_OF_A_LARGE_RUN
    return min(STATES_OF_A_RUN, STATES_OF_A_SMALL_RUN + STATES_OF_A_LINE * len(lines))


def is_plainly_same(before: "ObeyedText", after: "ObeyedText", reader: PathReader) -> bool:
    """Return whether two sets of rules are the same for a reason that needs no search.

    If nothing but Disallow has an effect, a path is disallowed if any pattern matches it. So it is
    enough that each pattern of one side is covered by one of the other side.
    """
    if not set(PREFIXES) <= set(reader) or before.rules.otherwise != after.rules.otherwise:
        return False
    old, new = plain_patterns(before.rules), plain_patterns(after.rules)
    if old is None or new is None or len(old ^ new) * len(old | new) > MOST_COVERINGS:
        return False
    return are_covered(old - new, new) and are_covered(new - old, old)


def are_covered(patterns: AbstractSet[str], by: AbstractSet[str]) -> bool:
    """Return whether each pattern matches only what one of some other patterns matches.

    A pattern covers another one if it matches its text, in which stars stand for themselves:
    whatever replaces them there, the stars of the first one match it.
    """
    wholes = [f"Disallow: {one}\n" for one in by if not one.endswith("$")]
    covering = RobotsTxt("User-agent: *\n" + "".join(wholes)).rules_for("*")
    return not any(covering.allows_many([SITE + one for one in patterns]))


def plain_patterns(rules: Rules) -> frozenset[str] | None:
    """Return the patterns of rules that are nothing but a plain Disallow; `None` of others."""
    if len(rules) > MOST_PLAIN:
        return None
    if any(rule.field == "Allow" or not is_plain(rule.pattern) for rule in rules):
        return None
    return frozenset(plain_pattern(rule.pattern) for rule in rules)


def is_plain(pattern: str) -> bool:
    """Return whether a pattern is compared as written; clients resolve segments of dots."""
    return "/." not in pattern and PLAIN.fullmatch(pattern) is not None


def plain_pattern(pattern: str) -> str:
    """Return a pattern without stars that say nothing.

    >>> plain_pattern("/a**b*$"), plain_pattern("/a*b$"), plain_pattern("/*")
    ('/a*b', '/a*b$', '/')
    """
    return NEEDLESS_END.sub("", one_star(pattern))


def one_star(pattern: str) -> str:
    """Return a pattern in which stars that follow one another are one; there may be many."""
    while "**" in pattern:
        pattern = pattern.replace("**", "*")
    return pattern


class ObeyedText:
    """What one robot obeys in one version of a file."""

    __slots__ = ("access", "fields", "rules")

    def __init__(self, file: RobotsTxt, rules: Rules) -> None:
        """Collect what can be compared without a search."""
        self.rules = rules
        # A digest, since thousands of versions are remembered.
        digest = blake2b(rules_content(rules), digest_size=16).digest()
        # Dialects that compare paths alike share a search, but for records of another version.
        read_as = "" if rules.read_as == rules.dialect else rules.read_as
        self.access = rules.otherwise, read_as, digest
        """What the rules say: equal ones need no search."""
        self.fields: ComparedFields = tuple(
            (field.lower(), value) for field, value, _ in file.fields_for(rules.robot)
        )
        """The other fields: pace, hours, use, comments."""


class Version:
    """A version of a file, read in each dialect."""

    def __init__(self, lines: Sequence[NumberedLine], dialects: Sequence[Dialect]) -> None:
        """Read it."""
        self.lines = lines
        content = content_of(lines)
        self.files = {one.name: RobotsTxt(content, dialect=one) for one in dialects}
        self.readings: dict[tuple[str, str], ObeyedText] = {}
        self.shared: dict[tuple[str, Values | None], ObeyedText] = {}

    def reading(self, dialect: str, name: str) -> ObeyedText:
        """Return what a robot of this name obeys."""
        key = dialect, name
        if key not in self.readings:
            file = self.files[dialect]
            # Robots that obey the same lines share what they read.
            lines = next(obeyed_in(file, [name]))
            if lines is None or (dialect, lines) not in self.shared:
                self.shared[dialect, lines] = ObeyedText(file, file.rules_for(name))
            self.readings[key] = self.shared[dialect, lines]
        return self.readings[key]

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


def names_compared(file: RobotsTxt, known: Iterable[str]) -> list[str]:
    """Return a name for each way in which the names in a file can match a robot.

    A robot is matched by its whole name or by its leading token (RFC 9309 section 2.2.1), and then
    it matters whether more of the name follows, and whether that is a word of its own. The robots
    for which another one's group stands in are known by name. Where a part of a name is enough, as
    in `yandex`, the robots are those that are named and those of the operator.

    Args:
        file: The file, in its dialect.
        known: The known robots that read this dialect.

    Raises:
        TooMuch: There are more than the bound.

    """
    written = robot_names(file)
    if len(written) > MOST_NAMES:
        message = f"it names {len(written):,} robots, and {MOST_NAMES:,} are the most"
        raise TooMuch(message)
    names = dict.fromkeys((*written, *known))
    of_token = defaultdict(list)
    for name in written:
        of_token[leading_token(name).casefold()].append(name)
    for token, several in of_token.items():
        # A group that alone has this token, and nothing else, is that of all of its robots.
        if token and [name.casefold() for name in several] != [token]:
            names.update(dict.fromkeys((token, *(token + rest for rest in OTHER_WORDS))))
    for pair in file.dialect.choices["stand_ins"].split():
        names[pair.partition("=")[0]] = None
    return list(names)


def obeyed_in(file: RobotsTxt, names: list[str]) -> Iterator[Values | None]:
    """Yield the lines that each robot obeys; `None` for what cannot be the name of a robot."""
    for lines in obeyed_lines(file, names):
        yield None if lines is None else tuple(map(tuple, lines))


def facts_of(file: RobotsTxt) -> Values:
    """Return what a file says to all robots, or as a whole."""
    return file.sitemaps, file.is_cut_short


def agents_of(file: RobotsTxt) -> list[list[str]]:
    """Return the names of each group."""
    return [group.agents for group in file.groups]


def chosen_dialects(names: Sequence[str]) -> list[Dialect]:
    """Return the dialects of these names.

    Raises:
        UnknownDialectError: There is no dialect of a name.

    """
    return [dialect_of(name) for name in dict.fromkeys(names)]
