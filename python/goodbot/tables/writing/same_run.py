"""Whether a run can continue an earlier one: what must be the same, and what is not.

Scope: plain values, and the words for what differs. `parts_file` stores them.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from goodbot.tables.writing.job import Job, Name

VERSION = 6
"""The form of these values and of the parts."""

SETTINGS = {
    name: name
    for name in (
        "policies",
        "robots",
        "url",
        "at",
        "copied",
        "explain",
        "uses",
        "exclude",
        "sample",
    )
}
"""The settings that `differences` names, as they are in Python."""

LISTED = 3
"""How many files are named."""


def fingerprint(job: Job, policies: Name) -> dict[str, Any]:
    """Return what must be the same for a run to continue another one, as plain values."""
    facts = Path(policies).stat()
    return {
        "goodbot": VERSION,
        "urls": [[os.path.abspath(file.path), file.size, file.changed] for file in job.files],  # noqa: PTH100
        "policies": [os.path.abspath(policies), facts.st_size, facts.st_mtime_ns],  # noqa: PTH100
        "robots": list(job.robots),
        "columns": [job.columns.url, job.columns.at, list(job.columns.copied)],
        "explain": job.explain,
        "uses": bool(job.uses),
        "exclude": job.unknown,
        "sample": None if job.sampled is None else len(job.sampled),
    }


def differences(before: Any, now: dict[str, Any]) -> str:  # noqa: ANN401  what a file has
    """Return what an earlier run did otherwise, as clauses; `{name}` stands for a setting.

    Args:
        before: The values of the earlier run.
        now: Those of this one.

    >>> now = {"goodbot": 6, "urls": [["/a.parquet", 9, 1]], "policies": ["/p.parquet", 9, 1],
    ...        "robots": ["CCBot"], "columns": ["url", None, ["url"]], "explain": False,
    ...        "uses": False, "exclude": None, "sample": None}
    >>> differences({**now, "robots": ["GPTBot", "CCBot"], "sample": 9}, now)
    '{robots} was GPTBot, CCBot; {sample} was 9'
    >>> differences({**now, "urls": [["/a.parquet", 8, 1], ["/b.parquet", 9, 1]]}, now)
    '/a.parquet was changed; /b.parquet was read, too'
    """
    if not isinstance(before, dict) or before.get("goodbot") != now["goodbot"]:
        return "it is not of this version of goodbot, or was damaged"
    return "; ".join([*changed_files(before, now), *changed_options(before, now)])


def changed_files(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Yield which files were changed, were read too, or are new."""
    earlier, present = ({path: facts for path, *facts in job["urls"]} for job in (before, now))
    changed = [path for path in earlier if path in present and earlier[path] != present[path]]
    yield from listed(changed, "was changed", "were changed")
    yield from listed([path for path in earlier if path not in present], *["was read, too"] * 2)
    yield from listed([path for path in present if path not in earlier], "is new", "are new")
    if earlier == present and list(earlier) != list(present):
        yield "the files were in another order"
    if before["policies"][0] != now["policies"][0]:
        yield f"{{policies}} was {before['policies'][0]}"
    elif before["policies"] != now["policies"]:
        yield f"{now['policies'][0]} was changed"


def listed(paths: Sequence[str], one: str, several: str) -> Iterator[str]:
    """Yield what is to be said of some files, if there are any."""
    if paths:
        more = f" and {len(paths) - LISTED:,} more" if len(paths) > LISTED else ""
        yield f"{', '.join(paths[:LISTED])}{more} {one if len(paths) == 1 else several}"


def changed_options(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Yield which options were others, and what they were."""
    if before["robots"] != now["robots"]:
        yield f"{{robots}} was {', '.join(before['robots'])}"
    (url, at, copied), (url_now, at_now, copied_now) = before["columns"], now["columns"]
    if url != url_now:
        yield f"{{url}} was {url}"
    if at != at_now:
        yield "the newest policies were used" if at is None else f"{{at}} was {at}"
    elif url == url_now and copied != copied_now:  # otherwise they follow from the others
        yield f"{{copied}} was {', '.join(copied)}"
    for name in ("explain", "uses", "exclude"):
        if before[name] != now[name]:
            yield f"{{{name}}} was " + ("given" if before[name] else "not given")
    if before["sample"] != now["sample"]:
        yield "{sample} was " + ("not given" if before["sample"] is None else str(before["sample"]))
