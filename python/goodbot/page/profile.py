"""The Robot Exclusion Profile: whether a document declares it, and which number is whose.

Source: Robot Exclusion Profile, Profile URI, Precedence and Specificity.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import chain

from goodbot.page.finding_codes import Findings
from goodbot.page.marks import MARKS, REL_NOFOLLOW_URIS
from goodbot.page.robot_names import RobotNames

__all__ = ["KnownNames", "Profiles", "names_in", "profiles", "report_strangers", "uris_in"]

COMMENT = re.compile(r"\([^()]*\)")
AUTHORITY = re.compile(r"(?:https?:)?//([^/?#]*)", re.IGNORECASE)
NAME = re.compile(r"RobotExclusion\.RobotName([0-9]{1,9})", re.IGNORECASE)
MOST_NAMES = 10_000
"""The most names that one document gives to numbers."""

BEHIND = tuple(mark.name.removeprefix("robots-") for mark in MARKS if mark.form == "profile class")
"""What stands in the classes of the Profile behind `robots-` or `robotN-`."""
NUMBERED = re.compile(r"robot([0-9]{1,9})-(.+)", re.DOTALL)
KEYWORDS = {"none", "all"}
"""Keywords of META that the Profile does not have (Keywords)."""


@dataclass(frozen=True, slots=True)
class KnownNames:
    """Which number belongs to which robots, as far as it is known."""

    by_number: Mapping[str, list[str]] = field(default_factory=dict)
    """The names, by the number as written: `01` is another number than `1`."""
    are_all: bool = True
    """Whether no other number can be anybody's, but for those on a page that was not read."""
    lists: tuple[tuple[str, int], ...] = ()
    """What names several robots at once, as written, and its line."""
    unread: str | None = None
    """The URL of a page of names that was not read, or names nobody."""
    fault: str = "was not read"
    """What is wrong with that page."""

    @property
    def name_somebody(self) -> bool:
        """Whether there is a name at all."""
        return any(name.strip() for called in self.by_number.values() for name in called)

    def beside(self, own: "KnownNames") -> "KnownNames":
        """Return these names and those of another document, which come first."""
        by_number = {**self.by_number, **own.by_number}
        return KnownNames(by_number, self.are_all and own.are_all, own.lists + self.lists)

    def of(self, robot: RobotNames) -> tuple[list[str], list[str]]:
        """Return the numbers of a robot, and those that it has with others by a list of names."""
        own, shared = [], []
        for number, called in self.by_number.items():
            lists = [names for names in map(listed_in, called) if names]
            single = [name for name in called if not lists or not listed_in(name)]
            if any(map(robot.is_called, single)):
                own.append(number)
            elif any(map(robot.is_called, chain.from_iterable(lists))):
                shared.append(number)
        return own, shared


def listed_in(name: str) -> list[str]:
    """Return the names of a list of robots, and the whole; nothing if it is one name.

    >>> listed_in("Foo, ExampleBot"), listed_in("Mozilla/5.0 (compatible; FooBot/1.0)")
    (['Foo, ExampleBot', 'Foo', ' ExampleBot'], [])

    Source: goodbot: choice (the Profile has one name in one META).
    """
    if "," not in name and ";" not in name:
        return []
    # As a whole it counts, too: a name may stand in what a comment says.
    split = re.split("[,;]", COMMENT.sub(" ", name), maxsplit=MOST_NAMES + 1)
    parts = [part for part in split if part.strip()]
    return [name, *parts] if len(parts) > 1 else []


def names_in(metas: Iterable[tuple[str, str, bool, bool, int]]) -> KnownNames:
    """Read the names of robots that META elements declare.

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
            # Whose it is as well is not known.
            found.pop(number[1], None)
    return KnownNames(found, count <= MOST_NAMES, tuple(lists))


@dataclass(frozen=True, slots=True)
class Profiles:
    """What a document declares of profiles."""

    is_declared: bool
    """Whether it declares the Robot Exclusion Profile."""
    outweighs_relations: bool
    """Whether that is more significant than a profile of rel-nofollow."""


def profiles(listed: Iterable[str], uris: Iterable[str], *, schema: bool) -> Profiles:
    """Find out whether a document declares the Profile.

    Args:
        listed: The URIs of its profiles, the most significant first.
        uris: The URIs that name the Profile.
        schema: Whether it has `link rel="schema.RobotExclusion"`, as the examples of the Profile
            have. It stands in no list, so it is the least significant.

    """
    places: dict[str, int] = {}
    for place, uri in enumerate(listed):
        places.setdefault(plain(uri), place)
    own = [places[uri] for uri in map(plain, uris) if uri in places]
    own += [len(places)] if schema else []
    rivals = [places[uri] for uri in map(plain, REL_NOFOLLOW_URIS) if uri in places]
    return Profiles(bool(own), bool(own) and (not rivals or min(own) < min(rivals)))


def uris_in(attribute: str) -> list[str]:
    """Return the URIs of a profile attribute: between white space, and between commas as well.

    A URI may have commas, so that what stands between white space counts as a whole, too.

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
    """Return a profile's address without what does not tell it from others.

    That is the scheme, where it is http or https, the case of the host, and an empty fragment.

    >>> plain("HTTP://Example.org/Xmdp#")
    '//example.org/Xmdp'

    Source: RFC 3986 section 6.2.2.1.
    """
    uri = uri.rstrip("#")
    found = AUTHORITY.match(uri)
    return f"//{found[1].lower()}{uri[found.end() :]}" if found else uri


def report_strangers(
    strangers: Iterable[tuple[str, int]], names: KnownNames, findings: Findings
) -> bool:
    """Report lists of names, and classes that look as if they were of the Profile and are not.

    Args:
        strangers: Each class, and its line.
        names: Whose number is whose.
        findings: Where findings go.

    Returns:
        Whether there are classes whose number that page may give to a robot.

    """
    is_needed = False
    for written, line in strangers:
        number = NUMBERED.fullmatch(written)
        if number is None or number[2] not in BEHIND:
            report_misspelt(written, line, findings)
        elif names.unread is None and names.are_all:
            message = f"nobody declares the robot {number[1]} of {written!r}, which has no effect"
            findings.add("undeclared-robot", message, line)
        elif names.unread is not None and not is_needed:
            is_needed = True
            page = names.unread[:200]
            message = f"{page}, which should say whom {written!r} is for, {names.fault}"
            findings.add("names-not-read", message, line)
    for written, line in names.lists:
        message = f"{written[:60]!r} names several robots; write a META for each name"
        findings.add("listed-robots", message, line)
    return is_needed


def report_misspelt(written: str, line: int, findings: Findings) -> None:
    """Report a class that resembles one of the Profile."""
    meant = re.sub("^robots?[0-9]*[-_]?", "", written.lower()).replace("_", "-")
    like = get_close_matches(meant, BEHIND, n=1, cutoff=0.8)
    if meant in KEYWORDS:
        message = f"the Profile has no class {written!r}; it has no effect (write each class)"
    elif like:
        message = f"{written!r} is no class of the Profile; did you mean robots-{like[0]}?"
    else:
        return
    findings.add("misspelt-class", message, line)
