"""The two files that `goodbot diff` compares.

Scope: from an argument to a robots.txt; what has no robots.txt allows everything (RFC 9309 section
2.3.1.3), and what could not be read has no answer.
"""

import hashlib

import goodbot
from goodbot.cli.shared import warnings
from goodbot.cli.shared.options import SiteOptions
from goodbot.cli.shared.sources.robots_source import read_robots_txt
from goodbot.files.file_input import STANDARD_INPUT
from goodbot.lazy_dataclass import dataclass
from goodbot.site.sources import GIT, STORE, read_source

__all__ = ["Side", "read_sides"]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two files."""

    source: str
    """The argument."""
    file: goodbot.RobotsTxt
    """The file; an empty one if there is none."""

    @property
    def sha256(self) -> str:
        """The SHA-256 of the file, in hexadecimal."""
        return hashlib.sha256(self.file.content).hexdigest()


def read_sides(
    old: str, new: str, dialect: str, site_options: SiteOptions, *, is_gate: bool = False
) -> tuple[Side, Side]:
    """Read both files.

    Args:
        old: The argument that names the first file.
        new: The argument that names the second one.
        dialect: The dialect to read them in.
        site_options: How a site is visited.
        is_gate: Whether the exit status decides on a change. Then a revision without the first file
            is refused: with a mistyped path, no change would ever be laxer.

    Raises:
        GoodbotError: A site has given no answer.
        MisuseError: An argument names nothing, or both are the same input; or a file is clearly not
            a robots.txt, such as a page of HTML.
        OSError: A file cannot be read.

    """
    if old == new == STANDARD_INPUT:
        message = "standard input can be only one of the two files; name the other one"
        raise goodbot.MisuseError(message)
    if is_gate and old.startswith(GIT) and is_missing(old):
        message = (
            f"{old} does not exist, and with --fail-on the first file must; check the path, or "
            "compare with an empty file"
        )
        raise goodbot.MisuseError(message)
    before, after = (Side(one, read_side(one, dialect, site_options)) for one in (old, new))
    return before, after


def is_missing(source: str) -> bool:
    """Return whether a revision lacks the file that an argument names."""
    return read_source(source) is None


def read_side(source: str, dialect: str, site_options: SiteOptions) -> goodbot.RobotsTxt:
    """Read one file."""
    if not source.startswith((GIT, STORE)):
        # A stored copy may be older than the site's; those are named with store:.
        return read_robots_txt(source, dialect, site_options._replace(store=None), strict=True)
    content = read_source(source, store=site_options.store)
    if content is None:
        warnings.warn(f"{source} has no robots.txt, so everything is allowed there")
    file = goodbot.RobotsTxt(content or b"", dialect=dialect)
    if content is not None:
        warnings.of_file(file, source, strict=True)
    return file
