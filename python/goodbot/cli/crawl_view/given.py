"""The settings that the arguments of `goodbot crawl` name, and early errors.

Scope: from arguments to settings, and errors in terms of the command line.
`goodbot.crawl.run.settings` decides how they are merged with the settings in a folder.
"""

import os
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import goodbot
from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.crawl_view.args import Words
from goodbot.cli.shared.identity import EXAMPLE_CONTACT, EXAMPLE_URL, identity_in
from goodbot.cli.shared.input_files import as_utf_8
from goodbot.cli.shared.options import SiteOptions, network_args, page_options_named
from goodbot.crawl.folder.database import NOT_BEGUN
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.frontier.traps import TRAPS, trap_names
from goodbot.crawl.run.permissions import Permissions, lacking
from goodbot.crawl.run.settings import CrawlSettings, GivenSettings
from goodbot.errors import NoCrawlError
from goodbot.http.address import address_of, spelling_of
from goodbot.robot.identity import Identity, name_of

__all__ = ["Former", "former_in", "given_by", "identity_for", "refuse_file", "refuse_lacking"]

MEGABYTE = 1_000_000
"""Bytes in a megabyte."""


@dataclass(frozen=True, slots=True)
class Former:
    """The crawl that is in the folder already."""

    settings: CrawlSettings | None = None
    """Its settings; `None` if there is no crawl."""
    rows: dict[str, str] = field(default_factory=dict)
    """All stored settings, including permissions."""


def given_by(words: Words) -> GivenSettings:
    """Return the settings that the arguments name.

    Raises:
        MisuseError: An argument is not a URL; the message says what to write.

    """
    return GivenSettings(
        robot=words.robot,
        info_url=words.info_url,
        contact=words.contact,
        start=tuple(start_in(url) for url in words.urls),
        bounds=bounds_named(words),
        manners=manners_named(words),
        sitemaps=False if words.no_sitemaps else None,
        all_types=words.all_types or None,
        traps=traps_named(words.traps),
        dialect=words.dialect,
        page_dialect=words.page_dialect,
        page_options=page_options_named(
            words.marks,
            words.profile_uris,
            words.names_page,
            profile_links=words.profile_links,
            strict_pi=words.strict_pi,
        ),
        resume=words.goes_on,
    )


def bounds_named(words: Words) -> dict[str, Any]:
    """Return the bounds that the arguments name."""
    return present(
        pages=words.max_pages,
        pages_per_site=words.max_pages_per_site,
        depth=words.max_depth,
        seconds=words.max_seconds,
        bytes=bytes_in(words.max_megabytes),
        disk=bytes_in(words.max_disk),
        include=words.include or None,
        exclude=words.exclude or None,
        any_origin=words.any_origin or None,
        origins=[start_in(origin)[0] for origin in words.origins] or None,
    )


def traps_named(text: str | None) -> list[str] | None:
    """Return the traps that a list separated by commas names; `None` if there is no list.

    >>> traps_named("calendar, session-id"), traps_named("none")
    (['calendar', 'session-id'], [])

    Raises:
        WrongValueError: A trap does not exist.

    """
    if text is None:
        return None
    if text.strip() in {"all", "none"}:
        return list(TRAPS) if text.strip() == "all" else []
    names = [name.strip() for name in text.split(",")]
    trap_names(names)
    return names


def manners_named(words: Words) -> dict[str, Any]:
    """Return the manners that the arguments name."""
    return present(
        default=words.pause,
        back_off_after=words.back_off_after,
        back_off_first=words.back_off,
        back_off_longest=words.max_back_off,
        hours=words.hours,
        bytes_per_second=words.bandwidth,
    )


def present(**values: object) -> dict[str, Any]:
    """Return the values that are not `None`."""
    return {name: value for name, value in values.items() if value is not None}


def bytes_in(megabytes: float | None) -> int | None:
    """Convert megabytes to bytes, at least 1; `None` stays `None`."""
    return None if megabytes is None else max(int(megabytes * MEGABYTE), 1)


def start_in(word: str) -> tuple[str, str]:
    """Return the origin and the URL of an argument.

    Raises:
        MisuseError: It is not a URL; the message says what to write.
        NoOriginError: It is a URL that no site can have.

    """
    word = as_utf_8(word)
    if "://" in word or word.lower().startswith(("http:", "https:")):
        return address_of(word)[0], spelling_of(word) or word
    if os.path.isfile(word):  # noqa: PTH113  it may be no valid path
        message = (
            f"{word} is a file, and a crawl starts at a URL such as https://example.com/. To read "
            f"a robots.txt file: {suggest(word, verb='rules', keep=('robot', 'dialect'))}"
        )
    elif word.startswith("/"):
        message = f"{word} is a path; write a whole URL such as https://example.com{word}"
    else:
        message = f"{word} has no scheme; write https://{word}"
    raise goodbot.MisuseError(message)


def refuse_file(words: Words) -> None:
    """Refuse a file where a folder is needed, before anything is created.

    Raises:
        MisuseError: `--out` names a file.

    """
    if Path(words.folder).exists() and not Path(words.folder).is_dir():
        message = f"{words.folder} is a file; name a folder with --out"
        raise goodbot.MisuseError(message)


def former_in(words: Words) -> Former:
    """Read the crawl that is in the folder already.

    Raises:
        NoCrawlError: There is none to continue.
        StoreError: Its file cannot be read, or its settings are damaged.

    """
    try:
        with open_readonly(words.folder) as database:
            former, path = Former(CrawlSettings.read(database), database.settings()), database.path
    except NoCrawlError:
        if words.goes_on:
            raise
        return Former()
    if words.goes_on and former.settings is None:
        # The crawl was killed before it stored its settings.
        raise NoCrawlError(NOT_BEGUN.format(path=path))
    return former


def identity_for(words: Words, settings: CrawlSettings) -> Identity:
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
        info_url, contact, None, words.allow_private, words.timeout, words.allow_network
    )
    return identity_in(settings.robot, terms)


def refuse_lacking(words: Words, former: Former) -> None:
    """Refuse to continue a crawl without the permissions that it had before.

    Raises:
        MisuseError: A permission is missing; the message has the command to run.

    """
    now = Permissions(words.allow_private, words.allow_network)
    private, networks = lacking(former.rows, now)
    if not private and not networks:
        return
    added = network_args(private=private, networks=networks)
    message = (
        f"the crawl in {words.folder} was started with {shlex.join(added)}. For safety, this is "
        f"not read from the folder; if it is still right, add it:\n  {suggest(*added)}"
    )
    raise goodbot.MisuseError(message)
