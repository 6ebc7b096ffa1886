"""The robots processing instruction of XML: four legal forms, and only they.

Source: A Robots Processing Instruction for XML Documents, W. Underwood, draft of 2 December 1999.
"""

import re

__all__ = ["read_robots_pi", "syntax_error"]

LEGAL = re.compile(r'index="(yes|no)"[ \t\r\n]+follow="(yes|no)"')


def read_robots_pi(data: str, *, lenient: bool = False) -> tuple[bool, bool] | None:
    """Read what stands behind `<?robots` and white space.

    Args:
        data: The data of the instruction.
        lenient: Whether white space may stand before `?>`, which the grammar does not have and the text
            does not tell from other white space.

    Returns:
        Whether to index, whether to follow; `None` if the form is illegal.

    >>> read_robots_pi('index="no" follow="yes"')
    (False, True)
    >>> read_robots_pi("index='no' follow='yes'") is None
    True
    >>> read_robots_pi('index="no" follow="yes" '), read_robots_pi('index="no" follow="yes" ', lenient=True)
    (None, (False, True))
    """
    found = LEGAL.fullmatch(data.rstrip(" \t\r\n") if lenient else data)
    return None if found is None else (found[1] == "yes", found[2] == "yes")


def syntax_error(data: str) -> str:
    """Say what is wrong with an illegal form."""
    names = re.findall(r"([\w.:-]+)\s*=", data)
    if "'" in data:
        return "the values must stand in double quotes"
    if sorted(names) == ["follow", "index"] and names[0] == "follow":
        return "index must stand before follow"
    if set(names) < {"index", "follow"}:
        return "both index and follow must be present"
    if set(names) - {"index", "follow"} or len(names) > 2:  # noqa: PLR2004  there are two
        return "there are index and follow, once each, in lower case, and nothing else"
    if re.search(r"\s=|=\s", data):
        return "no white space may stand beside ="
    if re.search(r'"[^"]*"[^\s]', data) and not re.search(r'"\s+follow', data):
        return "white space must stand between the two"
    if LEGAL.fullmatch(data.rstrip()):
        return "no white space may stand before ?>"
    return 'the values are "yes" and "no"'
