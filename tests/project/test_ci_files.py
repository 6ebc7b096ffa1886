"""The action and the hook for pre-commit, which run `goodbot lint` elsewhere."""

import shlex
from typing import Any

import yaml

from goodbot.cli.program import SECTIONS
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
    assert words[1] in SECTIONS["Check robots.txt"]
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
