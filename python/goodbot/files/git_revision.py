"""A file as it is in a revision of a git repository.

Scope: running git, whose arguments come from outside, within bounds.
"""

import os
import subprocess
from pathlib import Path

from goodbot.errors import MisuseError
from goodbot.files.file_input import FILE_LIMIT

__all__ = ["read_revision"]

SECONDS = 30
"""How long git may take."""

QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    # A partial clone would fetch a missing file from its server.
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}


def read_revision(revision: str, path: str, folder: Path | None = None) -> bytes | None:
    """Return the content of a file in a revision; `None` if the revision has no such file.

    Args:
        revision: Whatever git accepts as a commit, such as `HEAD`, `main` or `v1.2~3`.
        path: The path from the top of the repository, or from the current folder if it begins with
            `./`.
        folder: A folder of the repository; by default the current one.

    Raises:
        MisuseError: git is not installed, there is no such revision, or the path is not a file.

    """
    if not revision or revision.startswith("-"):
        message = f"{revision!r} is not a revision; write git:REV:PATH, such as git:HEAD:robots.txt"
        raise MisuseError(message)
    if not path:
        message = f"git:{revision} names no file; write git:{revision}:robots.txt"
        raise MisuseError(message)
    commit = resolved(f"{revision}^{{commit}}", folder)
    if commit is None:
        raise MisuseError(complaint(revision, folder))
    name = resolved(f"{commit}:{path}", folder)
    return None if name is None else content_of(name, path, folder)


def resolved(name: str, folder: Path | None) -> str | None:
    """Return the number of an object; `None` if there is none."""
    done = git(["rev-parse", "--verify", "--quiet", "--end-of-options", name], folder)
    return done.stdout.decode("ascii", "replace").strip() if done.returncode == 0 else None


def complaint(revision: str, folder: Path | None) -> str:
    """Return why a revision cannot be read, and what to do.

    What git itself says is only searched for known causes: it is about commands that were not
    typed.
    """
    inside = git(["rev-parse", "--git-dir"], folder)
    if inside.returncode and b"dubious ownership" in inside.stderr:
        return (
            "git does not read this repository, because it belongs to another user; 'git status' "
            "says how to allow it"
        )
    if inside.returncode:
        return "there is no git repository here; run goodbot in one, or save the file and name it"
    then = "'git log' and 'git branch --all' list what there is"
    if git(["rev-parse", "--is-shallow-repository"], folder).stdout.strip() == b"true":
        then = "this clone lacks older revisions, which 'git fetch --unshallow' fetches"
    return f"this repository has no revision {revision!r}; {then}"


def content_of(name: str, path: str, folder: Path | None) -> bytes:
    """Return the content of an object, which must be a file."""
    size = git(["cat-file", "-s", name], folder).stdout.strip()
    if not size.isdigit() or int(size) > FILE_LIMIT:
        message = f"{path} is larger than 64 MiB, and no robots.txt file is that large"
        raise MisuseError(message)
    done = git(["cat-file", "blob", name], folder)
    if done.returncode:
        message = f"{path} is not a file in that revision; name the robots.txt file"
        raise MisuseError(message)
    return done.stdout


def git(words: list[str], folder: Path | None) -> "subprocess.CompletedProcess[bytes]":
    """Run git, without a shell, input or anything that asks.

    Raises:
        MisuseError: It is not installed, or takes too long.

    """
    try:
        return subprocess.run(  # noqa: S603  no shell; names cannot be options
            ["git", "--no-pager", *words],  # noqa: S607  the git of the user
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            cwd=folder,
            env={**os.environ, **QUIET},
            timeout=SECONDS,
        )
    except FileNotFoundError as error:
        message = (
            "git is not installed or not on the PATH; install it, or save the file and name it"
        )
        raise MisuseError(message) from error
    except subprocess.TimeoutExpired as error:
        message = f"git has not answered within {SECONDS} seconds; save the file and name it"
        raise MisuseError(message) from error
