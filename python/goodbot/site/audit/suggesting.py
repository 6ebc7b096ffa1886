r"""Lines of robots.txt that would have kept the most away, by the requests of a log.

Scope: candidates for the robots of each purpose, from directories and queries; each is written into
the file, decided on every target, and compared with the present file. `Disallow: /` is never
suggested for robots of search engines, and nothing that would allow more to any robot.

>>> import goodbot
>>> from goodbot.site.audit import TargetSums, suggest
>>> sums = {"GPTBot": {"/": TargetSums(2, 900), "/find/a": TargetSums(7, 5_000)}}
>>> found = suggest(sums, goodbot.RobotsTxt("User-agent: *\nDisallow: /private"))
>>> [(one.purpose, one.lines, one.kept) for one in found][0]
('ai-training', ('Disallow: /',), TargetSums(requests=9, bytes=5900))
>>> print(found[0].added)
User-agent: GPTBot
Disallow: /private
Disallow: /
<BLANKLINE>
"""

from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import quote

from goodbot._core import RobotsTxt
from goodbot.bots import PURPOSES, KnownRobot, by_purpose, known
from goodbot.display import short_repr
from goodbot.errors import WrongTypeError
from goodbot.lazy_dataclass import dataclass
from goodbot.site.audit.kept_away import (
    KeptAway,
    RequestSums,
    TargetSums,
    ask_paths,
    heeds_robots_txt,
    kept_away,
    together,
)
from goodbot.site.audit.robot_reading import RobotReading
from goodbot.site.reasoning import FileComparison, compare_files

MOST_SUGGESTED = 10
"""How many suggestions are made by default."""
TRIED = 3
"""How many candidates are tried for each suggestion."""
DEEPEST = 3
"""The most directories of a candidate."""
SAFE = "/%:@!&'()+,;=-._~"
"""The characters of a path that a pattern has as they are (RFC 3986 section 3.3); `*` and `$` have
a meaning in patterns."""
WITHOUT_EFFECT = ("pattern-without-slash", "absolute-url-pattern", "malformed-value",
                  "without-effect", "rule-for-robots-txt")  # fmt: skip
"""The findings on lines that do nothing; repeated, they would be faults of a second group."""
DOUBTFUL = ("several-paths", "not-utf-8", "nul-byte", "control-character", "line-too-long")
"""The findings on lines that hardly mean what they say."""
SEARCH = "search"
EVERYTHING = ("/",)


