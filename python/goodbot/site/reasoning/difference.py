"""The comparison of two sets of rules, over all paths.

Scope: typed results around the search in the core, which reads every path with both sets of rules.
"""

from collections.abc import Sequence
from typing import Literal

from goodbot._core import Rules, Verdict, differing_paths, read_address, rules_content
from goodbot.bots.asking import allow_many
from goodbot.lazy_dataclass import dataclass

__all__ = [
    "MOST_STATES",
    "Difference",
    "Effect",
    "RulesComparison",
    "compare",
    "counted_comparison",
    "counted_first",
    "first_difference",
    "is_same",
    "on_path",
    "path_of",
    "sent_difference",
    "states_of",
    "url_of",
]

Effect = Literal["same", "stricter", "laxer", "both", "unknown"]
"""What a change does: `stricter` if it disallows paths that were allowed, `laxer` if it allows
paths that were disallowed, `both` if it does both; `unknown` if the search did not end."""

MOST_STATES = 20_000
"""The most states that a search considers, of 200 steps each. Comparing hostile files then ends
within 200 ms and 64 MB, and nearly all real ones are decided."""

STEPS_OF_A_STATE = 200
"""How many steps of the core count as a state."""

BYTES_OF_A_RULE = 64
"""How many bytes of a pattern the core counts when it lists a rule."""

BYTES_OF_A_STATE = 76
"""How many further bytes are compiled in the time that a state takes."""

ALL = 0
"""In place of a number of differences: all of them."""

SITE = "https://example.com"
"""The site whose paths are judged, unless a rule names a server."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A path on which two sets of rules decide differently."""

    path: str
    """The path and query, as they are written in a URL. No shorter path is decided by these
    lines. It is a whole URL where a rule names a server (`Disallow: //example.com/a` in the dialect
    `lwp`), since then it depends on the site what the rules say."""
    before: Verdict
    """The verdict of the first set."""
    after: Verdict
    """The verdict of the second set."""

    @property
    def url(self) -> str:
        """A URL with this path, on which the verdicts are those."""
        return url_of(self.path)

    @property
    def is_stricter(self) -> bool:
        """Whether the second set disallows the path."""
        return not self.after.allowed


@dataclass(frozen=True, slots=True)
class RulesComparison:
    """The differences between two sets of rules: one for each pair of lines that decide them.

    It is true if there are differences.
    """

    differences: tuple[Difference, ...]
    """Shortest paths first."""
    is_complete: bool
    """Whether every path was considered. If not, there may be further differences."""

    def __bool__(self) -> bool:
        """Return whether there are differences."""
        return bool(self.differences)

    @property
    def effect(self) -> Effect:
        """What the change from the first set to the second does.

        A search that did not end may have missed stricter or laxer paths, unless both were found.
        """
        return effect_of(self.differences, is_complete=self.is_complete)


def effect_of(differences: Sequence[Difference], *, is_complete: bool) -> Effect:
    """Return what a change does that has these differences."""
    stricter = any(one.is_stricter for one in differences)
    laxer = any(not one.is_stricter for one in differences)
    if stricter and laxer:
        return "both"
    if not is_complete:
        return "unknown"
    if stricter or laxer:
        return "stricter" if stricter else "laxer"
    return "same"


def compare(
    before: Rules,
    after: Rules,
    *,
    most_states: int = MOST_STATES,
) -> RulesComparison:
    r"""Compare two sets of rules on every path that a client sends.

    Clients resolve dot segments and escape spaces and the like before they send a path (RFC 3986
    section 5.2.4; WHATWG URL), so paths with those are not considered. A path with needless
    escapes, such as `%61` for `a`, is a difference only if it is one for `goodbot.verdict`, which
    judges it as it is sent and as it is written. Two dialects are compared on paths without them: a
    dialect that compares URLs as they are passed, such as `google`, reads those differently from
    all others.

    Args:
        before: What one robot must obey (`RobotsTxt.rules_for`).
        after: The same of another file, of another robot, or in another dialect.
        most_states: The most states to consider. The default takes a fifth of a second at most,
            and for nearly all files less than a millisecond.

    Returns:
        The differences, each with a shortest path as its example, and whether they are all.

    >>> import goodbot
    >>> def rules(text: str) -> goodbot.Rules:
    ...     return goodbot.RobotsTxt(f"User-agent: *\n{text}").rules_for("ExampleBot")
    >>> found = compare(rules("Disallow: /*.pdf$"), rules("Disallow: /*.pdf"))
    >>> found.effect, found.differences[0].path
    ('stricter', '/.pdfa')

    Source: RFC 9309 sections 2.2.2 and 2.2.3, or the documents of the dialect.

    """
    return counted_comparison(before, after, most_states)[0]


