"""The exit status: the answer for whoever reads no text."""

import enum

__all__ = ["ExitStatus"]


class ExitStatus(enum.IntEnum):
    """What the program leaves with.

    The first three are those of google/robotstxt's own command; the last two are what shells know.
    """

    ALLOWED = 0
    """Every URL is allowed; for the other verbs: what was asked for is printed."""

    DISALLOWED = 1
    """Some URL is disallowed; `search`: nothing is found, as grep says it."""

    MISUSE = 2
    """There is no answer: a wrong argument, an unreadable file, an output that takes no more."""

    INTERRUPTED = 130
    """Ctrl-C, 128 + SIGINT; a crawl that SIGTERM or SIGHUP ended leaves with it, too."""

    PIPE_CLOSED = 141
    """The reader of the output went away: 128 + SIGPIPE. It is no answer, so it is not 0 or 1."""
