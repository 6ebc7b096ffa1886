"""The robots.txt of some sites over time, from everything that was received of them.

Scope: it reads folders of versions, and answers that are spread over several sources: archives,
stores, crawls and tables of policies. `robots_timelines` reads single sources.
"""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from goodbot._core import origin as origin_of
from goodbot.errors import MisuseError
from goodbot.files.temporary_folders import temporary_folder
from goodbot.history import PolicyTimeline
from goodbot.tables.building.building import build_table
from goodbot.tables.building.lost_metadata import is_of_policies
from goodbot.tables.building.origin_rows import policy_answers
from goodbot.tables.building.other_answers import PARQUET_MAGIC, parse_file_time
from goodbot.tables.building.robots_timelines import (
    dated_timeline,
    refuse_unread,
)
from goodbot.tables.columns.schema import VERSION_KEY, pyarrow

ARROW = ".arrow"


def folder_timeline(site: str, folder: str | os.PathLike[str]) -> PolicyTimeline:
    """Return the history of a folder with a file for each version of one robots.txt.

    Args:
        site: Any URL of the site.
        folder: The folder, with files such as `2026-01-31.txt` or `2026-01-31T120000Z.txt`, each
            of which was served from its time until the next.

    Raises:
        MisuseError: The folder has no such file, or a file whose name is not a time.
        NoOriginError: `site` has no origin.
        OSError: A file cannot be read.

    """
    files = dated_files(folder)
    if not files:
        message = f"{os.fspath(folder)} has no file such as 2026-01-31.txt; name each by its time"
        raise MisuseError(message)
    return dated_timeline(site, files)


def dated_files(folder: str | os.PathLike[str]) -> dict[str, Path]:
    """Return the versions in a folder by their times; empty if no file is named after a time.

    Args:
        folder: The folder.

    Raises:
        MisuseError: Some files are named after times, and another is not.

    """
    files = {path.stem: path for path in sorted(Path(folder).glob("*.txt"))}
    odd = [path for stem, path in files.items() if parse_file_time(stem) is None]
    if len(odd) == len(files):
        return {}
    if odd:
        message = f"{odd[0]} is not named after a time; rename it as in 2026-01-31T120000Z.txt"
        raise MisuseError(message)
    return files


def received_timelines(
    sources: Sequence[str | os.PathLike[str]], sites: Iterable[str]
) -> list[PolicyTimeline]:
    """Return the histories of some sites, from all that somebody received at certain times.

    Several sources may have answers of one site. Between two different answers either may have
    been served, and after the last one nothing is known.

    Args:
        sources: Tables of policies, or what `build_policies` reads, except a folder with
            `HOST/TIME.txt`, which `read_timelines` reads.
        sites: Any URL of each site. A site without an answer has no history.

    Raises:
        MisuseError: A source cannot be read, or not as a whole.
        MissingExtraError: pyarrow is not installed.
        NoOriginError: A site has no origin.
        OSError: A source cannot be read.
        StoreError: A store is damaged.

    """
    paths = [Path(source) for source in sources]
    tables = [path for path in paths if is_policy_table(path)]
    others = [path for path in paths if path not in tables]
    wanted = list(dict.fromkeys(map(origin_of, sites)))
    with temporary_folder() as folder:
        if others:
            built = folder / "policies.arrow"
            done = build_table(others, built)
            refuse_unread(done)
            tables += [built] if done.rows else []
        answers = {site: [answer for path in tables for answer in policy_answers(path, site)]
                 for site in wanted}  # fmt: skip
    return [
        PolicyTimeline.of_answers(found)
        for found in answers.values()
        if any(answer.is_statement for answer in found)
    ]


def is_policy_table(path: Path) -> bool:
    """Return whether a file is a table of policies, and not answers in columns.

    Raises:
        MissingExtraError: pyarrow is not installed.
        OSError: It cannot be read.

    """
    if path.is_dir():
        return False
    if path.suffix == ARROW:
        return True
    with path.open("rb") as file:
        if file.read(len(PARQUET_MAGIC)) != PARQUET_MAGIC:
            return False
    pa = pyarrow()
    import pyarrow.parquet as parquet  # noqa: PLC0415, PLR0402  an extra

    try:
        schema = parquet.read_schema(path)
    except pa.ArrowInvalid:
        return False
    return VERSION_KEY in (schema.metadata or {}) or is_of_policies(schema.names)
