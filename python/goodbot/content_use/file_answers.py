"""What robots.txt alone says about the uses of many URLs, for columns and for logs.

Scope: one file read once for one robot, and the strictest of several files of which any may have
been in force. Header, document, tdmrep.json and licences are not asked.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property

from goodbot._core import RobotsTxt
from goodbot.content_use.obeyed_file import ObeyedFile, obeyed_file
from goodbot.content_use.sources import UseSources
from goodbot.content_use.statement import USES, Use, UseStatus
from goodbot.content_use.use_level import USE_LEVELS

__all__ = ["LEAST_FIRST", "UsesOfFile", "strictest_level", "strictest_statuses"]

LEAST_FIRST: tuple[UseStatus, ...] = ("reserved", "unknown", "licensed", "allowed")
"""The answers, from the one that permits least."""
LEVELS = (*USE_LEVELS, None)
"""The levels, from the most restrictive one; without one there is no bound."""
Statuses = Mapping[Use, UseStatus]
OneAnswer = tuple[Statuses, str | None]
"""The answer on each use, and the level of Content-Signal."""


class UsesOfFile:
    r"""The answers of one robots.txt for one robot.

    >>> file = UsesOfFile(b"User-agent: *\nContent-Signal: /a ai-train=no, use=full", "GPTBot")
    >>> statuses, level = file.answer("https://example.com/a/b")
    >>> statuses["train"], level
    ('reserved', 'full')
    >>> UsesOfFile(b"User-agent: *\nDisallow: /", "GPTBot").says_nothing
    True
    """

    def __init__(self, content: bytes | None, robot: str) -> None:
        """Read the file; `None` if there is none."""
        self._robot = robot
        file = None if content is None else RobotsTxt(content)
        self._obeyed: ObeyedFile = obeyed_file(file, robot, families=True)

    @property
    def says_nothing(self) -> bool:
        """Whether the file says nothing about any use to the robot."""
        stated = self._obeyed.stated
        return (stated is None or not stated.total) and not self._obeyed.purposes

    @cached_property
    def everywhere(self) -> OneAnswer | None:
        """The answer on every URL of the site; `None` if it depends on the URL."""
        stated = self._obeyed.stated
        if self.says_nothing or stated is None:
            return dict.fromkeys(USES, "unknown"), None
        has_usage = stated.total > len(stated.signals) + len(stated.licenses)
        has_paths = any(one.path for one in stated.signals)
        return None if has_usage or has_paths or self._obeyed.purposes else self.ask("/")

    def answer(self, url: str) -> OneAnswer:
        """Return the answer on each use of a URL, and the level of Content-Signal."""
        return self.everywhere or self.ask(url)

    def ask(self, url: str) -> OneAnswer:
        """Return the same, whatever is known of the whole site."""
        uses = UseSources(url, self._robot, None, self._obeyed).answer()
        level = None if uses.level is None else uses.level.level
        return {use: one.status for use, one in uses.verdicts.items()}, level


def strictest_statuses(answers: Iterable[Statuses]) -> dict[Use, UseStatus]:
    """Return for each use the answer that permits least.

    >>> strictest_statuses([{"train": "allowed"}, {"train": "unknown"}, {"train": "licensed"}])
    {'train': 'unknown'}
    """
    found: dict[Use, UseStatus] = {}
    for one in answers:
        for use, status in one.items():
            found[use] = min(found.get(use, status), status, key=LEAST_FIRST.index)
    return found


def strictest_level(levels: Iterable[str | None]) -> str | None:
    """Return the most restrictive level; `None` if none is stated.

    >>> strictest_level([None, "full", "reference"])
    'reference'
    """
    return min(levels, key=LEVELS.index, default=None)
