"""Which rules of a robot decide some path, and which rules hide the others.

Scope: typed results around the search in the core.
"""

from goodbot._core import Rule, Rules, line_effects
from goodbot.lazy_dataclass import dataclass
from goodbot.site.reasoning.difference import MOST_STATES, states_of, states_to_compile

__all__ = ["RuleReach", "counted_reach", "deciding_rules"]


@dataclass(frozen=True, slots=True)
class RuleReach:
    """Which paths a line decides."""

    rule: Rule
    """The rule; the first one of a line with several patterns."""
    decides: bool | None
    """Whether it decides some path; `None` if the search ended before that was known."""
    example: str | None
    """A shortest path and query that it decides; `None` if there is none or it is unknown. It is a
    whole URL where a rule names a server, as in `Difference.path`."""
    matches: str | None
    """A shortest path that it matches, if it decides none. If `decides` is false and this is
    `None`, it matches no path that a client sends, or the file as a whole decides every path."""
    hidden_by: tuple[Rule, ...]
    """The rules that decide the paths that it matches, if it decides none. They are all of these
    rules; each of them decides some of the paths. Empty if `matches` is `None`, and for a rule
    that matches only `/robots.txt`, which RFC 9309 always allows."""


def deciding_rules(rules: Rules, *, most_states: int = MOST_STATES) -> tuple[RuleReach, ...]:
    r"""Return which rules decide some path, each with an example, and what hides the others.

    A rule decides a path if the verdict names its line. If a file has two readings, because a line
    is misspelt, a rule also decides a path that it allows in one reading if the other allows it
    too.

    A rule that decides no path has no effect: without it, all verdicts stay as they are. A rule
    that decides may still have no effect, if another would decide the same in its place; to know,
    compare the rules with those of the file without it.

    Paths are those that a client sends, as in `compare`. All dialects, ties, `$` and files with two
    readings are considered.

    Args:
        rules: What one robot must obey (`RobotsTxt.rules_for`).
        most_states: The bound of the search, as in `compare`.

    Returns:
        One entry for each line with a rule, in the order of the file.

    >>> import goodbot
    >>> text = "User-agent: *\nDisallow: /a/b\nAllow: /a/*\nAllow: /b/../"
    >>> for one in deciding_rules(goodbot.RobotsTxt(text).rules_for("ExampleBot")):
    ...     print(one.rule.text, one.decides, one.example, [by.line for by in one.hidden_by])
    Disallow: /a/b False None [3]
    Allow: /a/* True /a/ []
    Allow: /b/../ False None []

    Source: RFC 9309 sections 2.2.2 and 2.2.3, or the documents of the dialect.

    """
    return counted_reach(rules, most_states)[0]


def counted_reach(rules: Rules, most_states: int) -> tuple[tuple[RuleReach, ...], int]:
    """Return the same as `deciding_rules`, and how many states it has cost."""
    of_line: dict[int, Rule] = {}
    for rule in rules:
        of_line.setdefault(rule.line, rule)
    found = []
    compiled = states_to_compile(rules)
    effects, steps = line_effects(rules, max(0, most_states - compiled))
    for line, example, matches, hiders, is_complete in effects:
        decides = example is not None
        hidden_by = tuple(of_line[hider] for hider in hiders if hider in of_line)
        known = decides if decides or is_complete else None
        found.append(RuleReach(of_line[line], known, example, matches, hidden_by))
    return tuple(found), compiled + states_of(steps)
