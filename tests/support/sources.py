"""The files of the project: those that git tracks, and those that it would add."""

import subprocess
from functools import cache
from pathlib import PurePosixPath

from tests.support.paths import ROOT


@cache
def followed() -> tuple[PurePosixPath, ...]:
    """Return the project's existing files, as paths below the root."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603  ours
    names = listed.stdout.splitlines()
    return tuple(sorted(PurePosixPath(name) for name in names if (ROOT / name).is_file()))
