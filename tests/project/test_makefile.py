"""The two commands of README.md install and build what they need, and nothing else."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.support.paths import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

INSTALLATION = "pip install '.[crawl]'"
MOST_PACKAGES = 25
"""Of the demonstration, with goodbot and without pip."""

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")


def commands_of(target: str, venv: Path) -> list[str]:
    """Return the commands that `make` would run."""
    make = ["make", "--no-print-directory", "-n", target, f"VENV={venv}"]
    env = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    done = subprocess.run(make, cwd=ROOT, env=env, capture_output=True, text=True, check=True)  # noqa: S603
    return done.stdout.splitlines()


def environment_of(venv: Path, *files: str) -> Path:
    """Make the files of an environment by which `make` sees what is installed there."""
    (venv / "bin").mkdir()
    for name in ("python", *files):
        (venv / "bin" / name).touch()
    return venv


def test_the_demonstration_uses_what_the_readme_installs(tmp_path: Path) -> None:
    """After README's line nothing is built or installed again."""
    assert INSTALLATION in (ROOT / "README.md").read_text(encoding="utf-8")
    venv = environment_of(tmp_path, "goodbot")
    assert commands_of("demo", venv) == [f"{venv}/bin/python examples/demo.py"]


def test_the_demonstration_uses_what_the_tests_use(tmp_path: Path) -> None:
    """A build for the tests is not replaced by another."""
    venv = environment_of(tmp_path, "goodbot", ".pip", ".builder", ".goodbot")
    assert commands_of("demo", venv) == [f"{venv}/bin/python examples/demo.py"]


def test_the_demonstration_installs_by_the_line_of_the_readme(tmp_path: Path) -> None:
    """Without an installation it makes one, which needs no new pip."""
    commands = commands_of("demo", tmp_path)
    assert f"{tmp_path}/bin/python -m pip install -q '.[crawl]'" in commands
    assert not any("--group" in command or "maturin" in command for command in commands)


def test_the_tests_install_their_own_with_a_pip_that_can(tmp_path: Path) -> None:
    """An environment that README's line made has the pip that came with Python."""
    commands = commands_of("test", environment_of(tmp_path, "goodbot"))
    pip = next(at for at, one in enumerate(commands) if one.endswith("'pip>=25.1'"))
    groups = [at for at, one in enumerate(commands) if "--group" in one]
    assert len(groups) == 2
    assert all(at > pip for at in groups)
    assert any(one.startswith("cargo test") for one in commands)
    assert any("maturin develop" in one for one in commands)


def test_an_installation_by_the_readme_is_replaced_for_the_tests(tmp_path: Path) -> None:
    """It is a copy, and lacks what the references read. One that is older is left as it is."""
    venv = environment_of(tmp_path, ".pip", ".builder", ".goodbot", ".tools")
    (venv / "bin" / "goodbot").touch()
    os.utime(venv / "bin" / "goodbot", (0, 0))
    assert not any("maturin" in one or "pip" in one for one in commands_of("test", venv))
    later = (venv / "bin" / ".tools").stat().st_mtime + 10
    (venv / "bin" / "goodbot").touch()
    os.utime(venv / "bin" / "goodbot", (later, later))
    assert any("maturin" in one for one in commands_of("test", venv))


def test_each_test_runs_in_one_of_the_commands_that_ci_runs(tmp_path: Path) -> None:
    """`make check` has the folders that `make test` leaves out, and `make test-system` its own."""
    venv = environment_of(tmp_path, ".pip", ".builder", ".goodbot", ".tools")
    (house,) = (one for one in commands_of("check", venv) if "-m pytest" in one)
    (behaviour,) = (one for one in commands_of("test", venv) if "-m pytest" in one)
    folders = [word for word in house.split() if word.startswith("tests/")]
    ignored = [word for word in behaviour.split() if word.startswith("--ignore=")]
    assert folders
    assert all((ROOT / folder).is_dir() for folder in folders)
    assert ignored == [f"--ignore={folder}" for folder in folders]
    assert "tests/" not in behaviour.replace("--ignore=tests/", "")
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    pytest_options = settings["tool"]["pytest"]["ini_options"]
    assert (pytest_options["testpaths"], pytest_options["norecursedirs"][0]) == (
        ["tests"],
        "system",
    )
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert ci.split("\n")[-4:-1] == ["make check", "make test", "make test-system"]


def test_no_group_is_installed_unasked() -> None:
    """`maturin develop` installs a group called `dev`, and `uv sync` does too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "dev" not in project["dependency-groups"]


def test_the_demonstration_needs_few_packages() -> None:
    """What README's line installs, with all that it requires, is counted."""
    found: set[str] = set()
    waiting = [("goodbot", frozenset({"crawl"}))]
    while waiting:
        name, extras = waiting.pop()
        if name in found:
            continue
        found.add(name)
        for line in requires(name) or ():
            wanted = Requirement(line)
            if wanted.marker is None or any(
                wanted.marker.evaluate({"extra": extra}) for extra in (extras or {""})
            ):
                waiting.append((wanted.name.lower(), frozenset(wanted.extras)))
    assert {"goodbot", "aiohttp", "warcio", "click", "rich"} <= found
    assert len(found) <= MOST_PACKAGES, sorted(found)
