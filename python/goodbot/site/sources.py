"""Versions of a robots.txt by their names, and their comparison, in one call.

Scope: what a name means. `goodbot.files` and `goodbot.store` read it, and
`goodbot.site.reasoning` compares.

| name | robots.txt |
|---|---|
| `robots.txt` | this file; `-` is standard input |
| `git:HEAD:robots.txt` | the file in a revision of a git repository |
| `store:https://example.com@-1` | a version in a store: see `goodbot.store.stored_version` |
| `https://example.com/` | the one that the site serves now |
"""

import os
from pathlib import Path

from goodbot._core import RobotsTxt
from goodbot.errors import MisuseError
from goodbot.files.file_input import read_input
from goodbot.files.git_revision import read_revision
from goodbot.live.visitor import Visitor
from goodbot.site.live_lint import content_of
from goodbot.site.reasoning import FileComparison, compare_files
from goodbot.store.stored_version import read_stored_version

__all__ = ["compare_sources", "read_source"]

GIT = "git:"
STORE = "store:"


def compare_sources(
    old: str | os.PathLike[str],
    new: str | os.PathLike[str],
    *,
    dialect: str | None = None,
    store: str | os.PathLike[str] | None = None,
    robot: Visitor | None = None,
    folder: Path | None = None,
) -> FileComparison:
    r"""Return what a change of robots.txt changes, and for which robots.

    A site or a revision without a robots.txt allows everything.

    Args:
        old: The name of the first version; see the module.
        new: The name of the second one.
        dialect: The dialect in which both are read for every robot; by default `rfc9309`, and for
            known robots also their own.
        store: The file or the URL of the store of names with `store:`.
        robot: Who fetches a robots.txt that is named by a URL: an open `goodbot.blocking.Robot`.
        folder: A folder of the git repository; by default the current one.

    Raises:
        GoodbotError: A site has given no answer.
        MisuseError: A name means nothing.
        OSError: A file cannot be read.
        StoreError: The store cannot be read.

    >>> import tempfile
    >>> old, new = Path(tempfile.mkdtemp(), "old.txt"), Path(tempfile.mkdtemp(), "new.txt")
    >>> _ = old.write_text("User-agent: *\nDisallow: /a"), new.write_text("")
    >>> compare_sources(old, new).effect
    'laxer'

    """
    chosen = dialect or "rfc9309"
    before, after = (
        RobotsTxt(read_source(one, store=store, robot=robot, folder=folder) or b"", dialect=chosen)
        for one in (old, new)
    )
    return compare_files(before, after, own_dialects=dialect is None)


def read_source(
    name: str | os.PathLike[str],
    *,
    store: str | os.PathLike[str] | None = None,
    robot: Visitor | None = None,
    folder: Path | None = None,
) -> bytes | None:
    """Return the robots.txt that a name means; `None` if the revision or the site had none.

    See `compare_sources` for the arguments, and for what is raised.
    """
    text = os.fspath(name)
    if isinstance(name, os.PathLike):
        return read_input(text)
    if text.startswith(GIT):
        revision, colon, path = text.removeprefix(GIT).partition(":")
        return read_revision(revision, path if colon else "", folder)
    if text.startswith(STORE):
        return read_stored_version(text.removeprefix(STORE), store)
    if "://" not in text:
        return read_input(text)
    if robot is None:
        message = f"{text} is a site; pass robot=, an open goodbot.blocking.Robot, or name a file"
        raise MisuseError(message)
    return content_of(robot.policy(text))
