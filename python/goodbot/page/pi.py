"""The robots processing instruction of XML: four legal forms, and only they.

Source: A Robots Processing Instruction for XML Documents, W. Underwood, draft of 2 December 1999.
"""

import re
from dataclasses import dataclass

from goodbot.page.finding_codes import Findings

__all__ = ["PI_IN_HTML", "Instructions", "read_robots_pi", "syntax_error"]

PI_IN_HTML = "?robots"
"""What a processing instruction is in HTML: a comment that begins so."""

LONGEST = 200
"""A legal form has some 25 characters and white space."""

SHOWN = 60
"""Characters of an instruction that a finding quotes."""

SPACE = " \t\r\n"
"""The white space of XML (XML 1.0, production 3)."""

LEGAL = re.compile(r'index="(yes|no)"[ \t\r\n]+follow="(yes|no)"')


def read_robots_pi(data: str, *, lenient: bool = True) -> tuple[bool, bool] | None:
    """Read what stands behind `<?robots` and white space.

    Args:
        data: The data of the instruction.
        lenient: Whether white space may stand before `?>`. The grammar has none there; the text
            speaks of four legal forms, "ignoring differences in white space".

    Returns:
        Whether to index, whether to follow; `None` if the form is illegal.

    >>> read_robots_pi('index="no" follow="yes"')
    (False, True)
    >>> read_robots_pi("index='no' follow='yes'") is None
    True
    >>> spaced = 'index="no" follow="yes" '
    >>> read_robots_pi(spaced), read_robots_pi(spaced, lenient=False)
    ((False, True), None)
    """
    found = LEGAL.fullmatch(data.rstrip(SPACE) if lenient else data)
    return None if found is None else (found[1] == "yes", found[2] == "yes")


@dataclass(slots=True)
class Instructions:
    """The robots processing instructions of one document: the first legal one holds.

    >>> instructions = Instructions("https://example.com/", Findings())
    >>> instructions.add('index="none"', 1), instructions.add('index="no" follow="yes"', 2)
    (False, True)
    >>> instructions.stated, [finding.code for finding in instructions.findings.list]
    ((False, True), ['illegal-robots-pi'])

    Source: A Robots Processing Instruction for XML Documents, Syntax.
    """

    url: str
    """The URL of the document, for messages; empty if it is not known."""
    findings: Findings
    """Where it is reported what is wrong with an instruction."""
    lenient: bool = True
    """As `read_robots_pi` has it."""
    stated: tuple[bool, bool] | None = None
    """Whether to index, whether to follow; `None` while no legal instruction was read."""

    def add(self, data: str, line: int) -> bool:
        """Read an instruction, and report what is wrong with it.

        Returns:
            Whether it is the first legal one.

        """
        if self.findings.are_full and (self.stated or not LEGAL.match(data)):
            return False  # of a million no more is reported
        shown = f"<?robots {data[:SHOWN]}?>"
        if self.stated is not None:
            message = f"{shown} has no effect: a legal robots PI stands before it"
            self.findings.add("repeated-robots-pi", message, line)
            return False
        self.stated = read_robots_pi(data, lenient=self.lenient)
        if self.stated is None:
            where = f"{self.url}: " if self.url else ""
            message = f"{where}{shown}: {syntax_error(data)}"
            self.findings.add("illegal-robots-pi", message, line)
            return False
        if data.endswith(tuple(SPACE)):
            message = f"{shown} has white space before ?>, which the grammar lacks; it is heeded"
            self.findings.add("spaced-robots-pi", message, line)
        return True


def syntax_error(data: str) -> str:
    """Say what is wrong with an illegal form, by its beginning."""
    data = data[:LONGEST]
    names = re.findall(r"([\w.:-]+)\s*=", data)
    faults = (
        ("'" in data, "the values must stand in double quotes"),
        (names == ["follow", "index"], "index must stand before follow"),
        (set(names) < {"index", "follow"}, "both index and follow must be present"),
        (
            names != ["index", "follow"],
            "there are index and follow, once each, in lower case, and nothing else",
        ),
        (re.search(r"\s=|=\s", data), "no white space may stand beside ="),
        (not re.search(r'"\s+follow', data), "white space must stand between the two"),
        (LEGAL.fullmatch(data.rstrip()), "no white space may stand before ?>"),
    )
    return next((what for fault, what in faults if fault), 'the values are "yes" and "no"')
