"""Statements: what header fields and META elements tell one robot, and findings about them."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from goodbot._core import not_known
from goodbot.page.combine import SPIDER_BY
from goodbot.page.dialects import PageDialect
from goodbot.page.directives import DIRECTIVES, IMAGE_SIZES, VALUED, entries, value_of
from goodbot.page.finding_codes import Findings
from goodbot.page.header import robots_tag, x_robots_tag
from goodbot.page.near_misses import (
    RIGHT,
    ROBOTIC,
    cut_message,
    is_misspelt,
    report_field_names,
    report_meta_name,
    report_misspelt_prefix,
    report_unknown,
    report_unknown_reservation,
    report_usage_values,
    resembles_robots,
)
from goodbot.page.robot_names import RobotNames
from goodbot.page.verdict import Source, Statement

__all__ = [
    "directive_alone",
    "may_be_for_robots",
    "report_values",
    "statements_of_headers",
    "statements_of_metas",
]

ALONE = {SPIDER_BY: ("none", "none"), "htdig-noindex": ("", "noindex")}
"""META names with one meaningful content, and the directive it stands for: SPIDER BY (Kollar,
Leavitt and Mauldin, 1996), which META ROBOTS replaced, and that of ht://Dig, without content."""

MOST_STATEMENTS = 10_000
"""The most statements that are kept; after that, only new ones are added."""

MOST_COMPARED = 100
"""The most names before a colon of which the spelling is compared, for one header field."""

MOST_CACHED = 256
"""The most characters of a META element whose statements are kept for other documents."""
MOST_SHARED = 8
"""The most META elements of a document whose statements are kept for other documents."""
MOST_OF_NAME = 64
"""The most characters of the name of a header field that is for robots, or nearly so, and of the
name of a META element that is looked up in a cache."""

EXAMPLES = {
    "number": "a whole number such as 50, or -1",
    "choice": ", ".join(IMAGE_SIZES[:-1]) + f" or {IMAGE_SIZES[-1]}",
    "date": "a date such as 2030-12-31",
}
"""What to write instead of a malformed value, for each kind of directive."""

HEADERS = {"x-robots-tag": ("X-Robots-Tag", x_robots_tag), "robots-tag": ("Robots-Tag", robots_tag)}


def statements_of_headers(
    fields: Iterable[tuple[str, str]], robot: RobotNames, findings: Findings
) -> list[Statement]:
    """Read the header fields for robots, each line separately (Google, X-Robots-Tag).

    If `may_be_for_robots` is false of their names, there is nothing to be read or reported.
    """
    found: list[Statement] = []
    fields = list(fields)
    if not fields:
        return found
    report_field_names(fields, findings)
    report_usage_values(fields, findings)
    for name, value in fields:
        if name not in HEADERS:
            continue
        shown, read = HEADERS[name]
        others: dict[str, str] = {}
        for addressed, directive, text in read(value):
            written = f"{directive}: {text}" if text else directive
            if addressed is None or robot.heeds(addressed):
                found += stated(directive, text, Source("header", shown, 0, written), findings)
            elif directive in DIRECTIVES:
                others[addressed] = ""
                message = f"{shown} is addressed to {cut_message(addressed)}: {written}"
                findings.add_for_others(addressed, message)
            else:
                others.setdefault(addressed, written)
        misspelt = set(report_prefixes(shown, value, findings))
        report_unknown_for_others(shown, others, misspelt, findings)
    return found


@lru_cache(maxsize=64)
def may_be_for_robots(names: frozenset[str]) -> bool:
    """Return whether one of some header fields, by their names, is for robots, or nearly is.

    The answer comes from a cache: a site sends the same fields with each page.
    """
    return any(map(speaks_to_robots, names))


def speaks_to_robots(name: str) -> bool:
    """Return whether a header field, by its name, is for robots, or nearly named as one that is."""
    if name.startswith("tdm-"):
        return True
    return len(name) <= MOST_OF_NAME and (name in RIGHT or is_misspelt(name))


def report_prefixes(shown: str, value: str, findings: Findings) -> Iterator[str]:
    """Report directives that stand where a robot's name belongs; yield those that are misspelt.

    Comparing spellings is slow, so only the first names of a line are compared, each once.
    """
    compared: set[str] = set()
    for piece in value.split(","):
        name, colon, _ = piece.partition(":")
        name = name.strip().lower()
        if not colon or name in VALUED:
            continue
        if name in DIRECTIVES:
            message = (
                f"{name!r} stands before a colon in {shown}, where a robot's name belongs; "
                "write a comma after it"
            )
            findings.add("doubtful-prefix", message)
        elif name not in compared and len(compared) < MOST_COMPARED:
            compared.add(name)
            if report_misspelt_prefix(name, shown, findings):
                yield name


