"""The Robot Exclusion Profile: whether a document declares it, and which number is which robot's.

Source: Robot Exclusion Profile, Profile URI, Precedence and Specificity.
"""

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from goodbot.lazy_dataclass import dataclass
from goodbot.page.finding_codes import Findings
from goodbot.page.marks import MARKS, REL_NOFOLLOW_URIS
from goodbot.page.robot_names import RobotNames

__all__ = [
    "KnownNames",
    "Profiles",
    "has_number",
    "names_in",
    "profiles",
    "report_strangers",
    "uris_in",
]

COMMENT = re.compile(r"\([^()]*\)")
AUTHORITY = re.compile(r"(?:https?:)?//([^/?#]*)", re.IGNORECASE)
NAME = re.compile(r"RobotExclusion\.RobotName([0-9]{1,9})", re.IGNORECASE)
MOST_NAMES = 10_000
"""The most names for numbers that are read from one document."""

BEHIND = tuple(mark.name.removeprefix("robots-") for mark in MARKS if mark.form == "profile class")
"""The classes of the Profile without `robots-` or `robotN-` at their beginning."""
NUMBERED = re.compile(r"robot([0-9]{1,9})-(.+)", re.DOTALL)
KEYWORDS = {"none", "all"}
"""Keywords of META that have no class in the Profile (section Keywords)."""


class KnownNames(NamedTuple):
    """The names of robots by number, as far as they are known."""

    by_number: Mapping[str, list[str]] = MappingProxyType({})
    """The names, by the number as written: `01` and `1` are different numbers."""
    are_all: bool = True
    """Whether these are all names, apart from those on a page of names that was not read."""
    lists: tuple[tuple[str, int], ...] = ()
    """Each content that names several robots at once, as written, and its line."""
    unread: str | None = None
    """The URL of a page of names that was not read, or that names no robot."""
    fault: str = "was not read"
    """What is wrong with that page."""

    @property
    def name_somebody(self) -> bool:
        """Whether there is at least one name."""
        return any(name.strip() for called in self.by_number.values() for name in called)

    def beside(self, own: "KnownNames") -> "KnownNames":
        """Return these names with those of the document itself, which take precedence."""
        by_number = {**self.by_number, **own.by_number}
        return KnownNames(by_number, self.are_all and own.are_all, own.lists + self.lists)

    def of(self, robot: RobotNames) -> tuple[list[str], list[str]]:
        """Return the numbers of a robot, and those that it shares with others in a list."""
        own, shared = [], []
        for number, called in self.by_number.items():
            lists = [names for names in map(listed_in, called) if names]
            single = [name for name in called if not lists or not listed_in(name)]
            if any(map(robot.is_called, single)):
                own.append(number)
            elif any(map(robot.is_called, chain.from_iterable(lists))):
                shared.append(number)
        return own, shared


NO_NAMES = KnownNames()
"""The names of a document that declares none."""


def listed_in(name: str) -> list[str]:
    """Return the names in a list of robots, after the whole of it; nothing if it is one name.

    >>> listed_in("Foo, ExampleBot"), listed_in("Mozilla/5.0 (compatible; FooBot/1.0)")
    (['Foo, ExampleBot', 'Foo', ' ExampleBot'], [])

    Source: goodbot: choice (the Profile has one name in one META).
    """
    if "," not in name and ";" not in name:
        return []
    # The whole counts, too: a comma may be part of a comment within one name.
    split = re.split("[,;]", COMMENT.sub(" ", name), maxsplit=MOST_NAMES + 1)
    parts = [part for part in split if part.strip()]
    return [name, *parts] if len(parts) > 1 else []


def names_in(metas: Iterable[tuple[str, str, bool, bool, int]]) -> KnownNames:
    """Return the names of robots that META elements declare.

    >>> names_in([("RobotExclusion.RobotName1", "Foo Bot", False, True, 3)]).by_number
    {'1': ['Foo Bot']}

    Source: Robot Exclusion Profile, Specificity.
    """
    found: dict[str, list[str]] = {}
    lists: list[tuple[str, int]] = []
    count = 0
    for name, content, _is_http, _in_head, line in metas:
        number = NAME.fullmatch(name)
        if number is None:
            continue
        several = listed_in(content)
        count += len(several) or 1
        if count <= MOST_NAMES:
            found.setdefault(number[1], []).append(content)
            if several:
                lists.append((content, line))
        else:
            # This number has a further name that is not kept, so its list would be incomplete.
            found.pop(number[1], None)
    return KnownNames(found, count <= MOST_NAMES, tuple(lists))


