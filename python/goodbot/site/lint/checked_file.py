"""A robots.txt as the rules of lint see it: read in each dialect, with who obeys what.

Scope: what several rules need, found once. It judges nothing.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple, TypeAlias

from goodbot._core import (
    Finding,
    Line,
    RobotsTxt,
    Rule,
    Rules,
    dialects,
    group_starts,
    rule_lines,
)
from goodbot.content_use.purpose_tokens import is_purpose
from goodbot.lazy_dataclass import dataclass
from goodbot.site.lint.file_groups import FileGroup, file_groups
from goodbot.site.lint.proof_budget import ProofBudget, Undecided, states_for
from goodbot.site.lint.site_signals import SiteSignals
from goodbot.site.reasoning import DialectAnswer, RuleReach, robot_classes, robot_names
from goodbot.site.reasoning.dialect_proof import Proof, TooMuch, known_names
from goodbot.site.reasoning.robot_classes import EVERYONE_ELSE, RulesBudget, names_bound

__all__ = [
    "ENGINES",
    "NOT_ROBOTS_TXT",
    "CheckedFile",
    "Obeyed",
    "cut",
    "listed",
    "listed_lines",
    "named",
    "plural",
    "quoted",
    "where_it_matters",
    "written",
]

ENGINES = {"google": "Google", "bing": "Bing", "yandex": "Yandex"}
"""The dialects that are compared, and whose they are."""

NOT_ROBOTS_TXT = {
    "looks-like-html",
    "looks-compressed",
    "looks-like-utf-16",
    "looks-like-address",
    "no-known-field",
}
"""Findings of the core on a file that is clearly not a robots.txt: nothing else is said of it."""

EXPLAINED = {"pattern-without-slash", "absolute-url-pattern", "rule-for-robots-txt"}
"""Findings of the core that say why a line decides nothing."""

OPEN = {("Allow", "/"), ("Allow", "/*"), ("Disallow", "")}
"""Rules by which a group says that all or the rest is allowed."""

LONGEST_QUOTATION = 80
"""How many characters of a line are quoted."""

MOST_ROBOTS = 300
"""The most names of robots whose groups are examined."""

MOST_MATCHES = 1_000_000
"""How often names are compared with User-agent lines; beyond it, fewer names are examined."""

FEWEST_ROBOTS = 10
"""The names whose groups are examined in any case."""

COST_OF_UNDECIDED = 4
"""As how many further removals one counts whose proof has reached its bound."""

MOST_OBEYED = 8_000
"""The most rules of all those robots together: groups may share robots, and each has all rules."""

MOST_REMOVALS = 20
"""The most removals of lines that are proven for a file: each reads it in every dialect."""

MOST_REMOVAL_BYTES = 500_000
"""The most bytes that are read for those proofs."""

LARGEST_REMOVAL = 250_000
"""Of a file of more bytes, no removal is proven: one comparison would take longer than all else."""

MOST_LISTED = 5
"""How many names or lines are listed in a message."""


@dataclass(frozen=True)
class Obeyed:
    """The rules that some robots obey, all of them the same."""

    names: tuple[str, ...]
    """The robots, as the file writes them; `*` for all that no group names."""
    rules: Rules
    """The rules."""

    @property
    def is_default(self) -> bool:
        """Whether these are the rules of robots that no group names."""
        return EVERYONE_ELSE in self.names

    @property
    def is_named(self) -> bool:
        """Whether a group names the robots."""
        return not self.is_default and self.rules.selection.how == "named"

    @property
    def robots_named(self) -> tuple[str, ...]:
        """The robots that a group names; a purpose, such as training, is none."""
        return tuple(name for name in self.names if self.is_named and not is_purpose(name))

    @cached_property
    def _rule_lines(self) -> tuple[list[int], tuple[str, ...]]:
        """The rules in the order of the file; the core makes no objects of them."""
        lines, patterns = rule_lines(self.rules)
        return lines, tuple(patterns)

    @property
    def lines(self) -> list[int]:
        """The line of each rule."""
        return self._rule_lines[0]

    @property
    def patterns(self) -> tuple[str, ...]:
        """The field and the pattern of each rule, by which equal sets of rules are recognised."""
        return self._rule_lines[1]

    @cached_property
    def first_lines(self) -> tuple[int, ...]:
        """The first line of each group that the robots obey."""
        return tuple(group_starts(self.rules))

    @property
    def line(self) -> int:
        """The first line of the groups that name the robots; 0 if there is none."""
        return min(self.first_lines, default=0)


class LineEffect(NamedTuple):
    """What a line does for all robots that obey it."""

    rule: Rule
    """The rule."""
    decides: bool
    """Whether it decides a path for any of them."""
    matches: str | None
    """A path that it matches, if it decides none; `None` if it matches no path at all."""
    hidden_by: tuple[Rule, ...]
    """The rules that decide what it matches."""


Reaches: TypeAlias = tuple[Rules, tuple[RuleReach, ...]]
"""Rules, and which of them decide."""


class CheckedFile:
    """A robots.txt that is checked.

    Args:
        content: The file.
        sitemap_urls: The URLs that its sitemaps list, as far as they are known.
        answer: What is odd about the answer that brought it.
        sitemap_problems: What is wrong with its sitemaps.
        signals: What the site says about uses outside the file.

    """

    def __init__(
        self,
        content: bytes,
        sitemap_urls: Sequence[str] = (),
        answer: Sequence[Finding] = (),
        sitemap_problems: Sequence[str] = (),
        signals: SiteSignals | None = None,
    ) -> None:
        """Read the file."""
        self.signals = signals or SiteSignals()
        self.content = content
        self.sitemap_urls = sitemap_urls
        self.answer = answer
        self.sitemap_problems = sitemap_problems
        self.robots = RobotsTxt(content)
        self.budget = ProofBudget(states_for(len(content)))
        self.undecided: dict[str, list[int]] = {}
        self.unused_ignores: list[tuple[int, str]] = []
        self._removals_left = removals_for(len(content))
        self._reaches: dict[tuple[str, ...], Reaches | None] = {}
        self._reach_of: dict[int, tuple[Obeyed, tuple[RuleReach, ...] | None]] = {}

    @cached_property
    def lines(self) -> list[Line]:
        """The lines of the file; the core makes them anew each time."""
        return self.robots.lines

    @cached_property
    def groups(self) -> tuple[FileGroup, ...]:
        """The groups of the file."""
        return file_groups(self.robots.groups)

    @cached_property
    def field_groups(self) -> tuple[FileGroup, ...]:
        """The groups, divided further so that every field applies to all robots of its part."""
        return file_groups(self.robots.field_groups)

    @cached_property
    def findings(self) -> Mapping[str, list[Finding]]:
        """The findings of the core, by code."""
        found: dict[str, list[Finding]] = {}
        for finding in self.robots.findings:
            found.setdefault(finding.code, []).append(finding)
        return found

    @property
    def is_robots_txt(self) -> bool:
        """Whether it looks like a robots.txt."""
        return not NOT_ROBOTS_TXT & self.findings.keys()

    @cached_property
    def obeyed(self) -> tuple[Obeyed, ...]:
        """What each class of robots obeys; robots with the same rules are together."""
        # Fields divide a group at most at each of these lines.
        agents = sum(len(group.lines) for group in self.groups)
        most = min(MOST_ROBOTS, MOST_MATCHES // max(agents, 1), names_bound(self.robots))
        most = max(FEWEST_ROBOTS, most)
        if len(robot_names(self.robots)) > most:
            self.leave_undecided("default-rules-dropped", [self.groups[-1].lines[0]])
        together: dict[tuple[int, ...], Obeyed] = {}
        left = MOST_OBEYED
        budget = RulesBudget()
        classes = robot_classes(self.robots, families=False, most_names=most, budget=budget)
        for omitted in budget.omitted[:1]:
            lines = self.rules(omitted).selection.groups[0].lines
            self.leave_undecided("default-rules-dropped", lines[:1])
        for one in classes:
            rules = one.rules[0] or self.rules(one.names[0])
            left -= len(rules)
            if left < 0 and one.names[0] != EVERYONE_ELSE:
                self.leave_undecided("default-rules-dropped", [rules.selection.groups[0].lines[0]])
                break
            obeyed = Obeyed(one.names, rules)
            before = together.setdefault(obeyed.first_lines, obeyed)
            if before is not obeyed:
                names = (*before.names, *one.names)
                together[obeyed.first_lines] = Obeyed(names, rules)
        return tuple(together.values())

    @cached_property
    def default(self) -> Obeyed:
        """What robots obey that no group names."""
        nobody = Obeyed((EVERYONE_ELSE,), self.rules(EVERYONE_ELSE))
        return next((one for one in self.obeyed if one.is_default), nobody)

    def is_open_by_intent(self, obeyed: Obeyed) -> bool:
        """Whether the groups say in so many words that all or the rest is allowed."""
        groups = (self._group_at.get(line) for line in obeyed.first_lines)
        rules = chain.from_iterable(group.rules for group in groups if group is not None)
        return any((rule.field, rule.pattern) in OPEN for rule in rules)

    @cached_property
    def _group_at(self) -> Mapping[int, FileGroup]:
        """The groups by their first lines."""
        return {group.lines[0]: group for group in self.groups if group.lines}

    def rules(self, robot: str) -> Rules:
        """Return what one robot obeys."""
        return self.robots.rules_for(robot)

    def reach(self, obeyed: Obeyed) -> tuple[RuleReach, ...] | None:
        """Return which rules decide some path; `None` if the bounds do not allow to find out."""
        if id(obeyed) not in self._reach_of:
            self._reach_of[id(obeyed)] = obeyed, self._examined(obeyed)
        return self._reach_of[id(obeyed)][1]

    def _examined(self, obeyed: Obeyed) -> tuple[RuleReach, ...] | None:
        """Return the same; groups with equal rules are examined once."""
        key = obeyed.patterns
        if key not in self._reaches:
            try:
                self._reaches[key] = obeyed.rules, self.budget.reach(obeyed.rules)
            except Undecided:
                self._reaches[key] = None
        known = self._reaches[key]
        if known is None or known[0] is obeyed.rules:
            return None if known is None else known[1]
        examined, found = known
        own = {theirs.line: rule for theirs, rule in zip(examined, obeyed.rules, strict=True)}
        return tuple(
            RuleReach(
                own[one.rule.line],
                one.decides,
                one.example,
                one.matches,
                tuple(own[other.line] for other in one.hidden_by),
            )
            for one in found
        )

    @cached_property
    def effects(self) -> Mapping[int, LineEffect]:
        """What each line with a rule does, as far as that is known, in the order of the file."""
        found: dict[int, LineEffect] = {}
        for obeyed in self.obeyed:
            for one in self.reach(obeyed) or ():
                if one.decides is not None:
                    effect = LineEffect(one.rule, one.decides, one.matches, one.hidden_by)
                    found[one.rule.line] = merged(found.get(one.rule.line), effect)
        known = ((line, one) for line, one in found.items()
                 if one.decides or line not in self.unexamined)  # fmt: skip
        return dict(sorted(known))

    @cached_property
    def unexamined(self) -> set[int]:
        """The lines with rules of which it is not known whether they decide for some robots."""
        found: set[int] = set()
        for obeyed in self.obeyed:
            reach = self.reach(obeyed)
            if reach is None:
                found.update(obeyed.lines)
            else:
                found.update(one.rule.line for one in reach if one.decides is None)
        return found

    @cached_property
    def repeats(self) -> Mapping[int, int]:
        """The lines that repeat a rule for all who obey them, each with what it repeats."""
        found: dict[int, int] = {}
        needed: set[int] = set()
        for obeyed in self.obeyed:
            first: dict[str, int] = {}
            for line, pattern in zip(obeyed.lines, obeyed.patterns, strict=True):
                earlier = first.setdefault(pattern, line)
                if line == earlier:
                    needed.add(line)
                else:
                    found.setdefault(line, earlier)
        return {line: found[line] for line in sorted(found.keys() - needed)}

    def said_at(self, lines: Iterable[int]) -> dict[int, str]:
        """Return the field and the pattern of the rules in some lines."""
        wanted = set(lines)
        pairs = (zip(one.lines, one.patterns, strict=True) for one in self.obeyed)
        return {line: said for line, said in chain.from_iterable(pairs) if line in wanted}

    def idle(self, code: str) -> Iterator[LineEffect]:
        """Yield the lines that decide nothing for anyone, and of which nothing else says why.

        Args:
            code: The rule of lint that asks; what is not known is noted for it.

        """
        explained = {one.line for slug in EXPLAINED for one in self.findings.get(slug, ())}
        for line, effect in self.effects.items():
            if line not in explained and not effect.decides and line not in self.repeats:
                yield effect
        unknown = sorted(self.unexamined - self.effects.keys() - explained)
        if unknown:
            self.leave_undecided(code, unknown)

    def rules_alone(self, lines: Sequence[int]) -> Rules:
        """Return what a robot would obey if these lines were its only rules.

        Raises:
            Undecided: The bounds of the file do not allow to read them.

        """
        self.budget.read(len(lines))
        raw = [self.lines[line - 1].raw for line in lines]
        content = b"\n".join([b"User-agent: *", *(one.strip(b"\r\n") for one in raw)])
        return RobotsTxt(content).rules_for(EVERYONE_ELSE)

    def can_remove(self, lines: Sequence[int], code: str | None) -> bool:
        """Return whether the file means the same without some lines, in every dialect.

        Args:
            lines: The lines to remove.
            code: The rule of lint for which is noted what is not known; `None` if none is.

        """
        return self.deciding_dialects(lines, code) == ()

    def can_remove_groups(self, obeyed: Obeyed, code: str) -> bool:
        """Return whether the file means the same without the groups that robots obey."""
        if self._removals_left <= 0:
            self.leave_undecided(code, obeyed.first_lines[:1])
            return False
        return self.can_remove(self.lines_of_groups(obeyed), code)

    def deciding_dialects(
        self, lines: Sequence[int], code: str | None
    ) -> tuple[DialectAnswer, ...] | None:
        """Return the dialects in which the file means something else without some lines.

        It is proven for whole files, because a removal can join groups, and for robots of any name.
        The number of these proofs is bounded.

        Args:
            lines: The lines to remove.
            code: The rule of lint for which is noted what is not known; `None` if none is.

        Returns:
            The dialects, each with an example; none if it means the same in all of them. `None` if
            it means something else in the dialect of RFC 9309, or that is not known of all.

        """
        proof = self._proof if self._removals_left > 0 else None
        if proof is None:
            if code is not None:
                self.leave_undecided(code, lines[:1])
            return None
        self._removals_left -= 1
        removed = set(lines)
        lines_left = enumerate(self.lines, 1)
        kept = [line.raw for number, line in lines_left if number not in removed]
        found = []
        for answer in proof.answers(b"".join(kept)):
            if answer.is_same is None:
                self._removals_left -= COST_OF_UNDECIDED
                if code is not None:
                    self.leave_undecided(code, lines[:1])
                return None
            if answer.is_same:
                continue
            if answer.dialect == self.robots.dialect.name:
                return None
            found.append(answer)
        return tuple(found)

    @cached_property
    def _proof(self) -> Proof | None:
        """What the file says in every dialect; `None` if it names too many robots."""
        try:
            return Proof(self.content, dialects())
        except TooMuch:
            return None

    def own_dialects(self, line: int) -> set[str]:
        """Return the dialects of the known robots that the group of a line names."""
        named = {
            name.casefold()
            for group in self.groups
            if any(rule.line == line for rule in group.rules)
            for name in group.names
        }
        known = known_names().items()
        return {
            dialect for dialect, names in known if not named.isdisjoint(map(str.casefold, names))
        }

    def lines_of_groups(self, obeyed: Obeyed) -> list[int]:
        """Return the lines of the groups that robots obey, without the sitemaps among them."""
        starts = self._starts
        found: list[int] = []
        for first in obeyed.first_lines:
            place = bisect_right(starts, first)
            end = starts[place] if place < len(starts) else len(self.lines) + 1
            found += [
                line
                for line in range(first, end)
                if not self.lines[line - 1].raw.lstrip().lower().startswith(b"sitemap")
            ]
        return found

    @cached_property
    def _starts(self) -> list[int]:
        """The first lines of all groups and their parts, sorted."""
        return sorted(group.lines[0] for group in self.field_groups if group.lines)

    def leave_undecided(self, code: str, lines: Sequence[int]) -> None:
        """Note that a rule of lint could not be decided for these lines."""
        self.undecided.setdefault(code, []).extend(lines)


def removals_for(size: int) -> int:
    """Return the most removals that are proven for a file of so many bytes.

    >>> removals_for(1_000), removals_for(250_000), removals_for(250_001)
    (20, 2, 0)
    """
    return min(MOST_REMOVALS, MOST_REMOVAL_BYTES // max(size, 1)) if size <= LARGEST_REMOVAL else 0


def where_it_matters(answers: Sequence[DialectAnswer]) -> str:
    """Return in which dialects a line matters, with an example, as a sentence."""
    dialects = listed([one.dialect for one in answers], len(answers))
    where = f"It matters in the {plural(len(answers), 'dialect', 'dialects')} {dialects}"
    for answer in answers:
        for one in answer.differences:
            now = "disallowed" if one.is_stricter else "allowed"
            return f"{where}: without it, {one.path[:200]} is {now} in {answer.dialect}."
    return f"{where}."


def merged(before: LineEffect | None, effect: LineEffect) -> LineEffect:
    """Return what a line does for the robots of both."""
    if before is None or effect.decides:
        return effect
    return before if before.decides or before.matches is not None else effect


def written(rule: Rule) -> str:
    """Return a rule as it is written, cut if it is long."""
    return cut(f"{rule.field}: {rule.pattern}")


def cut(said: str) -> str:
    """Return the field and the pattern of a rule, cut if they are long."""
    text = said.rstrip()
    return text if len(text) <= LONGEST_QUOTATION else f"{text[:LONGEST_QUOTATION]}..."


def quoted(rule: Rule) -> str:
    """Return a rule with its line, as messages name it."""
    return f'line {rule.line} ("{written(rule)}")'


def listed(words: Sequence[str], most: int = MOST_LISTED, number: int | None = None) -> str:
    """Return words as a list, of which the first ones are named.

    Args:
        words: The words, or the first ones of them.
        most: How many are named.
        number: How many words there are; by default `words` are all.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b", "c"], 1)
    ('a', 'a, b and c', 'a and 2 more')
    """
    number = len(words) if number is None else number
    shown = list(words[:most])
    if number > most:
        shown.append(f"{number - most:,} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def listed_lines(lines: Sequence[int]) -> str:
    """Return lines as a list, of which the first ones are named; there may be thousands.

    >>> listed_lines([3, 5])
    'line 3 and line 5'
    """
    return listed([f"line {line}" for line in lines[:MOST_LISTED]], number=len(lines))


def plural(number: int, one: str, many: str) -> str:
    """Return the form of a word that agrees with a number."""
    return one if number == 1 else many


def named(names: Sequence[str]) -> str:
    """Return the robots in words."""
    return "robots that no group names" if tuple(names) == (EVERYONE_ELSE,) else listed(names)
