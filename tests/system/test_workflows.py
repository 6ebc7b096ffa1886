"""The workflow files, checked by actionlint, either installed or run by Go."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PACKAGE = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.7"


def command() -> list[str] | None:
    """Return the command that runs actionlint here; `None` if there is none."""
    program, go = shutil.which("actionlint"), shutil.which("go")
    if program:
        return [program]
    return [go, "run", PACKAGE] if go else None


@pytest.mark.skipif(command() is None, reason="there is neither actionlint nor Go")
def test_actionlint_finds_nothing(tmp_path: Path) -> None:
    """There are no unknown keys, wrong expressions or unknown runners."""
    files = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    assert files
    run = [*(command() or []), "-no-color", *map(str, files)]
    # Outside of the checkout, so that Go leaves our files alone.
    done = subprocess.run(  # noqa: S603  an installed program
        run,
        cwd=tmp_path,
        env={**os.environ, "GOFLAGS": "-mod=mod"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
