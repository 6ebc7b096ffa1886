"""The robots.txt of sites over time, as timelines.

Scope: it reads files with dates, the log of a git repository, and whatever tables of policies are
built from: folders, stores, crawls and archives. What the versions mean, `goodbot.site.audit`
decides.
"""

import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from itertools import groupby
from pathlib import Path

from goodbot.errors import MisuseError
from goodbot.files.temporary_folders import temporary_folder
from goodbot.history import PolicyTimeline
from goodbot.policy import RobotsTxtAnswer
from goodbot.tables.building.build_summary import BuildSummary
from goodbot.tables.building.building import build_table
from goodbot.tables.building.other_answers import parse_file_time
from goodbot.tables.building.table_reading import read_facts

SECONDS = 60
"""How long git may take for one answer."""
MOST_BYTES = 16 * 1024 * 1024
"""The most bytes of a robots.txt that are read."""
COMMIT = re.compile(rb"([0-9a-f]{40,64}) (\d{1,12})")
MICROSECONDS = 1_000_000


def dated_timeline(site: str, files: Mapping[str, str | os.PathLike[str]]) -> PolicyTimeline:
    """Return the history of files, each of which was served from its time until the next.

    Args:
        site: Any URL of the site.
        files: Files by their times in UTC, such as `2026-01-31` or `2026-01-31T120000Z`.

    Raises:
        MisuseError: A time cannot be read.
        NoOriginError: `site` has no origin.
        OSError: A file cannot be read.

    """
    contents = []
    for time, path in files.items():
        at = parse_file_time(time)
        if at is None:
            message = f"{time!r} is not a time; write 2026-01-31 or 2026-01-31T120000Z, in UTC"
            raise MisuseError(message)
        when = datetime.fromtimestamp(at // MICROSECONDS, timezone.utc)
        with Path(path).open("rb") as file:
            contents.append((when, file.read(MOST_BYTES)))
    return PolicyTimeline.declared(site, contents)


def git_timeline(site: str, path: str | os.PathLike[str]) -> PolicyTimeline:
    """Return the history of a robots.txt in a git repository.

    Each version counts from the time of its commit, which is when it was recorded, and not when it
    was published: a site that publishes later passes the times itself, as `dated_timeline`.

    Args:
        site: Any URL of the site.
        path: The file, in the folder of a repository; it need not exist today.

    Raises:
        MisuseError: git is not installed or takes too long, or has no commit of the file.
        NoOriginError: `site` has no origin.

    """
    file = Path(path)
    folder, name = file.parent, f"./{file.name}"
    printed = git(["log", "--format=%H %ct", "--first-parent", "--", name], folder) or b""
    commits = [found for line in printed.splitlines() if (found := COMMIT.fullmatch(line))]
    if not commits:
        message = f"git has no commit of {file}; name a file that is in a repository"
        raise MisuseError(message)
    contents = []
    for one in commits:
        commit, at = one[1].decode(), datetime.fromtimestamp(int(one[2]), timezone.utc)
        content = git(["show", f"{commit}:{name}"], folder)
        contents.append((at, None if content is None else content[:MOST_BYTES]))
    return PolicyTimeline.declared(site, contents, source=f"git log of {file.name}")


def git(words: list[str], folder: Path) -> bytes | None:
    """Return what git prints; `None` if it fails, as for a file that a commit deletes.

    Raises:
        MisuseError: It is not installed, or takes too long.

    """
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"}
    try:
        done = subprocess.run(  # noqa: S603  no shell; no word can be an option
            ["git", "--no-pager", *words],  # noqa: S607  the git of the user
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            cwd=folder,
            env={**os.environ, **quiet, "LC_ALL": "C"},
            timeout=SECONDS,
        )
    except FileNotFoundError as error:
        message = "git is not installed, or there is no such folder; pass files with their times"
        raise MisuseError(message) from error
    except subprocess.TimeoutExpired as error:
        message = f"git has not answered within {SECONDS} seconds; pass files with their times"
        raise MisuseError(message) from error
    return done.stdout if done.returncode == 0 else None


def read_timelines(sources: Iterable[str | os.PathLike[str]]) -> list[PolicyTimeline]:
    """Return the histories of all sites in stores, crawls, archives and folders.

    A folder with `HOST/TIME.txt` states what was served from each time on. All others state what
    somebody received at certain times: between two different answers either may have been served,
    and after the last one nothing is known. Only answers with a file, and those that there is none
    (404 and 410), count: a failure of one request says nothing about those of others.

    Args:
        sources: See `build_policies`.

    Raises:
        MisuseError: A source cannot be read, or not as a whole.
        MissingExtraError: pyarrow is not installed.
        OSError: A source cannot be read.
        StoreError: A store is damaged.

    """
    found: dict[str, PolicyTimeline] = {}
    for source in sources:
        for timeline in timelines_in(Path(source)):
            if timeline.origin in found:
                message = f"{timeline.origin} is in two sources; combine them in one folder"
                raise MisuseError(message)
            found[timeline.origin] = timeline
    return [found[site] for site in sorted(found)]


def timelines_in(source: Path) -> list[PolicyTimeline]:
    """Return the timelines of one source: of each site that says what its robots.txt was."""
    is_declared = source.is_dir() and any(source.glob("*/*.txt"))
    with temporary_folder() as folder:
        table = folder / "policies.arrow"
        done = build_table([source], table)
        refuse_unread(done)
        rows = sorted(read_facts(table), key=find_site) if done.rows else []
    found = []
    for site, group in groupby(rows, key=find_site):
        answers = list(group)
        if is_declared:
            contents = [(answer.learned, answer.body) for answer in answers]
            found.append(PolicyTimeline.declared(site, contents, source=source.name))
        elif any(answer.is_statement for answer in answers):
            found.append(PolicyTimeline.of_answers(answers))
    return found


def find_site(answer: RobotsTxtAnswer) -> str:
    """Return the origin of an answer."""
    return answer.origin


def refuse_unread(done: BuildSummary) -> None:
    """Refuse sources of which a part was not read: what it says may contradict the rest.

    Raises:
        MisuseError: There are some.

    """
    # An empty file has nothing to say; what a multi-WACZ only names has no bytes here, either.
    unread = [source for source in done.damaged if source.unread or "://" in source.file]
    if unread:
        first = unread[0]
        message = (
            f"{first.file} is not read as a whole ({first.why}), so what robots.txt said then is "
            "unknown; name other files, or build a table of what can be read: "
            "goodbot tables build"
        )
        raise MisuseError(message)
