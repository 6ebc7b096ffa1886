"""Lines of one field of robots.txt that say opposite things of one use.

Scope: Content-Usage and Content-Signal, for the same robots and the same path; of several paths the
longest counts, so that those contradict nothing.
"""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from goodbot._core import RobotsTxt, content_signal, content_usage
from goodbot.content_use.site_statements import before_groups, path_of_signals, states_signal
from goodbot.content_use.use_level import USE_LEVELS
from goodbot.content_use.use_words import words_of
from goodbot.http.quoting import shortened
from goodbot.site.lint.checked_file import CheckedFile
from goodbot.site.lint.lint_rule import LintProblem

__all__ = ["contradictory_lines"]

USAGE, SIGNAL = "Content-Usage", "Content-Signal"
LABELS = frozenset(row.word for row in words_of("content-usage"))
SIGNALS = frozenset(row.word for row in words_of("content-signal"))
STRICT_FIRST = {
    USAGE: ("n", "y"),
    SIGNAL: ("no", "yes"),
    "use": tuple(USE_LEVELS),
}
"""The values of each field, and of the signal `use`, the most restrictive first."""
PREFERENCES = {"disallow": "n", "allow": "y"}
MOST_CLASSES = 20
"""The most classes of robots whose lines are compared."""
MOST_LINES = 60_000
"""The most lines that are compared, once for each class; each is read once."""
MOST_WORDS = 1_000
"""The most words of one line that are read."""


class StatedWord(NamedTuple):
    """One word of a line, with its value."""

    field: str
    """`Content-Usage` or `Content-Signal`."""
    path: str
    """The path to which the line is limited; empty if it has none."""
    name: str
    """The label or the signal."""
    value: str
    """The value."""
    line: int
    """The line."""

    @property
    def strictness(self) -> int:
        """How restrictive it is; the most restrictive value has 0."""
        return STRICT_FIRST["use" if self.name == "use" else self.field].index(self.value)


def contradictory_lines(file: CheckedFile) -> Iterator[LintProblem]:
    """Report each word that the same robots find with two values for the same path."""
    read: dict[int, tuple[StatedWord, ...]] = {}
    seen: set[tuple[int, int, str]] = set()
    left = MOST_LINES
    for obeyed in islice(file.obeyed, MOST_CLASSES):
        lines = lines_for(file.robots, obeyed.names[0])
        left -= len(lines)
        if left < 0:
            return
        by_word: dict[tuple[str, str, str], list[StatedWord]] = {}
        for field, value, line in lines:
            if line not in read:
                read[line] = tuple(words_in(field, value, line))
            for word in read[line]:
                by_word.setdefault((word.field, word.path, word.name), []).append(word)
        for words in by_word.values():
            counting = min(words, key=lambda one: one.strictness)
            other = next((one for one in words if one.value != counting.value), None)
            if other is None or (key := (counting.line, other.line, other.name)) in seen:
                continue
            seen.add(key)
            robots = () if obeyed.is_default else tuple(obeyed.names)
            yield problem(counting, other, robots)


def lines_for(robots_txt: RobotsTxt, robot: str) -> list[tuple[str, str, int]]:
    """Return the lines that state uses to a robot: field, value and number."""
    known = {USAGE.lower(): USAGE, SIGNAL.lower(): SIGNAL}
    found = [
        (known[name.lower()], value, line)
        for name, value, line in robots_txt.fields_for(robot)
        if name.lower() in known
    ]
    if not any(field == SIGNAL and states_signal(value) for field, value, _ in found):
        found += [(SIGNAL, value, line) for value, line in before_groups(robots_txt, SIGNAL)]
    return found


def words_in(field: str, value: str, line: int) -> Iterator[StatedWord]:
    """Yield the known words of a line, each with its value."""
    path, text = path_of_signals(value)
    pieces = text.split(",", MOST_WORDS)[:MOST_WORDS]
    if field == SIGNAL:
        for piece in pieces:
            for name, said in content_signal([piece]).items():
                if name in SIGNALS or (name == "use" and said in USE_LEVELS):
                    yield StatedWord(field, path, name, said, line)
        return
    # Of two values of one key in a line the last counts (RFC 9651 section 4.2).
    stated = content_usage([text])
    for name in dict.fromkeys(piece.partition("=")[0].strip(" \t") for piece in pieces):
        answer = stated.get(name, "unknown")
        if name in LABELS and answer in PREFERENCES:
            yield StatedWord(field, path, name, PREFERENCES[answer], line)


def problem(counting: StatedWord, other: StatedWord, robots: tuple[str, ...]) -> LintProblem:
    """Return the finding on two words; it stands at the line that does not count."""
    said, lost = (f"{one.name}={one.value}" for one in (counting, other))
    about = f" about {shortened(counting.path, 60)}" if counting.path else ""
    if counting.line == other.line:
        message = (
            f"{other.field} says both '{said}' and '{lost}'{about}. The more restrictive one "
            f"counts, '{said}'; remove the other."
        )
        return LintProblem(other.line, message, robots=robots)
    message = (
        f"{other.field} says '{lost}'{about} in line {other.line}, and '{said}' in line "
        f"{counting.line}. The more restrictive one counts, that of line {counting.line}; remove "
        "the other."
    )
    return LintProblem(other.line, message, others=(counting.line,), robots=robots)
