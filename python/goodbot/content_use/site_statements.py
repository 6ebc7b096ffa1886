"""What robots.txt and tdmrep.json say about the uses of one URL.

Scope: from what each room has read to statements, each with its place. Nothing is compared here.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from goodbot._core import RobotsTxt, Rules, content_signal, matching_octets
from goodbot.content_use.purpose_tokens import PREFIX
from goodbot.content_use.statement import LicenseTerms, UseStatement, UseStatus
from goodbot.content_use.tdmrep import TdmRep
from goodbot.content_use.use_words import words_of

__all__ = [
    "SignalLine",
    "StatedLines",
    "octets_speak_of_uses",
    "of_labels",
    "of_reservation",
    "of_robots_txt",
    "of_signals",
    "of_tdmrep",
    "path_of_signals",
    "signals_of_lines",
    "speaks_of_uses",
    "stated_lines",
]

ANSWERS: dict[str, UseStatus] = {
    "allow": "allowed", "disallow": "reserved", "yes": "allowed", "no": "reserved",
}  # fmt: skip
"""What the answers of Content-Usage and Content-Signal mean."""
SIGNALS = frozenset({row.word for row in words_of("content-signal")} | {"use"})
"""The signals that some document defines."""


class SignalLine(NamedTuple):
    """A line of Content-Signal that applies to a robot."""

    path: str
    """The path to which it is limited; empty if it is about the whole site."""
    said: dict[str, str]
    """The signals, as `goodbot.content_signal` reads them."""
    place: str
    """Where it stands, in words."""
    unread: frozenset[str] = frozenset()
    """The signals whose answers at this path are not known."""


class StatedLines(NamedTuple):
    """The lines by which robots.txt states uses to a robot, read once for any number of URLs."""

    rules: Rules
    """The rules of the robot, which know its Content-Usage."""
    signals: tuple[SignalLine, ...]
    """The lines of Content-Signal."""
    licenses: dict[str, int]
    """The licences that the file names, and the number of the line of each."""
    total: int
    """How many lines are read for each URL."""


STRICTEST = frozenset({"no", "immediate"})
"""The strictest answers of Content-Signal."""
FIELDS = ("content-usage", "content-signal", "license")
"""The fields of robots.txt that state uses, in lower case."""
SPEAKING = tuple(one.lower().encode() for one in (*FIELDS, PREFIX))
"""What a robots.txt contains, in some case, that says anything of uses."""


def speaks_of_uses(file: RobotsTxt | None) -> bool:
    r"""Return whether a robots.txt may say anything of uses; it is quick, and errs to `True`.

    >>> speaks_of_uses(RobotsTxt("User-agent: __usage_ai-training\nDisallow: /a"))
    True
    """
    return file is not None and octets_speak_of_uses(file.content)


def octets_speak_of_uses(content: bytes) -> bool:
    """Return what `speaks_of_uses` does, for the bytes of a robots.txt.

    A regular expression that ignores case would take ten times as long.
    """
    lowered = content.lower()
    return any(one in lowered for one in SPEAKING)


def stated_lines(robots_txt: RobotsTxt, robot: str) -> StatedLines:
    """Return the lines by which robots.txt states uses to a robot."""
    own: dict[str, list[tuple[str, int]]] = {name: [] for name in FIELDS}
    for name, value, line in robots_txt.fields_for(robot):
        if name.lower() in own:
            own[name.lower()].append((value, line))
    if not any(states_signal(value) for value, _ in own["content-signal"]):
        own["content-signal"] = before_groups(robots_txt, "content-signal")
    signals = []
    for value, line in own["content-signal"]:
        path, said = path_of_signals(value)
        stated = content_signal([said])
        unread = unread_signals(said, stated) if path else frozenset()
        signals.append(SignalLine(path, stated, f"robots.txt, line {line}", unread))
    licenses = dict(own["license"] or before_groups(robots_txt, "license"))
    return StatedLines(
        robots_txt.rules_for(robot),
        tuple(signals),
        licenses,
        len(own["content-usage"]) + len(signals) + len(licenses),
    )


def of_robots_txt(
    stated: StatedLines,
    url: str,
    vocabulary: str,
    expires: datetime | None,
    *,
    fetchable: bool | None,
) -> Iterator[UseStatement]:
    """Yield what robots.txt says to a robot: Content-Usage and Content-Signal of its groups.

    Allow and Disallow are about fetching, and say nothing about use; but what the robot must not
    fetch carries no preference of Content-Usage.
    """
    usage = stated.rules.usage(url, vocabulary=vocabulary, fetchable=fetchable)
    numbers = ", ".join(map(str, usage.content_usage_lines))
    several = "lines" if len(usage.content_usage_lines) > 1 else "line"
    yield from of_labels(
        usage.content_usage or {}, f"robots.txt, {several} {numbers}", expires=expires
    )
    for said, place in signals_of_lines(stated, url):
        yield from of_signals(said, place, expires=expires)


def signals_of_lines(stated: StatedLines, url: str) -> Iterator[tuple[dict[str, str], str]]:
    """Yield the signals that each line of Content-Signal states about a URL, with its place.

    A line may begin with a path (contentsignals.org, "Protect specific pages"). Of each signal only
    the longest paths that match count; an answer that is not known leaves no permission of a
    shorter one. That choice is the core's.
    """
    lines = []
    for path, said, place, unread in stated.signals:
        octets = matching_octets(path, url) if path else 0
        if octets is not None:
            lines.append((octets, said, place, unread))
    longest: dict[str, int] = {}
    doubtful: dict[str, int] = {}
    for octets, said, _place, unread in lines:
        longest |= {name: max(octets, longest.get(name, 0)) for name in said}
        doubtful |= {name: max(octets, doubtful.get(name, 0)) for name in unread}
    for octets, said, place, _unread in lines:
        yield (
            {
                name: answer
                for name, answer in said.items()
                if octets == longest[name]
                and (octets >= doubtful.get(name, 0) or answer in STRICTEST)
            },
            place,
        )


def path_of_signals(value: str) -> tuple[str, str]:
    r"""Return the path of a Content-Signal value, empty if it has none, and the signals.

    >>> path_of_signals("/blog/\tai-train=no"), path_of_signals("search=yes")
    (('/blog/', 'ai-train=no'), ('', 'search=yes'))
    """
    if not value.startswith("/"):
        return "", value
    path, *rest = re.split(r"[ \t]", value, maxsplit=1)
    return path, "".join(rest).strip(" \t\n\f\r")


def unread_signals(said: str, stated: Mapping[str, str]) -> frozenset[str]:
    """Return the signals of a value whose answers are none that they can have.

    >>> sorted(unread_signals("ai-train=n, search=yes, other=n", {"search": "yes"}))
    ['ai-train']
    """
    names = (part.partition("=")[0].strip().lower() for part in said.split(","))
    return frozenset(name for name in names if name in SIGNALS and name not in stated)


def before_groups(robots_txt: RobotsTxt, name: str) -> list[tuple[str, int]]:
    """Return the lines of a field before every group, which are about the whole file.

    They count for a robot whose groups have none. A line of signals that no document defines is not
    one of those: it must not hide what the file says.
    """
    return robots_txt.fields_before_groups(name)


def states_signal(value: str) -> bool:
    """Return whether a value of Content-Signal has a signal that some document defines."""
    return not SIGNALS.isdisjoint(content_signal([path_of_signals(value)[1]]))


def of_labels(
    said: Mapping[str, str], place: str, *, expires: datetime | None = None
) -> Iterator[UseStatement]:
    """Yield the preferences of Content-Usage; an unknown one says nothing."""
    for row in words_of("content-usage"):
        answer = said.get(row.word)
        if answer in ANSWERS:
            text = f"{row.word}={'y' if answer == 'allow' else 'n'}"
            yield UseStatement(row.use, ANSWERS[answer], "content-usage", place, text, expires)


def of_signals(
    said: Mapping[str, str], place: str, *, expires: datetime | None = None
) -> Iterator[UseStatement]:
    """Yield the signals of Content-Signal; an absent one "neither grants nor restricts"."""
    for row in words_of("content-signal"):
        if row.word in said:
            answer = said[row.word]
            text = f"{row.word}={answer}"
            yield UseStatement(row.use, ANSWERS[answer], "content-signal", place, text, expires)


def of_tdmrep(file: TdmRep, url: str) -> Iterator[UseStatement]:
    """Yield what tdmrep.json says, by the first rule that matches."""
    rule = file.rule_for(url)
    reservation = None if rule is None else file.reservation_by(rule)
    if rule is not None and reservation is not None:
        place = f"/.well-known/tdmrep.json, rule {rule.number}"
        text = f"{rule.location}: tdm-reservation {reservation}"
        yield of_reservation(reservation, place, text, rule.policy, 0)


def of_reservation(
    reservation: int, place: str, text: str, policy: str | None, rank: int
) -> UseStatement:
    """Return the statement of a TDM reservation; a policy counts only with a reservation."""
    terms = LicenseTerms(policy, custom=policy) if policy and reservation else None
    says: UseStatus = "reserved" if reservation else "allowed"
    return UseStatement("train", says, "tdmrep", place, text, None, terms, (rank,))
