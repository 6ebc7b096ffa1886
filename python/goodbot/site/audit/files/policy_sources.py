"""The robots.txt of the audited sites over time, from whatever has it.

Scope: which kind of source each is, and that a site has one history. `goodbot.tables.building`
reads them.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from goodbot._core import origin
from goodbot.errors import MisuseError
from goodbot.history import PolicyTimeline
from goodbot.site.audit.log_audit import PolicySource
from goodbot.site.audit.served_versions import find_served_versions
from goodbot.tables.building import (
    dated_timeline,
    folder_timeline,
    git_timeline,
    read_timelines,
    received_timelines,
)
from goodbot.tables.building.site_timelines import dated_files
from goodbot.warc.warc_sources import is_archive

PolicyInput: TypeAlias = str | os.PathLike[str] | PolicyTimeline
"""A timeline, or the name of what has one."""
GIT = "git:"
SQLITE, PARQUET = b"SQLite format 3\0", b"PAR1"
IN_PYTHON = {"policies": "policies="}
"""What messages say of the setting in Python."""
IN_GIT, IN_FILES, IN_FOLDER, IN_SITE_FOLDERS, RECEIVED, IN_MEMORY = range(6)
HOW = {
    IN_GIT: "the log of a git repository",
    IN_FILES: "files with dates",
    IN_FOLDER: "a folder of versions",
    IN_SITE_FOLDERS: "a folder of versions",
    RECEIVED: "answers that were received",
    IN_MEMORY: "a timeline of policies",
}


def read_policies(sources: Sequence[PolicyInput], sites: Sequence[str]) -> tuple[PolicySource, ...]:
    """Return the robots.txt of each site over time, in the order of the sites.

    Args:
        sources: Timelines, or the names of what has them.
        sites: The origins of the sites.

    Raises:
        MisuseError: A source cannot be read, or a site has several or none.
        MissingExtraError: pyarrow is not installed.
        OSError: A source cannot be read.
        StoreError: A store is damaged.

    """
    found: dict[str, PolicySource] = {}
    for kind, given, timeline in list_timelines(sources, sites):
        if timeline.origin in found:
            others = " and ".join([*found[timeline.origin].given, *given])
            message = (
                f"{timeline.origin} is in several sources ({others}), which may contradict "
                "each other; name one"
            )
            raise MisuseError(message)
        found[timeline.origin] = PolicySource(
            tuple(given), HOW[kind], timeline, find_served_versions(timeline)
        )
    for site in sites:
        if site not in found:
            message = f"no source of {{policies}} has a robots.txt of {site}; name one that has"
            raise MisuseError(message, IN_PYTHON)
    return tuple(found[site] for site in sites)


def list_timelines(
    sources: Sequence[PolicyInput], sites: Sequence[str]
) -> Iterator[tuple[int, Sequence[str], PolicyTimeline]]:
    """Yield what kind of source has which timeline, with the sources as they were named."""
    by_kind: dict[int, list[str]] = {}
    for source in sources:
        if isinstance(source, PolicyTimeline):
            yield IN_MEMORY, ["a timeline"], source
        else:
            named = os.fspath(source)
            by_kind.setdefault(find_kind(named), []).append(named)
    for kind, given in by_kind.items():
        for timeline in read_kind(kind, given, sites):
            yield kind, given, timeline


def find_kind(source: str) -> int:
    """Return what a source is.

    Raises:
        MisuseError: It is nothing that can be read.

    """
    if not source.removeprefix(GIT).strip():
        message = (
            f"{{policies}} {source!r} names no robots.txt; name one, as in {GIT}public/robots.txt, "
            "versions/ or robots.txt@2026-01-31"
        )
        raise MisuseError(message, IN_PYTHON)
    path = Path(source)
    if source.startswith(GIT):
        return IN_GIT
    if path.is_dir():
        if dated_files(path):
            return IN_FOLDER
        return IN_SITE_FOLDERS if any(path.glob("*/*.txt")) and not is_crawl(path) else RECEIVED
    if path.is_file():
        if is_archive(path) or path.suffix == ".arrow" or is_binary(path):
            return RECEIVED
        message = (
            f"since when was {source} served? Append the time, as in {source}@2026-01-31, or name "
            f"the file in its repository, as in {GIT}{source}"
        )
        raise MisuseError(message)
    if "@" in source:
        return IN_FILES
    message = (
        f"there is no file or folder {source}; {{policies}} names git:PATH, FILE@TIME, a folder of "
        "versions, a store, a crawl, WARC files or a table of policies"
    )
    raise MisuseError(message, IN_PYTHON)


def is_crawl(folder: Path) -> bool:
    """Return whether a folder is that of a crawl."""
    return (folder / "crawl.db").is_file()


def is_binary(path: Path) -> bool:
    """Return whether a file is a store or a table, by its first bytes."""
    with path.open("rb") as file:
        return file.read(len(SQLITE)).startswith((SQLITE, PARQUET))


def read_kind(kind: int, given: Sequence[str], sites: Sequence[str]) -> Iterator[PolicyTimeline]:
    """Yield what sources of one kind say of the sites."""
    if kind == RECEIVED:
        yield from received_timelines(given, sites)
    elif kind == IN_SITE_FOLDERS:
        yield from (timeline for timeline in read_timelines(given) if timeline.origin in sites)
    else:
        if len(sites) > 1:
            message = (
                f"{given[0]} has the robots.txt of one site, and there are {len(sites)}; pass a "
                "folder with HOST/TIME.txt, such as example.com/2026-01-31.txt"
            )
            raise MisuseError(message)
        yield from read_one_site(kind, given, sites[0])


def read_one_site(kind: int, given: Sequence[str], site: str) -> Iterator[PolicyTimeline]:
    """Yield what sources say that have the robots.txt of one site."""
    if kind == IN_GIT:
        yield from (git_timeline(site, source.removeprefix(GIT)) for source in given)
    elif kind == IN_FOLDER:
        yield from (folder_timeline(site, source) for source in given)
    else:
        files = {time: path for path, _, time in (source.rpartition("@") for source in given)}
        if len(files) < len(given):
            message = "two files of {policies} have the same time; only one of them was served then"
            raise MisuseError(message, IN_PYTHON)
        yield dated_timeline(site, files)


def check_sites(sites: Sequence[str], setting: str = "sites") -> tuple[str, ...]:
    """Return the origin of each site, each once.

    Args:
        sites: URLs of the sites.
        setting: The parameter that names them, for messages.

    Raises:
        MisuseError: There is none, or one of them is no site of the Web, or a part of one.
        NoOriginError: One of them has none.

    """
    if not sites:
        message = "no site was named; pass its URL, such as https://example.com"
        raise MisuseError(message)
    for site in sites:
        found = origin(site)
        rest = site.partition("://")[2].partition("/")[2]
        if rest or not found.startswith(("https://", "http://")):
            message = (
                f"{{{setting}}} {site} must be a whole site, without a path, such as "
                "https://example.com: each has one robots.txt"
            )
            raise MisuseError(message, {setting: f"{setting}="})
    return tuple(dict.fromkeys(map(origin, sites)))