@dataclass(frozen=True, slots=True, repr=False)
class Suggestion:
    """Lines of robots.txt that would have kept robots of one purpose away from something."""

    purpose: str
    """The purpose of the robots, a key of `goodbot.bots.PURPOSES`."""
    lines: tuple[str, ...]
    """The new lines."""
    added: str
    """What to append to robots.txt: groups with the rules that the robots obey now, and the new
    lines."""
    robots: tuple[KeptAway, ...]
    """What it would have kept away, by robot; only robots of the purpose that made requests."""
    kept: TargetSums
    """All of it together."""
    search_robots: tuple[str, ...]
    """Robots of search engines that may fetch less."""
    comparison: FileComparison
    """Everything that changes, for every robot and path."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "purpose": self.purpose,
            "lines": list(self.lines),
            "added": self.added,
            "kept": self.kept._asdict(),
            "robots": [robot.as_dict() for robot in self.robots],
            "search_robots": list(self.search_robots),
            "effect": self.comparison.effect,
            "examples": [
                {"robots": list(each.members), "path": difference.path}
                for each in self.comparison.robots
                for difference in each.differences
            ],
        }


class CandidateLines(NamedTuple):
    """Patterns, and about what they would keep away."""

    patterns: tuple[str, ...]
    about: TargetSums

    @property
    def rank(self) -> tuple[int, int, int, tuple[str, ...]]:
        """The order: the most bytes first, then the narrower patterns."""
        about = self.about
        return -about.bytes, -about.requests, -len(self.patterns[0]), self.patterns


def suggest(
    sums: RequestSums, file: RobotsTxt, *, most: int = MOST_SUGGESTED
) -> tuple[Suggestion, ...]:
    """Return lines that would have kept robots away, the most bytes first.

    What keeps search engines away comes last, and is only about a parameter of queries that at most
    half of their requests have: a directory that they may not fetch leaves the index.

    Of candidates of a purpose that would have kept away the same, only the narrowest is suggested.

    Args:
        sums: The requests, from `request_sums`.
        file: The present robots.txt.
        most: The most suggestions.

    Raises:
        RobotNameError: The name of a robot is empty, or looks like a URL.
        WrongTypeError: `file` is not a `RobotsTxt`.

    Source: RFC 9309 section 2.2; what a group for a robot changes: section 2.2.1.

    """
    if not isinstance(file, RobotsTxt):
        message = f"file must be a RobotsTxt, not {type(file).__name__}"
        raise WrongTypeError(message)
    open_sums: dict[str, dict[str, TargetSums]] = {}
    robots: list[RobotReading] = []
    for name, targets in sums.items():
        reading = RobotReading(name, file.dialect.name)
        answers = ask_paths(reading, file.content, list(targets))
        pairs = list(zip(targets.items(), answers, strict=True))
        disregarded = together(one for (_, one), is_allowed in pairs if not is_allowed)
        if reading.known is not None and heeds_robots_txt(reading, disregarded) != "no":
            robots.append(reading)
            open_sums[name] = {path: one for (path, one), is_allowed in pairs if is_allowed}
    found: list[Suggestion] = []
    for purpose in PURPOSES:
        own = [robot for robot in robots if robot.known and purpose in robot.known.purposes]
        found += suggest_for_purpose(purpose, own, open_sums, file, most)
    # Who wants to save bytes seldom wants to vanish from search engines for it.
    found.sort(
        key=lambda one: (
            deindexes(one), -one.kept.bytes, -one.kept.requests, one.purpose, one.lines,
        )
    )  # fmt: skip
    # Robots with several purposes would be named twice.
    once = {suggestion.added: suggestion for suggestion in reversed(found)}
    return tuple(suggestion for suggestion in found if once[suggestion.added] is suggestion)[:most]


def suggest_for_purpose(
    purpose: str, robots: list[RobotReading], sums: RequestSums, file: RobotsTxt, most: int
) -> Iterator[Suggestion]:
    """Yield suggestions for the robots of a purpose."""
    seen: set[TargetSums] = set()
    for candidate in candidates(robots, sums)[: most * TRIED]:
        if candidate.about in seen or len(seen) >= most:
            continue
        suggestion = try_candidate(purpose, candidate, robots, sums, file)
        if suggestion is not None:
            seen |= {candidate.about, suggestion.kept}
            yield suggestion


# Candidates.


def candidates(robots: list[RobotReading], sums: RequestSums) -> list[CandidateLines]:
    """Return lines that would keep robots away from a directory, a query or everything."""
    found: dict[tuple[str, ...], TargetSums] = {}
    is_search = any(reading.known and SEARCH in reading.known.purposes for reading in robots)
    is_main = any(is_of_search_engine(reading.known) for reading in robots)
    for robot in robots:
        for path, one in sums[robot.name].items():
            for patterns in derive_patterns(path):
                if is_parameter(patterns) or not (
                    is_main or (is_search and patterns == EVERYTHING)
                ):
                    found[patterns] = found.get(patterns, TargetSums()).plus(one)
    all_requests = sum(total.requests for robot in robots for total in sums[robot.name].values())
    rows = (CandidateLines(*entry) for entry in found.items()
            if not is_main or 2 * entry[1].requests <= all_requests)  # fmt: skip
    return sorted(rows, key=lambda one: one.rank)


def is_of_search_engine(robot: KnownRobot | None) -> bool:
    """Return whether a robot fills the index of a search engine above all."""
    return robot is not None and robot.purposes[:1] == (SEARCH,)


def deindexes(suggestion: Suggestion) -> bool:
    """Return whether a suggestion takes anything out of the index of a search engine."""
    return any(is_of_search_engine(known(name)) for name in suggestion.search_robots)


def is_parameter(patterns: tuple[str, ...]) -> bool:
    """Return whether patterns are about one parameter of queries.

    >>> is_parameter(("/*?sort=", "/*&sort=")), is_parameter(("/*?",)), is_parameter(("/a/",))
    (True, False, False)
    """
    return patterns[0].endswith("=")


def derive_patterns(path: str) -> set[tuple[str, ...]]:
    """Return the patterns of a path that candidates are made of.

    >>> sorted(derive_patterns("/a/b?sort=up"))
    [('/',), ('/*?',), ('/*?sort=', '/*&sort='), ('/a/',)]
    """
    place, mark, query = path.partition("?")
    parts = place.split("/")[1:-1][:DEEPEST]
    found: set[tuple[str, ...]] = {EVERYTHING}
    found |= {
        (f"/{'/'.join(map(escape_path, parts[:count]))}/",) for count in range(1, len(parts) + 1)
    }
    if mark:
        found.add(("/*?",))
        for field in query.split("&"):
            name, equals, _ = field.partition("=")
            if name and equals:
                found.add((f"/*?{escape_path(name)}=", f"/*&{escape_path(name)}="))
    return found


def escape_path(text: str) -> str:
    """Return a part of a path as a pattern that means it and nothing else."""
    return quote(text, safe=SAFE)


# What a candidate does.


def try_candidate(
    purpose: str,
    one: CandidateLines,
    robots: list[RobotReading],
    sums: RequestSums,
    file: RobotsTxt,
) -> Suggestion | None:
    """Return what a candidate does; `None` if nothing, or if it would allow more to a robot."""
    concerned = [robot for robot in robots if touches(one, robot, sums)]
    lines = tuple(f"Disallow: {pattern}" for pattern in one.patterns)
    ending = b"" if not file.content or file.content.endswith(b"\n") else b"\n"
    for faulty in (faulty_lines(file, DOUBTFUL), faulty_lines(file, ())):
        added = write_groups(concerned, lines, file, faulty)
        after = RobotsTxt(file.content + ending + b"\n" + added.encode(), dialect=file.dialect)
        comparison = compare_files(file, after)
        if not comparison.may_be("laxer"):
            break
    else:
        return None
    kept = kept_away({robot.name: sums[robot.name] for robot in concerned}, file, after)
    whole = together(each.kept for each in kept)
    if not whole.requests:
        return None
    stricter = search_robots(comparison, file, after)
    if one.patterns == EVERYTHING and stricter:
        return None
    return Suggestion(purpose, lines, added, kept, whole, stricter, comparison)


def touches(one: CandidateLines, robot: RobotReading, sums: RequestSums) -> bool:
    """Return whether a robot requested anything that a candidate is about."""
    return any(one.patterns in derive_patterns(path) for path in sums[robot.name])


def faulty_lines(file: RobotsTxt, doubtful: tuple[str, ...]) -> frozenset[int]:
    """Return the lines of a file that are not repeated: those that have no effect as they stand.

    Args:
        file: The file.
        doubtful: Codes of findings whose lines are not repeated, either.

    """
    codes = {*WITHOUT_EFFECT, *doubtful}
    return frozenset(finding.line for finding in file.findings if finding.code in codes)


def write_groups(
    robots: list[RobotReading], lines: tuple[str, ...], file: RobotsTxt, faulty: frozenset[int]
) -> str:
    """Return groups that add lines to what each robot obeys now, without faulty ones.

    A robot that no group names obeys `*`, or the group of its family, only as long as none names
    it; so its new group repeats their lines (RFC 9309 section 2.2.1).
    """
    names: dict[tuple[str, ...], list[str]] = {}
    for robot in robots:
        own = robot.known.tokens[0] if robot.known and robot.known.tokens else robot.name
        rules = robot.rules(file.content)
        source = rules.token or ("*" if rules.rules is not None else None)
        is_own = source is not None and source.casefold() == own.casefold()
        repeated = () if source is None or is_own else lines_for(source, file, faulty)
        names.setdefault(repeated, []).append(own)
    groups = []
    for repeated, tokens in sorted(names.items(), key=lambda one: sorted(one[1])):
        agents = [f"User-agent: {token}" for token in sorted(set(tokens), key=str.casefold)]
        groups.append("\n".join([*agents, *repeated, *lines]) + "\n")
    return "\n".join(groups)


def lines_for(token: str, file: RobotsTxt, faulty: frozenset[int]) -> tuple[str, ...]:
    """Return the lines of the groups for a token, in their order and without faulty ones."""
    found: list[tuple[int, str]] = []
    for group in file.groups:
        if token.casefold() in map(str.casefold, group.agents):
            found += [(rule.line, f"{rule.field}: {rule.pattern}") for rule in group.rules]
            found += [(line, f"{name}: {value}") for name, value, line in group.fields]
    return tuple(text for line, text in sorted(found) if line not in faulty)


def search_robots(
    comparison: FileComparison, before: RobotsTxt, after: RobotsTxt
) -> tuple[str, ...]:
    """Return the robots of search engines that may fetch less: on a path that decides otherwise."""
    urls = [difference.url for each in comparison.robots for difference in each.differences]
    found = []
    for robot in by_purpose(SEARCH):
        reading = RobotReading(robot.name, before.dialect.name)
        were, are = (ask_paths(reading, file.content, urls) for file in (before, after))
        if any(was and not now for was, now in zip(were, are, strict=True)):
            found.append(robot.name)
    return tuple(found)
