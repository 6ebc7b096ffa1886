"""The settings of a crawl: the robot, its pace, the bounds and the dialects.

Scope: reading the settings from the folder of a crawl, writing them, and merging them with what a
caller passes now, by one rule for `Crawl` and `goodbot crawl`. Permissions (`permissions`) are not
settings, and are never read from a folder.
"""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import field, replace
from typing import Any, TypeVar

from goodbot._core import Dialect
from goodbot._core import dialect as robots_txt_dialect
from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.bounds import Bounds
from goodbot.crawl.frontier.reading import start_urls
from goodbot.crawl.frontier.traps import DEFAULT_TRAPS, trap_names
from goodbot.crawl.run.merging import either, merged_bounds, merged_count, merged_manners
from goodbot.errors import MisuseError, NotAStoreError
from goodbot.http.address import Address, address_of
from goodbot.http.argument_checks import list_of_str
from goodbot.lazy_dataclass import dataclass
from goodbot.pace import Manners
from goodbot.page import PageOptions
from goodbot.page.dialects import PageDialect, page_dialect
from goodbot.page.media_types import DOCUMENTS, type_names
from goodbot.robot.identity import Identity, identity_of, name_of

__all__ = ["RETRIES", "CrawlSettings", "GivenSettings", "settings_for"]

KEPT_MANNERS = (
    "floor",
    "factor",
    "default",
    "back_off_after",
    "back_off_first",
    "back_off_longest",
    "patience",
    "hours",
    "bytes_per_second",
    "adaptive",
    "groups",
    "group_pause",
)
"""The manners that are stored: all except the jitter, which is a function."""

DEFAULT_AS_JSON = json.dumps(sorted(DEFAULT_TRAPS))
DOCUMENTS_AS_JSON = json.dumps(DOCUMENTS)

RETRIES = 2
"""How often a URL that failed is tried again in one run, by default; Scrapy uses the same number.
Then it is given up for now."""

OWN = "own:"
"""The prefix to the name of a caller's own dialect, whose choices are not stored."""

