"""What robots.txt and tdmrep.json say about the uses of one URL.

Scope: from what each room has read to statements, each with its place. Nothing is compared here.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime

from goodbot._core import RobotsTxt, content_signal, matching_octets
from goodbot.content_use.statement import LicenseTerms, UseStatement, UseStatus
from goodbot.content_use.tdmrep import TdmRep
from goodbot.content_use.use_words import words_of

__all__ = [
    "named_lines",
    "of_labels",
    "of_reservation",
    "of_robots_txt",
    "of_signals",
    "of_tdmrep",
    "signals_of_lines",
]

ANSWERS: dict[str, UseStatus] = {
    "allow": "allowed", "disallow": "reserved", "yes": "allowed", "no": "reserved",
}  # fmt: skip
"""What the answers of Content-Usage and Content-Signal mean."""
SIGNALS = frozenset({row.word for row in words_of("content-signal")} | {"use"})
"""The signals that some document defines."""


def of_robots_txt(
    robots_txt: RobotsTxt, robot: str, url: str, vocabulary: str, expires: datetime | None
) -> Iterator[UseStatement]:
    """Yield what robots.txt says to a robot: Content-Usage and Content-Signal of its groups.

    Allow and Disallow are about fetching, and say nothing about use.
    """
    usage = robots_txt.rules_for(robot).usage(url, vocabulary=vocabulary)
    numbers = ", ".join(map(str, usage.content_usage_lines))
    several = "lines" if len(usage.content_usage_lines) > 1 else "line"
    yield from of_labels(
        usage.content_usage or {}, f"robots.txt, {several} {numbers}", expires=expires
    )
    for said, place in signals_of_lines(robots_txt, robot, url):
        yield from of_signals(said, place, expires=expires)


def signals_of_lines(
    robots_txt: RobotsTxt, robot: str, url: str
) -> Iterator[tuple[dict[str, str], str]]:
    """Yield the signals that each line of Content-Signal states about a URL, with its place.

    A line may begin with a path (contentsignals.org, "Protect specific pages"). Of each signal only
    the longest paths that match count; that choice is the core's.
    """
    lines = []
    for _name, value, line in named_lines(robots_txt, robot, "content-signal"):
        path, signals = path_of_signals(value)
        octets = matching_octets(path, url) if path else 0
        if octets is not None:
            lines.append((octets, content_signal([signals]), f"robots.txt, line {line}"))
    longest: dict[str, int] = {}
    for octets, said, _place in lines:
        longest |= {name: max(octets, longest.get(name, 0)) for name in said}
    for octets, said, place in lines:
        yield {name: said[name] for name in said if octets == longest[name]}, place


def path_of_signals(value: str) -> tuple[str, str]:
    r"""Return the path of a Content-Signal value, empty if it has none, and the signals.

    >>> path_of_signals("/blog/\tai-train=no"), path_of_signals("search=yes")
    (('/blog/', 'ai-train=no'), ('', 'search=yes'))
    """
    if not value.startswith("/"):
        return "", value
    path, *rest = re.split(r"[ \t]", value, maxsplit=1)
    return path, "".join(rest).strip()


def named_lines(robots_txt: RobotsTxt, robot: str, name: str) -> list[tuple[str, str, int]]:
    """Return the lines of a field that apply to a robot.

    Those of its groups count, and without any those before every group. A line of signals that no
    document defines is not one of them: it must not hide what the file says.
    """
    own = [one for one in robots_txt.fields_for(robot) if one[0].lower() == name]
    if any(name != "content-signal" or states_signal(value) for _name, value, _line in own):
        return own
    first = min((group.lines[0] for group in robots_txt.groups if group.lines), default=None)
    return [
        (name, line.value.decode("utf-8", "replace"), line.number)
        for line in robots_txt.lines
        if (line.name or b"").lower() == name.encode()
        and line.value is not None
        and (first is None or line.number < first)
    ]


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
    if rule is not None and rule.reservation is not None:
        place = f"/.well-known/tdmrep.json, rule {rule.number}"
        text = f"{rule.location}: tdm-reservation {rule.reservation}"
        yield of_reservation(rule.reservation, place, text, rule.policy, 0)


def of_reservation(
    reservation: int, place: str, text: str, policy: str | None, rank: int
) -> UseStatement:
    """Return the statement of a TDM reservation; a policy counts only with a reservation."""
    terms = LicenseTerms(policy, custom=policy) if policy and reservation else None
    says: UseStatus = "reserved" if reservation else "allowed"
    return UseStatement("train", says, "tdmrep", place, text, None, terms, (rank,))