def counted_comparison(
    before: Rules, after: Rules, most_states: int
) -> tuple[RulesComparison, int]:
    """Return the same as `compare`, and how many states it has cost."""
    compiled = states_to_compile(before, after)
    if compiled > most_states:
        return RulesComparison((), is_complete=False), 1
    paths, is_complete, steps = differing_paths(before, after, ALL, most_states - compiled)
    found = {one.path: one for path in paths for one in sent_difference(path, before, after)}
    differences = tuple(sorted(found.values(), key=by_path))
    return RulesComparison(differences, is_complete), compiled + states_of(steps)


def first_difference(
    before: Rules,
    after: Rules,
    *,
    most_states: int = MOST_STATES,
) -> Difference | None:
    r"""Return a shortest path on which two sets of rules decide differently.

    Args:
        before: What one robot must obey.
        after: The rules to compare with.
        most_states: The most states to consider.

    Returns:
        The difference; `None` if none was found. `is_same` says whether that is certain. If the
        bound was reached, a shorter path may show it too.

    >>> import goodbot
    >>> text = "User-agent: *\nDisallow: /a"
    >>> rules = goodbot.RobotsTxt(text).rules_for("ExampleBot")
    >>> first_difference(rules, rules) is None
    True

    """
    return counted_first(before, after, most_states)[0]


def is_same(
    before: Rules,
    after: Rules,
    *,
    most_states: int = MOST_STATES,
) -> bool | None:
    r"""Return whether two sets of rules decide alike on every path that a client sends.

    Args:
        before: What one robot must obey.
        after: The rules to compare with.
        most_states: The most states to consider.

    Returns:
        Whether they do; `None` if the bounds were reached before that was known.

    >>> import goodbot
    >>> def rules(text: str) -> goodbot.Rules:
    ...     return goodbot.RobotsTxt(f"User-agent: *\n{text}").rules_for("ExampleBot")
    >>> is_same(rules("Disallow: /a\nDisallow: /a/b"), rules("Disallow: /a*"))
    True

    """
    found, is_certain, _ = counted_first(before, after, most_states)
    return found is None if is_certain else None


def counted_first(
    before: Rules, after: Rules, most_states: int
) -> tuple[Difference | None, bool, int]:
    """Return a first difference, whether the answer is certain, and how many states it has cost."""
    compiled = states_to_compile(before, after)
    if compiled > most_states:
        return None, False, 1
    paths, is_certain, steps = differing_paths(before, after, 1, most_states - compiled)
    states = compiled + states_of(steps)
    if not paths:
        return None, is_certain, states
    shown = sent_difference(paths[0], before, after)
    if shown:
        return shown[0], is_certain, states
    # The path is not sent as it is written, and shows nothing; others may.
    every, more = counted_comparison(before, after, most_states)
    return next(iter(every.differences), None), every.is_complete, states + more


def states_to_compile(*sides: Rules) -> int:
    """Return as how many states it counts to compile the long patterns of rules."""
    sizes = (len(rules_content(rules)) - BYTES_OF_A_RULE * len(rules) for rules in sides)
    return sum(max(0, size) for size in sizes) // BYTES_OF_A_STATE


def states_of(steps: int) -> int:
    """Return how many states some steps of the core count as: one at least."""
    return steps // STEPS_OF_A_STATE + 1


def sent_difference(path: str, before: Rules, after: Rules) -> list[Difference]:
    """Return the difference that a path shows, as it is written or as it is sent; or none.

    Either spelling can disallow a URL (`goodbot.verdict`): where both sets of rules disallow what
    is sent, the path is no difference, whatever they say of it as it is written.
    """
    url = url_of(path)
    address, _ = read_address(url)
    sent = url if address is None else address[1]
    if sent == url or allow_many(before, [url]) != allow_many(after, [url]):
        return [on_path(path, before, after)]
    found = on_path(path_of(sent), before, after)
    return [found] if found.before.allowed != found.after.allowed else []


def on_path(path: str, before: Rules, after: Rules) -> Difference:
    """Return what both sets of rules decide about a path."""
    url = url_of(path)
    return Difference(path, before.verdict(url), after.verdict(url))


def url_of(example: str) -> str:
    """Return the URL of an example, which is a path if no rule depends on the site.

    >>> url_of("/a?b"), url_of(""), url_of("http://a.example/b")
    ('https://example.com/a?b', 'https://example.com', 'http://a.example/b')
    """
    is_path = not example or example.startswith(("/", "?"))
    return SITE + example if is_path else example


def path_of(url: str) -> str:
    """Return a URL as an example: its path, unless it matters which site it is of."""
    path = url.removeprefix(SITE)
    return path if path != url and path.startswith(("/", "?")) else url


def by_path(one: Difference) -> tuple[int, str]:
    """Order differences by the length of their paths."""
    return len(one.path), one.path
