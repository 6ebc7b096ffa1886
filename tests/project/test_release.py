"""What is published: licences, links, versions and the workflow agree with the code."""

import re
import sys
from importlib import util
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.paths import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

WORKFLOW = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
WHEELS = {"goodbot": ROOT, "goodbot-polars": ROOT / "plugins" / "polars"}
"""The folder of each wheel that is published."""
LICENCES = "THIRD_PARTY_LICENSES.txt"
RULE = "=" * 80
WITHOUT_TEXT = {"r-efi"}
"""Crates without a licence text; this one is only for firmware."""


def licences_of(wheel: str) -> str:
    """Return the licences of what a wheel contains."""
    return (WHEELS[wheel] / LICENCES).read_text(encoding="utf-8")


def load(name: str) -> ModuleType:
    """Load a command of release/, which is not a package."""
    spec = util.spec_from_file_location(f"release_{name}", ROOT / "release" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("wheel", WHEELS)
def test_the_licences_of_all_crates_are_current(wheel: str) -> None:
    """The list has the crates of Cargo.lock in their versions: release/third_party.py."""
    lock = tomllib.loads((WHEELS[wheel] / "Cargo.lock").read_text(encoding="utf-8"))
    locked = {f"{one['name']} {one['version']}" for one in lock["package"] if "source" in one}
    listed = re.findall(r"^(\S+ \d\S*): ", licences_of(wheel).partition(RULE)[0], re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(listed) == locked, "run `python release/third_party.py`"


@pytest.mark.parametrize("wheel", WHEELS)
def test_every_crate_in_the_wheel_has_its_text(wheel: str) -> None:
    """The text is the one in the sources of the crate."""
    head, *texts = licences_of(wheel).split(RULE)
    inside = re.findall(r"^(\S+ \d\S*): ", head.partition("These are used")[0], re.MULTILINE)
    with_text = set(re.findall(r"^(\S+ \d\S*): ", "".join(texts), re.MULTILINE))
    assert inside
    assert {one.split()[0] for one in set(inside) - with_text} == WITHOUT_TEXT


def test_both_wheels_have_the_same_licence() -> None:
    """A wheel has its licence within its own folder."""
    texts = {(folder / "LICENSE").read_text(encoding="utf-8") for folder in WHEELS.values()}
    assert len(texts) == 1


def test_every_wheel_is_built_and_published() -> None:
    """The workflow builds the wheel and the source distribution of both, into one folder."""
    assert WORKFLOW.count("working-directory: plugins/polars") == 2
    assert WORKFLOW.count("--out ../../dist") == 2


def test_no_link_of_the_description_stays_relative() -> None:
    """A package index shows the README without the files around it."""
    rewritten = load("absolute_links").rewritten
    text = rewritten((ROOT / "README.md").read_text(encoding="utf-8"), "http://p/", "http://f/")
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    assert "http://p/CHANGELOG.md" in targets
    assert not [one for one in targets if not one.startswith(("http://", "https://", "#"))]


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").iterdir()))
def test_every_action_is_pinned_to_a_commit(path: Path) -> None:
    """A tag can be moved, so actions are pinned by commit, with the version in a comment."""
    used = re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))
    assert used
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one) for one in used)


def test_the_classifiers_are_the_versions_that_are_tested() -> None:
    """Only versions that the release workflow tests are listed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (matrix,) = re.findall(r"python: \[(.*)\]", WORKFLOW)
    promised = [
        one.rpartition(" :: ")[2]
        for one in project["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", one)
    ]
    assert promised == matrix.replace('"', "").split(", ")
    assert project["requires-python"] == f">={promised[0]}"
