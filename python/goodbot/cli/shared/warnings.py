"""Warnings that a result may be wrong: on standard error, or as an error with `--strict`.

A failed request is never a permission. An empty pipe, an error page and a compressed body would
each be read as a robots.txt that allows everything: RFC 9309 section 2.2 accepts any content.
"""

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import goodbot
from goodbot.cli.advice.known_robots import dialect_note
from goodbot.cli.shared.printing import Printer, printable
from goodbot.files.file_input import STANDARD_INPUT

if TYPE_CHECKING:
    from goodbot.bots import ObeyedRules

__all__ = ["CheckedUrls", "of_dialect", "of_file", "of_name"]

NO_ROBOTS_TXT = {
    "looks-compressed",
    "looks-like-utf-16",
    "looks-like-html",
    "looks-like-address",
    "no-known-field",
}
"""Findings of a file that is clearly not a robots.txt."""

LISTED = 5
"""How many arguments that are not URLs are named, and how many sites."""


def warn(message: str) -> None:
    """Print a warning on standard error, apart from the results."""
    if sys.stderr is not None:
        Printer(sys.stderr).warning(message)


def note(message: str) -> None:
    """Print a note on standard error, apart from the results."""
    if sys.stderr is not None:
        Printer(sys.stderr).note(message)


def warn_or_refuse(message: str, *, strict: bool) -> None:
    """Print a warning, or raise an error with `--strict`.

    Raises:
        MisuseError: `strict`.

    """
    if strict:
        raise goodbot.MisuseError(message)
    warn(message)


def of_file(file: goodbot.RobotsTxt, source: str, *, strict: bool) -> None:
    """Warn about a file that is probably not the robots.txt of the site.

    Raises:
        MisuseError: Standard input is empty, or the file is clearly not a robots.txt and `strict`.

    """
    if not file.content and source == STANDARD_INPUT:
        message = (
            "standard input is empty. Did the download fail? A failed download does not mean "
            "that everything is allowed. If the robots.txt really is empty, save it to a file "
            "and name the file"
        )
        raise goodbot.MisuseError(message)
    if not file.content:
        warn("the robots.txt file is empty, so everything is allowed. Did the download succeed?")
    for finding in file.findings:
        if finding.code in NO_ROBOTS_TXT:
            warn_or_refuse(finding.message, strict=strict)
        elif finding.code == "too-large":
            warn(finding.message)


def of_name(several: Iterable["ObeyedRules"]) -> None:
    """Warn about a robot's name that a dialect can never match."""
    for family in several:
        for finding in [] if family.rules is None else family.rules.findings:
            warn(finding.message)


def of_dialect(robot: str, dialect: str) -> None:
    """Print which dialect was used if the robot's operator is known to use another one."""
    told = dialect_note(robot, dialect)
    if told:
        note(told)


class CheckedUrls:
    """URLs that are checked while they are read."""

    def __init__(self, urls: Iterator[bytes], *, strict: bool) -> None:
        """Begin without URLs; with `strict`, one that is not a URL is an error."""
        self.urls = urls
        self.strict = strict
        self.odd = 0
        self.origins: set[str] = set()

    def __iter__(self) -> Iterator[bytes]:
        """Yield the URLs, and at the end warn about what concerns all of them.

        Raises:
            MisuseError: One of them is not a URL, and `strict`.

        """
        for url in self.urls:
            self.inspect(url)
            yield url
        if self.odd > LISTED:
            rest = self.odd - LISTED
            warn(f"{rest:,} more arguments are not URLs" if rest > 1 else "1 more is not a URL")
        if len(self.origins) > 1:
            named = ", ".join(sorted(self.origins)[:LISTED])
            more = " and more" if len(self.origins) > LISTED else ""
            warn(f"a robots.txt applies to one site, and these URLs are on {named}{more}")

    def inspect(self, url: bytes) -> None:
        """Warn about one URL, or note its origin. A path has none."""
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
                    if has_authority(url)
                    else "most dialects disallow it, because it is unclear which page it means"
                )
                warn_or_refuse(f"{told}; {then}", strict=self.strict)
            return
        # One more than are named is enough to know that there are more.
        if len(self.origins) <= LISTED:
            self.origins.add(origin)


def has_authority(url: bytes) -> bool:
    """Return whether something stands where a URL has its host.

    >>> has_authority(b"http://[::1/a"), has_authority(b"http://"), has_authority(b"lamps")
    (True, False, False)
    """
    scheme, slashes, rest = url.partition(b"//")
    return bool(slashes) and (not scheme or scheme.endswith(b":")) and rest[:1] not in {b"", b"/"}
