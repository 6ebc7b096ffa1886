"""Warnings that an answer may be wrong: on standard error, or with `--strict` a refusal.

A failed fetch is never permission: an empty pipe, an error page or a compressed body would each be
read as a robots.txt that allows everything (RFC 9309 section 2.2 reads any octets).
"""

import sys
from collections.abc import Iterable, Iterator

import goodbot
from goodbot.cli.advice.known_robots import dialect_note
from goodbot.cli.shared.input_files import STANDARD_INPUT
from goodbot.cli.shared.printing import Printer, printable

__all__ = ["CheckedUrls", "of_dialect", "of_file", "of_name"]

NO_ROBOTS_TXT = {
    "looks-compressed",
    "looks-like-utf-16",
    "looks-like-html",
    "looks-like-address",
    "no-known-field",
}
"""Findings that say that the file is evidently no robots.txt."""

LISTED = 5
"""How many arguments that are no URL are named, and how many sites."""


def warn(message: str) -> None:
    """Warn on standard error, where no answer goes."""
    if sys.stderr is not None:
        Printer(sys.stderr).warning(message)


def warn_or_refuse(message: str, *, strict: bool) -> None:
    """Warn, or with `--strict` refuse.

    Raises:
        MisuseError: `strict`.

    """
    if strict:
        raise goodbot.MisuseError(message)
    warn(message)


def of_file(file: goodbot.RobotsTxt, source: str, *, strict: bool) -> None:
    """Warn of a file that is likely not what the site meant to say.

    Raises:
        MisuseError: Standard input is empty, or the file is evidently no robots.txt and `strict`.

    """
    if not file.content and source == STANDARD_INPUT:
        message = (
            "standard input is empty, as after a fetch that failed, and a failed fetch is no "
            "permission; a robots.txt that is really empty can be given as a file"
        )
        raise goodbot.MisuseError(message)
    if not file.content:
        warn("the robots.txt file is empty, which allows everything; was it fetched without error?")
    for finding in file.findings:
        if finding.code in NO_ROBOTS_TXT:
            warn_or_refuse(finding.message, strict=strict)
        elif finding.code == "too-large":
            warn(finding.message)


def of_name(asked: Iterable[goodbot.Rules]) -> None:
    """Warn of a name that some dialect can never match."""
    for rules in asked:
        for finding in rules.findings:
            warn(finding.message)


def of_dialect(robot: str, dialect: str) -> None:
    """Name the dialect that was used if the robot's operator is known to use another one."""
    note = dialect_note(robot, dialect)
    if note and sys.stderr is not None:
        Printer(sys.stderr).note(note)


class CheckedUrls:
    """URLs on their way to be answered."""

    def __init__(self, urls: Iterator[bytes], *, strict: bool) -> None:
        """Warn of what is no URL, or with `strict` refuse it."""
        self.urls = urls
        self.strict = strict
        self.count = 0
        self.odd = 0
        self.origins: set[str] = set()

    def __iter__(self) -> Iterator[bytes]:
        """Pass the URLs on, and say at the end what was odd about them all.

        Raises:
            MisuseError: There is no URL (to leave with "all are allowed" would be a trap), or one
                that is none and `strict`.

        """
        for url in self.urls:
            self.count += 1
            self.look(url)
            yield url
        if not self.count:
            message = "there is no URL in the input; give one a line"
            raise goodbot.MisuseError(message)
        if self.odd > LISTED:
            warn(f"{self.odd - LISTED} more words are no URLs")
        if len(self.origins) > 1:
            named = ", ".join(sorted(self.origins)[:LISTED])
            more = " and more" if len(self.origins) > LISTED else ""
            warn(f"a robots.txt speaks for one site; these URLs are of {named}{more}")

    def look(self, url: bytes) -> None:
        """Look at one URL: a path speaks for itself, others have an origin."""
        if url.startswith(b"/") and not url.startswith(b"//"):
            return
        try:
            origin = goodbot.origin(url)
        except goodbot.NoOriginError as error:
            self.odd += 1
            if self.odd <= LISTED or self.strict:
                told = str(error) if printable(url) in str(error) else f"{printable(url)}: {error}"
                then = (
                    "only its path is compared with the rules"
                    if url.startswith(b"//") or b"://" in url
                    else "most dialects forbid it, because the page it names is unknown"
                )
                warn_or_refuse(f"{told}; {then}", strict=self.strict)
            return
        # One over is enough to tell that there are more.
        if len(self.origins) <= LISTED:
            self.origins.add(origin)
