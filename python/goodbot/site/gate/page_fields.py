"""What is said about one page: the answers for its path, and the header fields that state them.

Scope: from a path to the parts that match it, once for all groups, and from those to fields. Few
sets of parts match any path, so that fields are written once for each.
"""

from collections.abc import Mapping
from functools import lru_cache

from goodbot._core import matching_octets
from goodbot.content_use.statement import Use
from goodbot.site.gate.group_rules import GroupRules
from goodbot.site.gate.robot_groups import GateGroup
from goodbot.site.gate.use_statements import (
    content_signal,
    content_usage,
    directives,
    reservation,
    sayable,
)

__all__ = ["GateFields", "PageFields"]

GateFields = tuple[tuple[str, str], ...]
"""Header fields."""
Matched = tuple[str, ...]
"""The paths of parts that match, from all groups."""

LICENSED = '<{}>; rel="license"; type="application/rsl+xml"'
"""The value of Link that names a licence (RSL 1.0, section 4.5)."""
MOST_PATHS = 4_096
"""The most paths whose parts, and the most sets of parts whose fields, are remembered."""
LONGEST_PATH = 1_024
"""The most characters of a path that is remembered: longer ones are matched each time."""


class PageFields:
    """Answers for pages, from the groups of a robots.txt.

    Args:
        groups: The groups, that for everyone last.
        tdm_policy: The URL of a policy for text and data mining, if there is one.
        level: The level up to which content may be used, of Content-Signal, if there is one.
        licenses: The URLs of licences, by the rules of their groups.

    """

    def __init__(
        self,
        groups: tuple[GateGroup, ...],
        tdm_policy: str | None = None,
        level: str | None = None,
        licenses: Mapping[GroupRules, str] | None = None,
    ) -> None:
        """Collect the paths of all parts."""
        self.groups = groups
        self.tdm_policy = tdm_policy
        self.level = level
        self.licenses = licenses or {}
        self.paths = tuple(
            dict.fromkeys(part.path for group in groups for part in group.rules.parts)
        )
        self.number = {group.tokens[0]: number for number, group in enumerate(groups)}
        self._matched = lru_cache(maxsize=MOST_PATHS)(self.matched)
        self._stated = lru_cache(maxsize=MOST_PATHS)(self.stated)

    def of(self, group: GateGroup, *paths: str) -> GateFields:
        """Return the header fields for the robots of a group; `Vary` where robots differ.

        Args:
            group: The group.
            paths: The path of the page, in each spelling that may lead to it.

        """
        return self._stated(self.number[group.tokens[0]], self.matched_by(paths))

    def answers(self, group: GateGroup, *paths: str) -> dict[Use, bool]:
        """Return the answers for the robots of a group; the strictest of all spellings."""
        return answers_in(group, self.matched_by(paths))

    def matched_by(self, paths: tuple[str, ...]) -> tuple[Matched, ...]:
        """Return the parts that match each spelling, without repeats."""
        return tuple(
            dict.fromkeys(
                self._matched(path) if len(path) <= LONGEST_PATH else self.matched(path)
                for path in paths
            )
        )

    def matched(self, path: str) -> Matched:
        """Return the paths of parts that match a path."""
        return tuple(one for one in self.paths if matching_octets(one, path) is not None)

    def stated(self, number: int, matched: tuple[Matched, ...]) -> GateFields:
        """Return the header fields for a group and the parts that match each spelling."""
        own = self.stated_to(number, matched)
        others = (n for n in range(len(self.groups)) if n != number)
        differ = any(self.stated_to(other, matched) != own for other in others)
        return (*own, ("Vary", "User-Agent")) if differ else own

    def stated_to(self, number: int, matched: tuple[Matched, ...]) -> GateFields:
        """Return what is said to a group alone.

        The reservation is a header field only for those to whom tdmrep.json, which is for everyone,
        may say something else: the header prevails (TDMRep, Processing priority).
        """
        answers = answers_in(self.groups[number], matched)
        license_ = self.licenses.get(self.groups[number].rules) if answers else None
        fields = [
            ("X-Robots-Tag", directives(answers)),
            ("Content-Usage", content_usage(answers)),
            ("Content-Signal", content_signal(answers, self.level if answers else None)),
            ("Link", LICENSED.format(license_) if license_ else ""),
        ]
        if number != len(self.groups) - 1:
            reserved = reservation(answers)
            fields.append(("TDM-Reservation", reserved))
            if self.tdm_policy and reserved == "1":
                fields.append(("TDM-Policy", self.tdm_policy))
        return tuple((name, value) for name, value in fields if value)


def answers_in(group: GateGroup, matched: tuple[Matched, ...]) -> dict[Use, bool]:
    """Return the answers for all spellings of a path: what one of them forbids is forbidden."""
    found: dict[Use, bool] = {}
    for one in matched:
        for use, answer in longest_answers(group, one).items():
            found[use] = answer and found.get(use, True)
    return sayable(found)


def longest_answers(group: GateGroup, matched: Matched) -> dict[Use, bool]:
    """Return the answers of the longest part that matches; of equal ones, what forbids."""
    found: dict[Use, bool] = {}
    longest = -1
    for part in group.rules.parts:
        if len(part.path) < longest:
            break
        if part.path in matched:
            longest = len(part.path)
            for use, answer in part.answers:
                found[use] = answer and found.get(use, True)
    return found
