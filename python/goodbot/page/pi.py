"""The robots processing instruction of XML, which has exactly four legal forms.

Source: A Robots Processing Instruction for XML Documents, W. Underwood, draft of 2 December 1999.
"""

import re
from dataclasses import dataclass

from goodbot.page.finding_codes import Findings

__all__ = ["PI_IN_HTML", "Instructions", "read_robots_pi", "syntax_error"]

PI_IN_HTML = "?robots"
"""How the comment begins as which HTML reads a processing instruction."""

LONGEST = 200
"""How much of an instruction is checked; a legal form has some 25 characters and white space."""

SHOWN = 60
"""How many characters of an instruction a finding quotes."""

SPACE = " \t\r\n"
"""The white space of XML (XML 1.0, production 3)."""

LEGAL = re.compile(r'index="(yes|no)"[ \t\r\n]+follow="(yes|no)"')


def read_robots_pi(data: str, *, lenient: bool = True) -> tuple[bool, bool] | None:
    """Parse the data of the instruction: the text after `<?robots` and white space.

    Args:
        data: The data of the instruction.
        lenient: Whether to accept white space before `?>`. The grammar does not allow it, but the
            text names four legal forms, "ignoring differences in white space".

    Returns:
        Whether to index and whether to follow; `None` if the form is not legal.

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
    """The list to which findings are added."""
    lenient: bool = True
    """Whether to accept white space before `?>`, as in `read_robots_pi`."""
    stated: tuple[bool, bool] | None = None
    """Whether to index and whether to follow; `None` until a legal instruction was read."""

    def add(self, data: str, line: int) -> bool:
        """Read an instruction, and report what is odd about it.

        Returns:
            Whether it is the first legal one.

        """
        if self.findings.are_full and (self.stated or not LEGAL.match(data)):
            return False  # saves the checks when there are a million of them
        shown = f"<?robots {data[:SHOWN]}?>"
        if self.stated is not None:
            message = f"{shown} has no effect, because a legal one comes before it; remove one"
            self.findings.add("repeated-robots-pi", message, line)
            return False
        self.stated = read_robots_pi(data, lenient=self.lenient)
        if self.stated is None:
            where = f"{self.url}: " if self.url else ""
            message = f"{where}{shown}: {syntax_error(data)}"
            self.findings.add("illegal-robots-pi", message, line)
            return False
        if data.endswith(tuple(SPACE)):
            message = (
                f"{shown} has white space before ?>, which its grammar does not allow; it is "
                "obeyed here, but other robots may ignore it"
            )
            self.findings.add("spaced-robots-pi", message, line)
        return True


def syntax_error(data: str) -> str:
    """Return what is wrong with an instruction that is not legal, and so how to correct it."""
    data = data[:LONGEST]
    names = re.findall(r"([\w.:-]+)\s*=", data)
    faults = (
        ("'" in data, "the values must be in double quotes"),
        (names == ["follow", "index"], "index must come before follow"),
        (set(names) < {"index", "follow"}, "both index and follow must be present"),
        (
            names != ["index", "follow"],
            "it must have index and follow, once each, in lower case, and nothing else",
        ),
        (re.search(r"\s=|=\s", data), "there must be no white space around ="),
        (not re.search(r'"\s+follow', data), "there must be white space before follow"),
        (LEGAL.fullmatch(data.rstrip()), "there must be no white space before ?>"),
    )
    return next((what for fault, what in faults if fault), 'the values must be "yes" or "no"')