Named = TypeVar("Named")


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenSettings:
    """The settings passed for one run; `None` means the stored value or else the default."""

    robot: str | None = None
    """The name of the robot, with or without its version."""
    info_url: str | None = None
    contact: str | None = None
    start: tuple[Address, ...] = ()
    """The origin and the URL of each page to start with."""
    config: str | None = None
    """What a config file says, in a form that can be compared; see `CrawlSettings.config`."""
    bounds: Bounds | Mapping[str, Any] | None = None
    """`Bounds` replace all of them; a mapping changes those that it names."""
    manners: Manners | Mapping[str, Any] | None = None
    """`Manners` replace all of them; a mapping changes those that it names."""
    sitemaps: bool | None = None
    types: Collection[str] | None = None
    traps: Collection[str] | None = None
    retries: int | None = None
    short_lived: bool | None = None
    dialect: str | Dialect | None = None
    page_dialect: str | PageDialect | None = None
    page_options: PageOptions | Mapping[str, Any] | None = None
    """`PageOptions` replace all of them; a mapping changes those that it names."""
    resume: bool = False
    """Whether to continue the crawl in the folder with the stored robot; `start` may then have new
    URLs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSettings:
    """The settings of a crawl.

    >>> before = CrawlSettings().merged(GivenSettings(bounds=Bounds(pages=9), sitemaps=False))
    >>> after = before.merged(GivenSettings(bounds={"depth": 2}))
    >>> after.bounds.pages, after.bounds.depth, after.sitemaps
    (9, 2, False)
    """

    robot: str = ""
    info_url: str = ""
    contact: str = ""
    start: frozenset[str] = frozenset()
    """The URLs with which all runs so far started, in their normal form."""
    config: str = ""
    """What the config file of the last run said. Values that it still says are not passed again,
    so that they do not replace what was set in another way."""
    bounds: Bounds = field(default_factory=Bounds)
    manners: Manners = field(default_factory=Manners)
    sitemaps: bool = True
    """Whether to visit the sitemaps that robots.txt names."""
    types: tuple[str, ...] = DOCUMENTS
    """The types of responses to read; see `goodbot.page.media_types`."""
    traps: frozenset[str] = DEFAULT_TRAPS
    """The traps whose links are skipped, slugs of `goodbot.crawl.frontier.traps.TRAPS`."""
    retries: int = RETRIES
    """How often a URL that failed is tried again in one run."""
    short_lived: bool = True
    """Whether pages that have expired when they come are indexed and kept."""
    dialect: str | Dialect = "rfc9309"
    """The dialect in which robots.txt is read."""
    page_dialect: str | PageDialect = "google"
    """The dialect in which pages are read."""
    page_options: PageOptions = field(default_factory=PageOptions)
    """Further options for reading pages."""

    @property
    def identity(self) -> Identity:
        """The identity of the robot.

        Raises:
            MisuseError: It is missing or invalid.

        """
        if not self.robot:
            message = (
                "the robot has no name: pass {robot}, {info_url} and {contact}, or {resume} to "
                "continue with the robot of the crawl in the folder"
            )
            named = {"robot": "name=", "info_url": "info_url=", "contact": "contact="}
            raise MisuseError(message, {**named, "resume": "resume=True"})
        return identity_of(self.robot, self.info_url, self.contact)

    # In the folder.

    @classmethod
    def read(cls, database: Database) -> "CrawlSettings | None":
        """Read the settings of the crawl in a folder; return `None` if there is none.

        Raises:
            NotAStoreError: The settings are damaged.

        """
        values = database.settings()
        if "bounds" not in values:
            return None
        try:
            texts = {name: values[name] for name in AS_TEXT if name in values}
            return cls(
                **{"robot": values["robot"], **texts},
                bounds=Bounds.from_dict(json.loads(values["bounds"])),
                manners=Manners(**json.loads(values.get("manners", "{}"))),
                sitemaps={"yes": True, "no": False}[values.get("sitemaps", "yes")],
                types=type_names(json.loads(values.get("types", DOCUMENTS_AS_JSON))),
                traps=trap_names(json.loads(values.get("traps", DEFAULT_AS_JSON))),
                retries=int(values.get("retries", RETRIES)),
                short_lived={"yes": True, "no": False}[values.get("short_lived", "yes")],
                page_options=PageOptions.from_dict(json.loads(values.get("page_options", "{}"))),
                start=start_in(values, database),
            )
        except (MisuseError, ValueError, TypeError, KeyError, AttributeError) as error:
            message = (
                f"the settings of the crawl in {database.folder} are damaged ({error}); restore it "
                "from a backup, or crawl again"
            )
            raise NotAStoreError(message) from error

    def write(self, database: Database) -> None:
        """Write the settings to the folder of the crawl.

        Raises:
            MisuseError: The robot has no identity.

        """
        database.write_settings(self.as_texts(self.identity.name, self.identity.product))

    def as_texts(self, name: str, product: str) -> dict[str, str]:
        """Return the settings as they are stored.

        Args:
            name: The name of the robot.
            product: Its product token.

        """
        manners = {name: getattr(self.manners, name) for name in KEPT_MANNERS}
        return {
            "robot": name,
            "product": product,
            "info_url": self.info_url,
            "contact": self.contact,
            "start": json.dumps(sorted(self.start)),
            "config": self.config,
            "bounds": json.dumps(self.bounds.as_dict()),
            "manners": json.dumps(manners),
            "sitemaps": "yes" if self.sitemaps else "no",
            "types": json.dumps(self.types),
            "traps": json.dumps(sorted(self.traps)),
            "retries": str(self.retries),
            "short_lived": "yes" if self.short_lived else "no",
            "dialect": kept_name(self.dialect, robots_txt_dialect),
            "page_dialect": kept_name(self.page_dialect, page_dialect),
            "page_options": json.dumps(self.page_options.as_dict()),
        }

    # Merging.

    def resumed(self, given: GivenSettings, folder: object) -> "CrawlSettings":
        """Return the settings of a run that continues the crawl in a folder.

        Args:
            given: The settings that the caller passed.
            folder: The folder, for messages.

        Raises:
            MisuseError: The folder belongs to another robot, or `start` has other URLs than before
                and `resume` is not set; see also `merged`.

        """
        if given.robot is not None and is_another(given.robot, self.robot):
            message = (
                f"the crawl in {folder} belongs to {self.robot}, not to {given.robot}; continue "
                f"as {self.robot}, or name another folder"
            )
            raise MisuseError(message)
        others = [url for _, url in given.start if address_of(url)[1] not in self.start]
        if others and self.start and not given.resume:
            message = (
                f"the crawl in {folder} started at {min(self.start)}, not at {others[0]}; to add "
                "it, resume the crawl ({resume}); for a new crawl, name another folder"
            )
            raise MisuseError(message, {"resume": "resume=True"})
        # Unless the caller resumes the crawl, the robot's identity must be passed again.
        before = self if given.resume else replace(self, robot="", info_url="", contact="")
        return before.merged(given)

    def merged(self, given: GivenSettings) -> "CrawlSettings":
        """Return these settings with those that a caller passed in their place.

        Raises:
            MisuseError: A setting is invalid, or the stored dialect is unknown.

        """
        return replace(
            self,
            robot=either(given.robot, self.robot),
            info_url=either(given.info_url, self.info_url),
            contact=either(given.contact, self.contact),
            start=self.start.union(address_of(url)[1] for _, url in given.start),
            config=either(given.config, self.config),
            bounds=merged_bounds(
                self.bounds,
                given.bounds,
                [origin for origin, _ in given.start],
                [address_of(url)[0] for url in self.start],
            ),
            manners=merged_manners(self.manners, given.manners),
            sitemaps=either(given.sitemaps, self.sitemaps),
            types=self.types if given.types is None else type_names(given.types),
            traps=self.traps if given.traps is None else trap_names(given.traps),
            retries=merged_count("retries", self.retries, given.retries),
            short_lived=either(given.short_lived, self.short_lived),
            dialect=merged_dialect("dialect", self.dialect, given.dialect, robots_txt_dialect),
            page_dialect=merged_dialect(
                "page_dialect", self.page_dialect, given.page_dialect, page_dialect
            ),
            page_options=self.page_options.merged(given.page_options),
        )


def settings_for(
    before: CrawlSettings | None, given: GivenSettings, folder: object
) -> CrawlSettings:
    """Return the settings of a run: those passed, and the stored ones for the rest.

    Args:
        before: The settings of the crawl in the folder; `None` for a new crawl.
        given: The settings that the caller passed.
        folder: The folder, for messages.

    Raises:
        MisuseError: A setting is invalid, or does not fit the crawl in the folder.

    """
    return CrawlSettings().merged(given) if before is None else before.resumed(given, folder)


AS_TEXT = ("robot", "info_url", "contact", "config", "dialect", "page_dialect")
"""The settings that are stored as plain text."""


def start_in(values: Mapping[str, str], database: Database) -> frozenset[str]:
    """Return the start URLs; a folder of an older version has them only in its queue."""
    if "start" not in values:
        stored = start_urls(database)
    else:
        stored = list(list_of_str("start", json.loads(values["start"])))
    return frozenset(address_of(url)[1] for url in stored)


def is_another(robot: str, before: str) -> bool:
    """Return whether two names belong to different robots, ignoring versions and case."""
    return name_of(robot)[0].casefold() != before.partition("/")[0].casefold()


def kept_name(dialect: Dialect | PageDialect | str, known: Callable[[str], object]) -> str:
    """Return the name of a dialect as it is stored."""
    if isinstance(dialect, str):
        return dialect
    try:
        is_own = known(dialect.name) != dialect
    except MisuseError:
        is_own = True
    return f"{OWN}{dialect.name}" if is_own else dialect.name


def merged_dialect(
    argument: str, before: Named, given: Named | None, known: Callable[[str], object]
) -> Named:
    """Return the dialect that was passed or, if there is none, the stored one.

    Raises:
        UnknownDialectError: There is no dialect of the name that was passed.
        MisuseError: The stored dialect is a caller's own, or unknown to this version of goodbot.

    """
    dialect = either(given, before)
    if not isinstance(dialect, str):
        return dialect
    try:
        known(dialect)
    except MisuseError as error:
        if given is not None:
            raise
        message = (
            f"this crawl was started with {argument} {dialect.removeprefix(OWN)!r}, which is not "
            f"built into goodbot; pass it again, or name another one ({{{argument}}})"
        )
        raise MisuseError(message, {argument: f"{argument}="}) from error
    return dialect
