"""The Comment lines of a robots.txt, which go back to the author or user of the robot.

Scope: which are shown, and that some are not. Source: Conner 1996, Comment ("All 'Comment:'s in a
rule set are to be sent back").
"""

from collections.abc import Iterable, Iterator, Sequence

from goodbot import RobotsTxt
from goodbot.bots import rules_for
from goodbot.cli.shared import warnings
from goodbot.cli.shared.printing import cut_line

__all__ = ["CommentNotes", "comment_rows", "comments_for"]

MOST_COMMENTS = 100
"""The most comments of a site that are shown, as many as a robot passes on."""


def comments_for(file: RobotsTxt | None, robots: Iterable[str]) -> list[str]:
    """Return the comments in the rules of some robots, each once, in their order."""
    if file is None:
        return []
    found: dict[str, None] = {}
    for name in robots:
        rules = rules_for(file, name).rules
        found |= dict.fromkeys([] if rules is None else rules.comments)
    return list(found)


def comment_rows(comments: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield a row for each comment, and one that counts those that are not shown."""
    for comment in comments[:MOST_COMMENTS]:
        yield "comment", cut_line(comment)
    if len(comments) > MOST_COMMENTS:
        yield "comment", not_shown(len(comments) - MOST_COMMENTS)


def not_shown(count: int) -> str:
    """Return that some comments are not shown, and where they are."""
    return f"{count:,} more; 'goodbot rules' lists them all"


class CommentNotes:
    """Notes on standard error with the comments of sites, where the output has no place for them.

    Each comment of a site is printed once.
    """

    def __init__(self) -> None:
        """Start without a note."""
        self.told: dict[str, set[str]] = {}

    def tell(self, where: str, comments: Iterable[str]) -> None:
        """Print the comments that were not printed before, and how many are not shown.

        Args:
            where: The site or the file.
            comments: Its comments.

        """
        told = self.told.setdefault(where, set())
        new = [comment for comment in dict.fromkeys(comments) if comment not in told]
        room = max(MOST_COMMENTS - len(told), 0)
        told.update(new)
        for comment in new[:room]:
            warnings.note(f"{where} says: {cut_line(comment)}")
        if len(new) > room:
            warnings.note(f"{where} has more comments: {not_shown(len(new) - room)}")