def report_unknown_for_others(
    shown: str, others: dict[str, str], misspelt: set[str], findings: Findings
) -> None:
    """Report names before a colon behind which there is no directive at all.

    Args:
        shown: The header field.
        others: The names, each with its first entry; empty if one of its entries is a directive.
        misspelt: The names that have a finding already.
        findings: Where the findings are added.

    """
    for name, written in others.items():
        if written and name not in misspelt:
            where = f"in {shown}, addressed to {cut_message(name)},"
            unknown = not_known(f"the directive {cut_message(written)!r} {where}")
            findings.add("unknown-directive", f"{unknown}; it has no effect")


def statements_of_metas(
    metas: Iterable[tuple[str, str, bool, bool, int]],
    robot: RobotNames,
    dialect: PageDialect,
    findings: Findings,
) -> list[Statement]:
    """Read the META elements that are addressed to the robot."""
    rows, longest = [], 0
    for row in metas:
        if may_address(row[0].lower(), robot, dialect):
            rows.append(row)
            longest = max(longest, len(row[0]) + len(row[1]))
    if not rows:
        return []
    if len(rows) > MOST_SHARED or longest > MOST_CACHED:
        return read_metas(rows, robot, dialect, findings)
    said, found = shared_reading(tuple(rows), robot, dialect)
    findings.include(found)
    return list(said)


@lru_cache(maxsize=256)
def shared_reading(
    metas: tuple[tuple[str, str, bool, bool, int], ...], robot: RobotNames, dialect: PageDialect
) -> tuple[tuple[Statement, ...], Findings]:
    """Return what a few short META elements say, and the findings, which nobody changes.

    They come from a cache: the pages of a site say the same at one place.
    """
    findings = Findings()
    return tuple(read_metas(metas, robot, dialect, findings)), findings


def read_metas(
    metas: Iterable[tuple[str, str, bool, bool, int]],
    robot: RobotNames,
    dialect: PageDialect,
    findings: Findings,
) -> list[Statement]:
    """Read META elements that may be addressed to the robot."""
    found: list[Statement] = []
    known: set[tuple[str, str]] = set()
    seen: dict[str, set[str]] = {}
    spaces = dialect.separators == "comma-or-space"
    for name, written, is_pragma, in_head, line in metas:
        content = written
        lower = name.lower()
        if is_pragma and lower in HEADERS:
            pragma = statements_of_headers([(lower, content)], robot, findings)
            where = Source("meta", name, line, cut_message(content))
            found += [Statement(one.directive, one.value, where) for one in pragma]
            continue
        alone = directive_alone(lower, content)
        if alone is not None:
            content = alone
        elif lower != "robots" and not is_for(lower, content, robot, dialect):
            report_unread(name, content, line, findings)
            continue
        if not in_head and is_void_in_body(name, line, dialect, findings):
            continue
        before = seen.setdefault(lower, set())
        said = directives_of(name, content, line, findings, before, spaces=spaces)
        for directive, text, source in said:
            if len(found) < MOST_STATEMENTS or (directive, text) not in known:
                new = stated(directive, text, source, findings)
                found += new
                if new:
                    known.add((directive, text))
    return found


def may_address(name: str, robot: RobotNames, dialect: PageDialect) -> bool:
    """Return whether a META element, by its name in lower case, may be for robots, or nearly is.

    Most are not: they describe the document, or speak to browsers.
    """
    if len(name) > MOST_OF_NAME or names_robots(name) or robot.heeds(name):
        return True
    return name in [other for other, _, _ in dialect.other_names]


@lru_cache(maxsize=1024)
def names_robots(name: str) -> bool:
    """Return the same for any robot and dialect, from a cache: sites write the same few names."""
    return (
        name == "robots"
        or name in ALONE
        or name in HEADERS
        or name.startswith("tdm-")
        or resembles_robots(name)
        or ROBOTIC.search(name) is not None
    )


def directive_alone(name: str, content: str) -> str | None:
    """Return the directive of a META element that has one meaningful content; else `None`.

    >>> directive_alone("spider by", "NONE"), directive_alone("spider by", "ALL")
    ('none', None)
    """
    alone = ALONE.get(name)
    return alone[1] if alone is not None and alone[0] in {content.strip().lower(), ""} else None


