"""What header and META say to one robot: statements, and findings of what is odd about them."""

from collections.abc import Iterable

from goodbot.page.dialects import PageDialect
from goodbot.page.directives import DIRECTIVES, VALUED, entries, value_of
from goodbot.page.finding_codes import Findings
from goodbot.page.header import robots_tag, x_robots_tag
from goodbot.page.robot import Robot
from goodbot.page.statement import Source, Statement

__all__ = ["of_headers", "of_metas"]

MOST_STATEMENTS = 10_000
"""So many are told; beyond, only what was not stated before."""

HEADERS = {"x-robots-tag": ("X-Robots-Tag", x_robots_tag), "robots-tag": ("Robots-Tag", robots_tag)}


def of_headers(
    fields: Iterable[tuple[str, str]], robot: Robot, findings: Findings
) -> list[Statement]:
    """Read the fields that speak to robots; each line for itself (Google, X-Robots-Tag)."""
    heard = []
    for name, value in fields:
        if name not in HEADERS:
            continue
        shown, read = HEADERS[name]
        for addressed, directive, text in read(value):
            if addressed is None or robot.heeds(addressed):
                source = Source("header", shown, 0, f"{directive}: {text}" if text else directive)
                heard += stated(directive, text, source, findings)
    return heard


def of_metas(
    metas: Iterable[tuple[str, str, bool, bool, int]],
    robot: Robot,
    dialect: PageDialect,
    findings: Findings,
) -> list[Statement]:
    """Read the META elements that speak to the robot."""
    heard: list[Statement] = []
    known: set[tuple[str, str]] = set()
    spaces = dialect.separators == "comma-or-space"
    for name, content, is_pragma, in_head, line in metas:
        lower = name.lower()
        if lower == "spider by" and content.strip().lower() == "none":
            # Kollar, Leavitt and Mauldin 1996; META ROBOTS took its place and its NONE.
            heard += stated("none", "", Source("meta", name, line, "none"), findings)
            continue
        if lower == "htdig-noindex":
            # ht://Dig, HTML META tags: it has no value, and the document is not indexed.
            heard += stated("noindex", "", Source("meta", name, line, ""), findings)
            continue
        is_field = is_pragma and lower == "x-robots-tag"
        if not (lower == "robots" or is_field or is_for(lower, content, robot, dialect)):
            continue
        if dialect.placement == "head" and not in_head:
            message = f"META {name} stands in the body; {dialect.name} looks in the HEAD only"
            findings.add("meta-outside-head", message, line)
            continue
        seen: set[str] = set()
        for directive, text in entries(content, spaces=spaces):
            if directive in seen:
                findings.add("repeated-directive", f"{directive} is stated twice", line)
            seen.add(directive)
            source = Source("meta", name, line, f"{directive}: {text}" if text else directive)
            if (directive, text) not in known or len(heard) < MOST_STATEMENTS:
                heard += stated(directive, text, source, findings)
                known.add((directive, text))
    return heard


def is_for(name: str, content: str, robot: Robot, dialect: PageDialect) -> bool:
    """Whether a META element is addressed to the robot by a name of its own, in lower case."""
    for other, heeded, directives in dialect.other_names:
        if name == other and robot.heeds(heeded):
            return all(one in directives for one, _value in entries(content, spaces=True))
    for start, excepted in dialect.ignored_names:
        if name.startswith(start) and name not in excepted:
            return False
    return dialect.own_names and robot.heeds(name)


def stated(directive: str, text: str, source: Source, findings: Findings) -> list[Statement]:
    """Read one directive; nothing, if it has no effect."""
    row = DIRECTIVES.get(directive)
    if row is None:
        unknown(directive, source, findings)
        return []
    value = value_of(row, text)
    if directive in VALUED and value is None:
        message = f"{shortened(text)!r} is no value of {directive}; it has no effect"
        findings.add("malformed-value", message, source.line)
        return []
    if not (row.forbids or row.allows or directive in VALUED or directive == "indexifembedded"):
        findings.add("without-effect", f"{directive}: {row.meaning}", source.line)
    return [Statement(directive, value, source)]


def unknown(directive: str, source: Source, findings: Findings) -> None:
    """Say why a directive is not understood."""
    words = directive.split()
    if len(words) > 1 and all(word in DIRECTIVES for word in words):
        message = f"{shortened(directive)!r} is divided by spaces, and not understood; write commas"
        findings.add("space-separated", message, source.line)
    elif directive:
        message = f"{shortened(directive)!r} in {source.name} is no directive that goodbot knows"
        findings.add("unknown-directive", message, source.line)


def shortened(text: str) -> str:
    """Cut foreign text in a message."""
    return text if len(text) <= 60 else text[:60] + "..."  # noqa: PLR2004  a message is one line
