"""How the sites of a crawl are shared out over its processes, each with a part of the folder.

Scope: deciding whose a site is, and the names of the parts. There is no clock, socket or disk.
"""

import json
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path

from goodbot.errors import NotAStoreError, WrongValueError
from goodbot.lazy_dataclass import dataclass

__all__ = [
    "MOST_PARTS",
    "PART_NAME",
    "SHARES",
    "Shares",
    "first_number",
    "part_folder",
    "part_name",
    "part_of_number",
    "site_of",
]

MOST_PARTS = 8
"""The most processes of one crawl. Readers attach all parts to one connection, which SQLite limits
to ten (https://www.sqlite.org/limits.html, section 11)."""

PART_NAME = re.compile(r"part-[1-9][0-9]?")
"""The folder of one process in the folder of the crawl."""

SHARES = "shares"
"""The setting of a crawl in several processes that says how its sites are shared out."""

FIRST_NUMBER = 40
"""The URLs of part n have the numbers from n times 2 to the power of this on, so that no number
stands for URLs of two parts."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Which process has which site.

    The sites at which the crawl starts are dealt out in turn, so that each process has as many; all
    others follow a hash. The same site has the same process for the whole life of the crawl.

    >>> shares = Shares.of(2, ["https://a.example", "https://www.b.example"])
    >>> shares.owner("https://a.example"), shares.owner("http://b.example")
    (0, 1)
    >>> Shares.from_json(shares.as_json()) == shares
    True
    """

    count: int
    """The number of processes."""
    dealt: Mapping[str, int] = field(default_factory=dict)
    """The process of each site that was dealt out, by `site_of`; processes count from 0."""

    @classmethod
    def of(cls, count: int, origins: Iterable[str] = ()) -> "Shares":
        """Deal out the first sites of a new crawl.

        Raises:
            WrongValueError: There are too few or too many processes.

        """
        if not 1 < count <= MOST_PARTS:
            cure = (
                f"SQLite attaches at most {MOST_PARTS} parts of a crawl to read them as one"
                if count > 1
                else "for one process use Crawl, and omit the number"
            )
            message = f"{{processes}} must be 2 to {MOST_PARTS}, not {count}; {cure}"
            raise WrongValueError(message, {"processes": "processes"})
        sites = dict.fromkeys(site_of(origin) for origin in origins)
        return cls(count, {site: number % count for number, site in enumerate(sites)})

    def owner(self, origin: str) -> int:
        """Return the number of the process that visits an origin."""
        site = site_of(origin)
        known = self.dealt.get(site)
        # The same in every process and on every machine, unlike `hash`.
        return zlib.crc32(site.encode("utf-8", "replace")) % self.count if known is None else known

    def as_json(self) -> str:
        """Return the form that is stored in the folder."""
        return json.dumps({"count": self.count, "dealt": dict(self.dealt)})

    @classmethod
    def from_json(cls, text: str) -> "Shares":
        """Read the form that is stored in the folder.

        Raises:
            NotAStoreError: It is damaged.

        """
        try:
            plain = json.loads(text)
            shares = cls.of(plain["count"])
            dealt = {
                str(site): int(number) % shares.count for site, number in plain["dealt"].items()
            }
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            message = (
                f"the crawl does not say how its sites are shared out ({str(error)[:80]}); restore "
                "its folder from a backup, or crawl into a new folder"
            )
            raise NotAStoreError(message) from error
        return cls(shares.count, dealt)


def site_of(origin: str) -> str:
    """Return what origins of one site have in common, so that one process has all of them.

    Most redirects lead from http to https or to `www.`; these need not be handed over.

    >>> site_of("http://www.a.example"), site_of("https://a.example:8443")
    ('a.example', 'a.example:8443')
    """
    return origin.partition("://")[2].removeprefix("www.")


def part_name(number: int) -> str:
    """Return the name of a part's folder.

    >>> part_name(0)
    'part-1'
    """
    return f"part-{number + 1}"


def part_folder(folder: Path, number: int) -> Path:
    """Return the folder of a part."""
    return folder / part_name(number)


def first_number(part: int) -> int:
    """Return the number that the first URL of a part gets.

    >>> first_number(0), first_number(1)
    (1, 1099511627777)
    """
    return (part << FIRST_NUMBER) + 1


def part_of_number(number: int) -> int:
    """Return the part whose URL has a number.

    >>> part_of_number(first_number(2) + 17)
    2
    """
    return number >> FIRST_NUMBER
