"""Scripts that lead to another page: where, and whether they do so by themselves.

Scope: recognising the common forms of an assignment to `location`. Nothing is run, and a script
that makes up the address is not recognised.
"""

import re
from itertools import islice

__all__ = ["addresses_in", "leads_elsewhere", "redirect_in"]

DOT = r"[ \t]*\.[ \t]*"
OWNER = rf"(?<![\w$.])(?:(?:window|document|self|top|parent|globalThis){DOT})*"
GO = (
    rf"{OWNER}location[ \t]*(?:\.[ \t]*href[ \t]*)?"
    rf"(?:=(?![=>])|\.[ \t]*(?:assign|replace)[ \t]*\()"
)
PRESSED = re.compile(rf"{GO}|(?<![\w$.])(?:window|self|top|parent){DOT}open[ \t]*\(")
"""What leads to another page when an element is pressed (HTML 7.2.4, 7.2.2.1)."""

ADDRESS = re.compile(r"""(?P<quote>['"`])(?P<url>(?:https?:/)?/[^'"`\\\s]*)(?P=quote)""")
"""A text that is an absolute URL, or one that begins with a slash."""

MOST_ADDRESSES = 10
"""The most addresses of a script that are considered."""

TOKEN = re.compile(
    rf"""(?P<go>{GO})[ \t]*(?P<quote>['"`])(?P<url>[^'"`\\\s]*)(?P=quote)"""
    r"""|//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?|<!--|-->"""
    r"""|'(?:\\.|[^'\\\n])*'?|"(?:\\.|[^"\\\n])*"?|`(?:\\.|[^`\\])*`?"""
    r"""|(?P<open>\{)|(?P<close>\})|(?P<end>[;\n])""",
    re.DOTALL,
)
AT_ONCE = re.compile(
    r"(?:setTimeout[ \t]*\(|onload[ \t]*=|^|[;(!])[ \t]*"
    r"(?:function(?:[ \t]+\w{1,40})?[ \t]*\([ \t]*\)|\([ \t]*\)[ \t]*=>)[ \t]*$"
)
"""What stands before the block of a function that runs by itself: at once, or after a time."""
LOOKS_BACK = 80
"""How many characters before a block are considered."""


def leads_elsewhere(script: str) -> bool:
    """Return whether a script that runs when an element is pressed leads to another page.

    >>> leads_elsewhere("window.location.href = '/cart'"), leads_elsewhere("relocation = 1")
    (True, False)
    """
    return PRESSED.search(script) is not None


def addresses_in(script: str) -> list[str]:
    """Return the first texts in a script that are addresses by their form, as in calls.

    >>> addresses_in("goto('https://example.com/a', 'new'); show('/b')")
    ['https://example.com/a', '/b']
    """
    return [found["url"] for found in islice(ADDRESS.finditer(script), MOST_ADDRESSES)]


def redirect_in(script: str) -> str | None:
    """Return the address to which a script redirects by itself; `None` if it does not.

    A statement counts that begins a line or follows another one, and that no condition guards: at
    the top of the script, or in a function that is run at once, when the page has been loaded, or
    after a time.

    Args:
        script: The script, which may be cut at its end.

    >>> redirect_in('setTimeout(function () { location.replace("/new") }, 3000)')
    '/new'
    >>> redirect_in("if (top != self) top.location = '/new'") is None
    True
    """
    begins, guarded = 0, list[bool]()
    for found in TOKEN.finditer(script):
        if found["go"] is not None:
            if not any(guarded) and not script[begins : found.start()].strip():
                return found["url"] or None
        elif found["open"] is not None:
            before = script[max(0, found.start() - LOOKS_BACK, begins) : found.start()]
            guarded.append(AT_ONCE.search(before) is None)
            begins = found.end()
        elif found["close"] is not None:
            if guarded:
                guarded.pop()
            begins = found.end()
        elif found["end"] is not None or found[0][:2] in {"//", "/*", "<!", "--"}:
            begins = found.end()
    return None
