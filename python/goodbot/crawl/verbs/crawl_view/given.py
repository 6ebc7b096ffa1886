"""The settings that the arguments of `goodbot crawl` name, and early errors.

Scope: from arguments to settings, and errors in terms of the command line.
`goodbot.crawl.run.settings` decides how they are merged with the settings in a folder.
"""

import shlex
from dataclasses import field
from pathlib import Path

import goodbot
from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared.identity import EXAMPLE_CONTACT, EXAMPLE_URL, identity_in
from goodbot.cli.shared.options import SiteOptions, network_args
from goodbot.crawl.folder.database import NOT_BEGUN
from goodbot.crawl.folder.elsewhere import parts_elsewhere
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.run.permissions import Permissions, lacking
from goodbot.crawl.run.settings import CrawlSettings, GivenSettings
from goodbot.crawl.verbs.crawl_view.args import CrawlArgs
from goodbot.crawl.verbs.crawl_view.conversions import start_in
from goodbot.errors import NoCrawlError
from goodbot.lazy_dataclass import dataclass
from goodbot.robot.identity import Identity, name_of

__all__ = ["Former", "former_in", "given_by", "identity_for", "refuse_file", "refuse_lacking"]


@dataclass(frozen=True, slots=True)
class Former:
    """The crawl that is in the folder already."""

    settings: CrawlSettings | None = None
    """Its settings; `None` if there is no crawl."""
    rows: dict[str, str] = field(default_factory=dict)
    """All stored settings, including permissions."""


def given_by(args: CrawlArgs, former: Former) -> GivenSettings:
    """Return the settings that the arguments name.

    Raises:
        MisuseError: An argument cannot be used; the message says what to write.

    """
    start = tuple(start_in(url) for url in args.urls)
    before = None if former.settings is None else former.settings.config
    return GivenSettings(start=start, resume=args.goes_on, **args.settings(before))


def refuse_file(args: CrawlArgs) -> None:
    """Refuse a file where a folder is needed, before anything is created.

    Raises:
        MisuseError: The name of the folder is that of a file.

    """
    if Path(args.folder).exists() and not Path(args.folder).is_dir():
        message = f"{args.folder} is a file; name a folder"
        raise goodbot.MisuseError(message)


def former_in(args: CrawlArgs) -> Former:
    """Read the crawl that is in the folder already.

    Raises:
        NoCrawlError: There is none to continue.
        StoreError: Its file cannot be read, or its settings are damaged.

    """
    try:
        with open_readonly(args.folder) as database:
            former, path = Former(CrawlSettings.read(database), database.settings()), database.path
    except NoCrawlError:
        if args.goes_on:
            raise
        return Former()
    if args.goes_on and former.settings is None:
        # The crawl was killed before it stored its settings.
        raise NoCrawlError(NOT_BEGUN.format(path=path))
    return former


def identity_for(args: CrawlArgs, settings: CrawlSettings) -> Identity:
    """Return who crawls.

    Raises:
        MisuseError: The robot's name, its page or its contact is missing or cannot be used; the
            message has the command to run.

    """
    info_url, contact = settings.info_url, settings.contact
    if not settings.robot:
        named = [] if info_url else ["--info-url", EXAMPLE_URL]
        named += [] if contact else ["--contact", EXAMPLE_CONTACT]
        command = suggest("--robot", "ExampleBot/1.0", *named)
        message = f"a crawl needs the name of your robot; add it:\n  {command}"
        raise goodbot.MisuseError(message)
    name_of(settings.robot)
    terms = SiteOptions(
        info_url, contact, None, args.allow_private, args.timeout, args.allow_network
    )
    return identity_in(settings.robot, terms)


def refuse_lacking(args: CrawlArgs, former: Former) -> None:
    """Refuse to continue a crawl without the permissions and the store that it had before.

    Raises:
        MisuseError: One of them is missing; the message has the command to run.

    """
    elsewhere = parts_elsewhere(former.rows)
    if "store" in elsewhere and args.store is None:
        message = (
            f"the crawl in {args.folder} shares the store {elsewhere['store']}, whose pace it must "
            f"keep; add it:\n  {suggest('--store', elsewhere['store'])}"
        )
        raise goodbot.MisuseError(message)
    now = Permissions(args.allow_private, args.allow_network)
    private, networks = lacking(former.rows, now)
    if not private and not networks:
        return
    added = network_args(private=private, networks=networks)
    message = (
        f"the crawl in {args.folder} was started with {shlex.join(added)}. For safety, this is "
        f"not read from the folder; if it is still right, add it:\n  {suggest(*added)}"
    )
    raise goodbot.MisuseError(message)
