"""What to do with something that is held, for each use: one table.

Scope: data, and one function. An answer that is unknown never removes anything, and never permits
it: it has an answer of its own, and the caller chooses whether what it is about is withheld.
"""

from typing import Literal, NamedTuple, TypeAlias

from goodbot.display import short_repr

__all__ = [
    "ACTIONS",
    "HELD_STATUSES",
    "HELD_USES",
    "NOT_ON_LIST",
    "TAKEDOWN",
    "HeldAction",
    "HeldAnswer",
    "HeldUse",
    "UnknownChoice",
    "what_to_do",
]

HeldUse: TypeAlias = Literal["fetch", "archive", "search", "ground", "train", "takedown"]
HeldAction: TypeAlias = Literal[
    "keep", "take-out-of-index", "exclude-from-training", "remove", "withhold"
]
UnknownChoice: TypeAlias = Literal["keep", "withhold"]

TAKEDOWN: HeldUse = "takedown"


class HeldUseRow(NamedTuple):
    """A use of what is held."""

    meaning: str
    """What is asked, as the end of a sentence."""
    action: HeldAction
    """What to do if it is not allowed any more."""


HELD_USES: dict[HeldUse, HeldUseRow] = {
    "fetch": HeldUseRow("whether robots.txt lets the robot fetch the URL", "remove"),
    "archive": HeldUseRow("whether a copy may be kept and shown", "remove"),
    "search": HeldUseRow("whether it may be indexed for search", "take-out-of-index"),
    "ground": HeldUseRow(
        "whether AI models may get it as input, which is found by an index", "take-out-of-index"
    ),
    "train": HeldUseRow("whether AI models may be trained on it", "exclude-from-training"),
    "takedown": HeldUseRow("whether your own takedown list has it", "remove"),
}
"""Every use that is asked about, and what to do. How much may be quoted (`preview`) is not among
them: it is decided when a result is shown."""

HELD_STATUSES: dict[str, str] = {
    "allowed": "A statement or robots.txt allows it, and nothing restricts it.",
    "disallowed": "robots.txt does not let the robot fetch the URL.",
    "reserved": "A statement reserves or disallows the use.",
    "licensed": "The use needs a licence; without one it counts as reserved.",
    "listed": "The takedown list has it.",
    "unmentioned": "Everything was read, and nothing mentions the use: there is no opt-out.",
    "unknown": "What the site says is not known, or too old to permit anything.",
}
"""Every answer, then and now, and its meaning."""

ACTIONS: dict[HeldAction, str] = {
    "keep": "Nothing that is known forbids it.",
    "take-out-of-index": "Remove it from the search index; a copy may stay.",
    "exclude-from-training": "Do not train on it any more.",
    "remove": "Remove every copy of it.",
    "withhold": "It is unknown whether it may stay: leave it out of new files, and keep the old.",
}
"""What to do, and its meaning."""

GONE = {"disallowed", "reserved", "licensed", "listed"}
"""The answers that forbid a use."""


class HeldAnswer(NamedTuple):
    """The answer on one use."""

    status: str
    """One of `HELD_STATUSES`."""
    reason: str
    """Why, a stable slug: of `goodbot.reasons()`, `goodbot.content_use.REASONS`, or one of
    `not-asked`, `expired`, `no-origin`, `takedown-list` and `not-on-list`."""
    line: int | None = None
    """The line of robots.txt, of the page or of the takedown list; `None` if there is none."""
    source: str = ""
    """The statement that decided, with its place; empty if there is none."""

    def __repr__(self) -> str:
        """Return a short description."""
        return short_repr(self)


NOT_ON_LIST = HeldAnswer("allowed", "not-on-list")
"""The answer of a takedown list that does not have something."""


def what_to_do(use: HeldUse, status: str, unknown: UnknownChoice = "keep") -> HeldAction:
    """Return what to do with what is held.

    Args:
        use: The use.
        status: The answer of now.
        unknown: What to do if it is unknown.

    >>> what_to_do("train", "reserved"), what_to_do("train", "unmentioned")
    ('exclude-from-training', 'keep')
    >>> what_to_do("fetch", "unknown"), what_to_do("fetch", "unknown", "withhold")
    ('keep', 'withhold')

    """
    if status in GONE:
        return HELD_USES[use].action
    return unknown if status == "unknown" else "keep"
