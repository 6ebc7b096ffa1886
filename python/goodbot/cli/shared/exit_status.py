"""The exit statuses: the result of a command, for scripts."""

import enum

__all__ = ["ExitStatus"]


class ExitStatus(enum.IntEnum):
    """The exit status of the program.

    0, 1 and 2 are also those of the command of google/robotstxt; 130 and 141 are a convention of
    shells.
    """

    ALLOWED = 0
    """Every URL is allowed. For other commands: they did what they were run for."""

    DISALLOWED = 1
    """A URL is disallowed. For `search`: nothing was found, as with grep. For `diff`:
    the files differ. For `audit`: what --fail-on names was found."""

    MISUSE = 2
    """There is no result: a wrong argument, an unreadable file, an unreachable site, or a failure
    to write. If only some URLs have no result, this comes before 1."""

    INCOMPLETE = 3
    """With `--strict` of `crawl` and `watch`: the crawl ended, but some URLs could not be fetched.
    For `bots update`: some lists could not be fetched."""

    INTERRUPTED = 130
    """Ctrl-C: 128 + SIGINT. Also of a crawl that SIGTERM or SIGHUP ended."""

    PIPE_CLOSED = 141
    """The reader of the output went away: 128 + SIGPIPE. It is not a result, so not 0 or 1."""
