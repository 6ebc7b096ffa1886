"""The robots processing instruction of XML: four legal forms, and only they.

Source: A Robots Processing Instruction for XML Documents, W. Underwood, draft of 2 December 1999.
"""

import re

__all__ = ["PI_IN_HTML", "read_robots_pi", "syntax_error"]

PI_IN_HTML = "?robots"
"""What a processing instruction is in HTML: a comment that begins so."""

LONGEST = 200
"""A legal form has some 25 characters and white space."""

LEGAL = re.compile(r'index="(yes|no)"[ \t\r\n]+follow="(yes|no)"')


def read_robots_pi(data: str, *, lenient: bool = False) -> tuple[bool, bool] | None:
    """Read what stands behind `<?robots` and white space.

    Args:
        data: The data of the instruction.
        lenient: Whether white space may stand before `?>`, which the grammar does not have and the
            text does not tell from other white space.

    Returns:
        Whether to index, whether to follow; `None` if the form is illegal.

    >>> read_robots_pi('index="no" follow="yes"')
    (False, True)
    >>> read_robots_pi("index='no' follow='yes'") is None
    True
    >>> spaced = 'index="no" follow="yes" '
    >>> read_robots_pi(spaced), read_robots_pi(spaced, lenient=True)
    (None, (False, True))
    """
    found = LEGAL.fullmatch(data.rstrip(" \t\r\n") if lenient else data)
    return None if found is None else (found[1] == "yes", found[2] == "yes")


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
