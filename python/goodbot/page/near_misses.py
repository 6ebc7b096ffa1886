"""What is written nearly like a directive for robots, and is none: what it says to a careful robot.

Scope: findings on single entries of lists, and on names of header fields and META elements. No
verdict changes: the documents give none of these a meaning.
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from goodbot._core import not_known, usage_findings
from goodbot.page.directives import DIRECTIVES, VALUED
from goodbot.page.finding_codes import Findings
from goodbot.page.verdict import Source

__all__ = [
    "RIGHT",
    "ROBOTIC",
    "cut_message",
    "is_misspelt",
    "report_field_names",
    "report_meta_name",
    "report_unknown",
    "report_unknown_reservation",
    "report_usage_values",
]

ROBOTIC = re.compile(r"bot|spider|crawl|google|yandex|slurp|archiver")
"""Words that occur in names of robots."""
NAME = re.compile(r"[a-z][a-z0-9_-]*")
NEARNESS = 0.8
"""How alike two words are, from 0 to 1, when one is suggested for the other."""
PERMITTING = frozenset(
    name.removeprefix("no") for name in DIRECTIVES if name.startswith("no") and name != "none"
) - frozenset(DIRECTIVES)
"""What directives would be called that permit what `no...` forbids, such as `snippet`: sites write
them, no document defines them, and to leave them out means the same."""
SEPARATORS = re.compile(r"\s*[;|/&+.]\s*|\s+")
"""What stands between directives instead of a comma."""
FIELDS = {
    "xrobotstag": "X-Robots-Tag",
    "xrobottag": "X-Robots-Tag",
    "xrobotstags": "X-Robots-Tag",
    "xrobottags": "X-Robots-Tag",
    "xrobots": "X-Robots-Tag",
    "xrobot": "X-Robots-Tag",
    "xrobotsteg": "X-Robots-Tag",
    "robotstag": "X-Robots-Tag",
    "robottag": "X-Robots-Tag",
    "robotstags": "X-Robots-Tag",
    "robots": "X-Robots-Tag",
    "contentusage": "Content-Usage",
    "contentusages": "Content-Usage",
    "xcontentusage": "Content-Usage",
    "contentsignal": "Content-Signal",
    "contentsignals": "Content-Signal",
    "xcontentsignal": "Content-Signal",
    "tdmreservation": "tdm-reservation",
    "tdmreservations": "tdm-reservation",
    "tdmreserve": "tdm-reservation",
}
"""The letters of names that are nearly those of header fields for robots, and the field meant."""
RIGHT = frozenset(
    {"x-robots-tag", "robots-tag", "content-usage", "content-signal", "tdm-reservation"}
)
"""The header fields that are read."""
RESERVATIONS = frozenset({"tdm-reservation", "tdm-policy"})
"""The names that TDMRep defines, of header fields and META elements."""
METAS = frozenset({"robot", "robots-tag", "x-robots-tag", "x-robots", "meta-robots", "robots-meta"})
"""Names of META elements that are nearly `robots`."""
MOST_EXAMINED = 256
"""How many characters of an entry are examined."""


def report_unknown(directive: str, source: Source, findings: Findings) -> None:
    """Report why an entry of a list is not understood.

    Args:
        directive: The entry, in lower case.
        source: Where it is.
        findings: Where the finding is added.

    """
    if findings.are_full or not directive:
        return
    shown = cut_message(directive)
    words = [one for one in SEPARATORS.split(directive[:MOST_EXAMINED]) if one]
    if len(words) > 1 and all(is_directive(word) for word in words):
        code = "space-separated" if not re.search(r"[;|/&+.]", directive) else "wrong-separator"
        how = "separated by spaces" if code == "space-separated" else "not separated by commas"
        message = (
            f"{shown!r} is {how} and has no effect; write commas: "
            f"{', '.join(words)}. A careful robot obeys each of them"
        )
        findings.add(code, message, source.line)
    elif (addressed := robot_before(directive)) is not None:
        name, said = addressed
        reading = (
            f"write '{name}: {', '.join(said)}'. A careful robot obeys {', '.join(said)}"
            if said
            else "write a directive such as noindex. Alone, the name says nothing"
        )
        message = (
            f"{shown!r} in {source.name} has the name of a robot where a directive belongs, and "
            f"has no effect; {reading}"
        )
        findings.add("robot-in-list", message, source.line)
    else:
        report_unlike(directive, shown, source, findings)


def report_unlike(directive: str, shown: str, source: Source, findings: Findings) -> None:
    """Report a word that is no directive, with the directive that it resembles.

    A word that permits is never taken for a directive that forbids.
    """
    message = f"{shown!r} in {source.name} is not a known directive"
    near = get_close_matches(plain_of(directive), [*DIRECTIVES, *PERMITTING], n=1, cutoff=NEARNESS)
    if not near:
        unknown = not_known(f"the directive {shown!r} in {source.name}")
        findings.add("unknown-directive", f"{unknown}; it has no effect", source.line)
    elif near[0] in PERMITTING:
        message += "; if it is to permit, leave it out: without a directive, robots may"
        findings.add("unknown-directive", message, source.line)
    else:
        findings.add("misspelt-directive", f"{message}; did you mean {near[0]}?", source.line)


def plain_of(directive: str) -> str:
    """Return the word of an entry without its value, blanks and hyphens, to compare spellings."""
    return re.split("[:;=]", directive[:60])[0].strip(" \"'").replace(" ", "").replace("-", "")


def report_misspelt_prefix(name: str, shown: str, findings: Findings) -> bool:
    """Report a name before a colon that resembles a directive with a value, and return if it does.

    Args:
        name: The name, in lower case.
        shown: The header field.
        findings: Where the finding is added.

    """
    near = get_close_matches(plain_of(name), VALUED, n=1, cutoff=NEARNESS)
    if not near or findings.are_full:
        return False
    message = (
        f"{cut_message(name)!r} in {shown} is not a known directive, so that what comes behind it "
        f"is addressed to a robot of this name; did you mean {near[0]}?"
    )
    findings.add("misspelt-directive", message)
    return True


def is_directive(word: str) -> bool:
    """Return whether a word is a directive, perhaps with a value."""
    return word in DIRECTIVES or word.partition(":")[0] in VALUED


def robot_before(directive: str) -> tuple[str, list[str]] | None:
    """Return the name of a robot that an entry begins with, and the directives behind it."""
    name, _, rest = re.sub(r"[=\s]+", " ", directive[:MOST_EXAMINED]).strip().partition(" ")
    if name in DIRECTIVES or not NAME.fullmatch(name) or not ROBOTIC.search(name):
        return None
    words = [one for one in re.split(r"[\s;|/&+]+", rest) if one]
    if not all(is_directive(word) for word in words):
        return None
    return name, words


def report_field_names(fields: Iterable[tuple[str, str]], findings: Findings) -> None:
    """Report header fields whose names are nearly those of fields for robots.

    Args:
        fields: The header fields, names in lower case.
        findings: Where the findings are added.

    """
    for name, value in fields:
        if is_misspelt(name) and not findings.are_full:
            meant = FIELDS[letters_of(name)]
            message = (
                f"the header field {name} is not read by robots; did you mean {meant}? "
                f"A careful robot obeys {cut_message(value.strip())!r}"
            )
            findings.add("misspelt-field", message)


def is_misspelt(name: str) -> bool:
    """Return whether the name of a header field is nearly that of a field for robots."""
    return name not in RIGHT and len(name) <= MOST_EXAMINED and letters_of(name) in FIELDS


def letters_of(name: str) -> str:
    """Return the letters and digits of a name in lower case."""
    return re.sub(r"[^a-z0-9]", "", name)


def report_meta_name(name: str, content: str, line: int, findings: Findings) -> bool:
    """Report a META element whose name is nearly `robots`; return whether it is one."""
    if not resembles_robots(name):
        return False
    message = (
        f"META {cut_message(name)} is not read by robots; did you mean META robots? "
        f"A careful robot obeys {cut_message(content.strip())!r}"
    )
    findings.add("misspelt-field", message, line)
    return True


def resembles_robots(name: str) -> bool:
    """Return whether the name of a META element, in lower case, is nearly `robots`."""
    return name.strip() in METAS


def report_usage_values(fields: Iterable[tuple[str, str]], findings: Findings) -> None:
    """Report what is odd about header fields that state uses: words that no document defines.

    Args:
        fields: The header fields, names in lower case.
        findings: Where the findings are added.

    """
    values: dict[str, list[str]] = {}
    for name, value in fields:
        if name.startswith("tdm-"):
            report_unknown_reservation(name, 0, findings)
        elif name in {"content-signal", "content-usage"}:
            values.setdefault(name, []).append(value)
    for name, lines in values.items():
        # Field lines are combined before they are parsed (RFC 9651 section 4.2).
        for one in usage_findings(name, ", ".join(lines)):
            findings.add(one.code, f"header {name}: {one.message}")


def report_unknown_reservation(name: str, line: int, findings: Findings) -> None:
    """Report a name that begins as those of TDMRep do and that it does not define."""
    lower = name.strip().lower()
    if lower in RESERVATIONS or FIELDS.get(letters_of(lower)) in RESERVATIONS:
        return
    kind = "META" if line else "the header field"
    unknown = not_known(f"{kind} {cut_message(lower)}")
    findings.add("unknown-reservation", f"{unknown}; it has no effect", line)


def cut_message(text: str) -> str:
    """Cut text of a site to 60 characters, for a message of one line."""
    return text if len(text) <= 60 else text[:60] + "..."  # noqa: PLR2004  see above