@dataclass(frozen=True, slots=True)
class Profiles:
    """The declarations of profiles in a document."""

    is_declared: bool
    """Whether it declares the Robot Exclusion Profile."""
    outweighs_relations: bool
    """Whether it comes before any profile of rel-nofollow, and so takes precedence."""


NO_PROFILES = Profiles(is_declared=False, outweighs_relations=False)
"""The declarations of a document that has none."""


def profiles(listed: Iterable[str], uris: Iterable[str], *, schema: bool) -> Profiles:
    """Return whether a document declares the Profile, and with which precedence.

    Args:
        listed: The URIs of its profiles, the most significant first.
        uris: The URIs that name the Profile.
        schema: Whether it has `link rel="schema.RobotExclusion"`, as in the examples of the
            Profile. It is not in the list, so it counts as the least significant.

    """
    listed = list(listed)
    if not listed and not schema:
        return NO_PROFILES
    places: dict[str, int] = {}
    for place, uri in enumerate(listed):
        places.setdefault(plain(uri), place)
    own = [places[uri] for uri in map(plain, uris) if uri in places]
    own += [len(places)] if schema else []
    rivals = [places[uri] for uri in map(plain, REL_NOFOLLOW_URIS) if uri in places]
    return Profiles(bool(own), bool(own) and (not rivals or min(own) < min(rivals)))


def uris_in(attribute: str) -> list[str]:
    """Return the URIs of a profile attribute, split at white space and also at commas.

    A URI may contain commas, so each piece between white space counts as a whole, too.

    >>> uris_in("http://a.example/x, http://b.example/y")
    ['http://a.example/x,', 'http://a.example/x', 'http://b.example/y']

    Source: HTML 4.01 section 7.4.1; goodbot: choice (commas).
    """
    found = []
    for whole in attribute.split():
        found.append(whole)
        if "," in whole:
            found += filter(None, whole.split(","))
    return found


def plain(uri: str) -> str:
    """Return a profile's address in the form in which addresses are compared.

    The scheme (http or https), the case of the host and an empty fragment make no difference.

    >>> plain("HTTP://Example.org/Xmdp#")
    '//example.org/Xmdp'

    Source: RFC 3986 section 6.2.2.1.
    """
    uri = uri.rstrip("#")
    found = AUTHORITY.match(uri)
    return f"//{found[1].lower()}{uri[found.end() :]}" if found else uri


def has_number(written: str) -> bool:
    """Return whether a class is one of the Profile for a robot with a number, known or not.

    >>> has_number("robot1-noindex"), has_number("robots-noindex"), has_number("robot1-arm")
    (True, False, False)
    """
    number = NUMBERED.fullmatch(written)
    return number is not None and number[2] in BEHIND


def report_strangers(
    strangers: Iterable[tuple[str, int]], names: KnownNames, findings: Findings
) -> bool:
    """Report lists of names, and unknown classes that resemble those of the Profile.

    Args:
        strangers: Each unknown class and its line.
        names: The names of robots by number.
        findings: The list to which findings are added.

    Returns:
        Whether the page of names, which was not read, may declare the number of a class.

    """
    is_needed = False
    for written, line in strangers:
        number = NUMBERED.fullmatch(written)
        if number is None or number[2] not in BEHIND:
            report_misspelt(written, line, findings)
        elif names.unread is None and names.are_all:
            message = (
                f"{written!r} has no effect, because no robot has the number {number[1]}; write a "
                f"META named RobotExclusion.RobotName{number[1]}"
            )
            findings.add("undeclared-robot", message, line)
        elif names.unread is not None and not is_needed:
            is_needed = True
            page = names.unread[:200]
            message = (
                f"{page}, which should name the robot of {written!r}, {names.fault}; classes with "
                "such numbers that forbid apply to every robot"
            )
            findings.add("names-not-read", message, line)
    for written, line in names.lists:
        message = f"{written[:60]!r} names several robots; write one META for each robot"
        findings.add("listed-robots", message, line)
    return is_needed


def report_misspelt(written: str, line: int, findings: Findings) -> None:
    """Report an unknown class if it resembles one of the Profile."""
    meant = re.sub("^robots?[0-9]*[-_]?", "", written.lower()).replace("_", "-")
    like = get_close_matches(meant, BEHIND, n=1, cutoff=0.8)
    if meant in KEYWORDS:
        message = (
            f"{written!r} has no effect, because the Profile has no such class; write each class, "
            "such as robots-noindex"
        )
    elif like:
        message = f"{written!r} is not a class of the Profile; did you mean robots-{like[0]}?"
    else:
        return
    findings.add("misspelt-class", message, line)
