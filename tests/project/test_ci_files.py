"""The action and the hook for pre-commit, which run `goodbot lint` elsewhere."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from goodbot.cli.program import VERBS
from tests.support import program
from tests.support.paths import ROOT


def loaded(name: str) -> Any:  # noqa: ANN401  as YAML has it
    """Return what a file says."""
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_the_hook_runs_a_verb_on_robots_txt() -> None:
    """Its entry is a command that exists, with the keys that pre-commit requires."""
    (hook,) = loaded(".pre-commit-hooks.yaml")
    assert {"id", "name", "entry", "language"} <= hook.keys()
    words = shlex.split(hook["entry"])
    assert words == ["goodbot", "lint"]
    assert words[1] in VERBS
    done = program.run(*words[1:], "-", given=b"User-agent: *\nDisallow: /a\n")
    assert done.returncode == 0


def test_the_action_passes_its_inputs_in_variables() -> None:
    """It is a composite action, whose steps name their shell and contain no expressions."""
    action = loaded("action.yml")
    assert {"name", "description", "inputs", "runs"} == action.keys()
    assert action["runs"]["using"] == "composite"
    for step in action["runs"]["steps"]:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]
    last = action["runs"]["steps"][-1]
    assert {f"inputs.{name}" for name in action["inputs"]} == {
        value.strip("${} ") for value in last["env"].values()
    }
    assert all(
        set(one) == {"description", "required", "default"} for one in action["inputs"].values()
    )


def test_the_action_lints_as_a_script(tmp_path: Path) -> None:
    """Its step runs in bash as GitHub runs it: files with white space between them, and options."""
    program_path = tmp_path / "goodbot" / "bin" / "goodbot"
    program_path.parent.mkdir(parents=True)
    program_path.symlink_to(Path(sys.executable).parent / "goodbot")
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /a\nDisallow: /a/b\n")
    (tmp_path / "other.txt").write_text("User-agent: *\nDisallow: /*.php\nAllow: /*.ph*\n")
    last = loaded("action.yml")["runs"]["steps"][-1]

    def run(files: str, *, fail_on: str = "", sitemap: str = "") -> tuple[int, str]:
        inputs = {"FILES": files, "FAIL_ON": fail_on, "SITEMAP": sitemap}
        done = subprocess.run(  # noqa: S603  the text of our own file
            ["/bin/bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", last["run"]],
            cwd=tmp_path,
            env={**os.environ, "RUNNER_TEMP": str(tmp_path), **inputs},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    assert run("robots.txt")[0] == 0
    status, output = run("robots.txt\n  other.txt", fail_on="note")
    assert status == 1
    assert "::notice file=robots.txt,line=3" in output
    (tmp_path / "urls.txt").write_text("https://example.com/a/1\n")
    status, output = run("robots.txt", sitemap="urls.txt")
    assert (status, "::error file=robots.txt,line=2" in output) == (1, True)