def is_void_in_body(name: str, line: int, dialect: PageDialect, findings: Findings) -> bool:
    """Report a META element in the body, and return whether the dialect ignores it there.

    Source: HTTP book, chapter 9 (must appear in the HEAD section).
    """
    if dialect.placement == "head":
        message = (
            f"META {name} is in the body, but {dialect.name} reads the HEAD only; move it there"
        )
        findings.add("meta-outside-head", message, line)
        return True
    message = f"META {name} is in the body, where other robots ignore it; move it to the HEAD"
    findings.add("meta-in-body", message, line)
    return False


def report_unread(name: str, content: str, line: int, findings: Findings) -> None:
    """Report a META element that this robot does not read, if it is meant for robots."""
    lower = name.lower()
    if lower.startswith("tdm-"):
        report_unknown_reservation(lower, line, findings)
        return
    if lower == SPIDER_BY:
        if content.strip().lower() not in {"all", ""}:
            message = f"META {name} is ALL or NONE, and {cut_message(content)!r} has no effect"
            findings.add("unknown-directive", f"{message}; write META robots", line)
        return
    if not report_meta_name(lower, content, line, findings) and is_for_another(lower, content):
        message = f"META {cut_message(name)} is addressed to another robot"
        findings.add_for_others(lower, message, line)


def report_values(
    valued: Iterable[tuple[str, str, int]],
    robot: RobotNames,
    dialect: PageDialect,
    findings: Findings,
) -> None:
    """Report META elements for the robot that have VALUE instead of CONTENT.

    Source: Koster, 4 June 1996, writes one like this; HTML has no such attribute.
    """
    for name, value, line in valued:
        lower = name.lower()
        if lower == "robots" or lower in ALONE or is_for(lower, value, robot, dialect):
            shown = f"META {cut_message(name)} has VALUE={cut_message(value)!r}"
            message = f"{shown}, which has no effect; write CONTENT"
            findings.add("meta-without-content", message, line)


def directives_of(
    name: str, content: str, line: int, findings: Findings, seen: set[str], *, spaces: bool
) -> Iterator[tuple[str, str, Source]]:
    """Yield the directives of one META element, each with its value and its place.

    Those in `seen` were stated before, in this element or another one of its name (HTTP book,
    chapter 9: "conflicting or repeating directives").
    """
    for directive, text in entries(content, spaces=spaces):
        if directive in seen:
            message = f"{directive} is stated twice; remove one"
            findings.add("repeated-directive", message, line)
        elif directive in DIRECTIVES:
            seen.add(directive)
        written = f"{directive}: {text}" if text else directive
        yield directive, text, Source("meta", name, line, written)


def is_for_another(name: str, content: str) -> bool:
    """Return whether a META element is for another robot: all its words are directives."""
    if not ROBOTIC.search(name):
        return False
    words = (word for word, _value in entries(content, spaces=True))
    return next(words, "") in DIRECTIVES and all(word in DIRECTIVES for word in words)


def is_for(name: str, content: str, robot: RobotNames, dialect: PageDialect) -> bool:
    """Return whether a META element, by its name in lower case, is addressed to the robot."""
    for other, answers_to, directives in dialect.other_names:
        if name == other and robot.heeds(answers_to):
            return all(one in directives for one, _value in entries(content, spaces=True))
    for start, excepted in dialect.ignored_names:
        if name.startswith(start) and name not in excepted:
            return False
    return dialect.own_names and robot.heeds(name)


def stated(directive: str, text: str, source: Source, findings: Findings) -> list[Statement]:
    """Return the statement of one directive; none if it is unknown or malformed."""
    row = DIRECTIVES.get(directive)
    if row is None:
        report_unknown(directive, source, findings)
        return []
    value = value_of(row, text)
    if directive in VALUED and value is None:
        message = (
            f"{cut_message(text)!r} is not a value of {directive}, which therefore has no effect; "
            f"write {EXAMPLES[row.kind]}"
        )
        findings.add("malformed-value", message, source.line)
        return []
    if not (row.forbids or row.allows or directive in VALUED or directive == "indexifembedded"):
        message = f"{directive} has no effect. Its meaning: {row.meaning}"
        findings.add("without-effect", message, source.line)
    return [Statement(directive, value, source)]
