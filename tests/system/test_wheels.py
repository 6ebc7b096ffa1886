"""The wheels and source distributions: what they contain, and that they work elsewhere."""

import importlib.metadata
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import goodbot
from tests.support.paths import ROOT

MATURIN = Path(sys.executable).parent / "maturin"
PLUGIN = ROOT / "plugins" / "polars"
POLARS = f"goodbot_polars-{goodbot.__version__}"
"""The distribution of the plugin."""
OPTIONS = ("--release", "--locked", "--quiet", "--out")
TARGET = {"CARGO_TARGET_DIR": str(ROOT / "target")}
"""Where third-party crates are compiled already."""
FAST = ("tests/http", "tests/policy/test_policy.py")
"""Tests of the source distribution that take seconds and need no feature that wheels lack."""


def run(*command: str | Path, cwd: Path = ROOT, **variables: str) -> str:
    """Run a command that must succeed, and return its output."""
    words = [str(word) for word in command]
    done = subprocess.run(  # noqa: S603 - a command of this file
        words,
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution, unpack it elsewhere, and build the wheel from that."""
    folder = tmp_path_factory.mktemp("dist")
    run(MATURIN, "sdist", "--out", folder)
    (packed,) = folder.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        archive.extractall(folder / "unpacked")  # noqa: S202  our own archive
    # Third-party crates need not be compiled again. What is ours must be, and cargo, which takes it
    # for the same as in the checkout, goes by times.
    for source in unpacked(folder).glob("crates/**/*.rs"):
        source.touch()
    run(MATURIN, "build", *OPTIONS, folder, cwd=unpacked(folder), **TARGET)
    return folder


@pytest.fixture(scope="module")
def polars_dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Do the same for the plugin of Polars."""
    folder = tmp_path_factory.mktemp("polars")
    run(MATURIN, "sdist", "--out", folder, cwd=PLUGIN)
    with tarfile.open(folder / f"{POLARS}.tar.gz") as archive:
        archive.extractall(folder / "unpacked")  # noqa: S202  our own archive
    run(MATURIN, "build", *OPTIONS, folder, cwd=folder / "unpacked" / POLARS, **TARGET)
    return folder


def unpacked(dist: Path) -> Path:
    """Return the folder of the unpacked source distribution."""
    return dist / "unpacked" / f"goodbot-{goodbot.__version__}"


def wheel_in(dist: Path) -> Path:
    """Return the wheel."""
    (wheel,) = dist.glob("*.whl")
    return wheel


def copy_requirements(site_packages: Path) -> None:
    """Copy what goodbot requires, and nothing else, as installed here."""
    wanted, done = ["goodbot"], set()
    while wanted:
        name = wanted.pop()
        done.add(name)
        for text in importlib.metadata.requires(name) or []:
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                wanted += {needed.name} - done
        if name != "goodbot":
            for file in importlib.metadata.files(name) or []:
                if ".." not in file.parts and file.suffix != ".pyc":
                    target = site_packages / file
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(str(file.locate()), target)


def test_the_wheel_holds_what_it_should(dist: Path) -> None:
    """It has the package, types, command and all licences, also of the crates, and no more."""
    with zipfile.ZipFile(wheel_in(dist)) as wheel:
        names = wheel.namelist()
    information = f"goodbot-{goodbot.__version__}.dist-info"
    assert {name.partition("/")[0] for name in names} == {"goodbot", information}
    for needed in ("__init__.py", "errors.py", "_core.pyi", "py.typed", "cli/__init__.py"):
        assert f"goodbot/{needed}" in names
    licences = ("licenses/LICENSE", "licenses/THIRD_PARTY_LICENSES.txt")
    for needed in ("METADATA", "RECORD", "entry_points.txt", *licences):
        assert f"{information}/{needed}" in names
    assert sum(name.startswith("goodbot/_core.") and name.endswith(".so") for name in names) == 1
    assert not [
        name for name in names if name.endswith((".rs", ".pyc", ".toml")) or "test_" in name
    ]


def test_the_wheel_works_elsewhere_without_development_tools(dist: Path, tmp_path: Path) -> None:
    """It works in an environment with only its requirements."""
    bare = tmp_path / "bare"
    base = sys._base_executable  # type: ignore[attr-defined]  # noqa: SLF001 - the interpreter outside of the venv
    run(base, "-m", "venv", bare)
    python = bare / "bin" / "python"
    site_packages = Path(
        run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    )
    copy_requirements(site_packages)
    run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel_in(dist))

    foreign = tmp_path / "foreign"
    foreign.mkdir()
    program = "import goodbot; print(goodbot.RobotsTxt(b'').verdict('/a', 'ExampleBot').reason)"
    assert run(python, "-c", program, cwd=foreign).strip() == "no-group"
    assert goodbot.__version__ in run(bare / "bin" / "goodbot", "--version", cwd=foreign)
    only_for_tests = "import goodbot; print('_html_events' in dir(goodbot._core))"
    assert run(python, "-c", only_for_tests, cwd=foreign).strip() == "False"


def test_readme_runs_in_a_fresh_environment(dist: Path) -> None:
    """In a fresh venv with the wheel and the extra `crawl`, every block prints what it shows."""
    said = run(sys.executable, ROOT / "release" / "check_readme.py", dist)
    assert "as told" in said


def test_the_source_distribution_tests_itself(dist: Path) -> None:
    """Its tests pass with the wheel that was built from it, without the checkout."""
    package = dist / "package"
    with zipfile.ZipFile(wheel_in(dist)) as wheel:
        wheel.extractall(package)  # noqa: S202  our own archive
    here: dict[str, Any] = {"cwd": unpacked(dist), "PYTHONPATH": str(package)}
    found = run(sys.executable, "-c", "import goodbot; print(goodbot.__file__)", **here)
    assert Path(found.strip()).is_relative_to(package)
    done = run(sys.executable, "-m", "pytest", "-q", *FAST, **here)
    assert " passed" in done
    assert "failed" not in done


def test_an_index_would_take_both(dist: Path) -> None:
    """`twine check --strict` passes, which also renders the description."""
    (packed,) = dist.glob("*.tar.gz")
    said = run(sys.executable, "-m", "twine", "check", "--strict", wheel_in(dist), packed)
    assert said.count("PASSED") == 2


def test_the_wheel_of_the_plugin_holds_what_it_should(polars_dist: Path) -> None:
    """It has the library, its types and all licences, also of the crates, and no more."""
    (path,) = polars_dist.glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
    information = f"{POLARS}.dist-info"
    assert {name.partition("/")[0] for name in names} == {"goodbot_polars", information}
    for needed in ("__init__.py", "py.typed"):
        assert f"goodbot_polars/{needed}" in names
    for needed in ("METADATA", "licenses/LICENSE", "licenses/THIRD_PARTY_LICENSES.txt"):
        assert f"{information}/{needed}" in names
    assert sum(name.endswith(".so") for name in names) == 1
    assert not [name for name in names if name.endswith((".rs", ".pyc", ".toml"))]


def test_the_examples_run_in_a_fresh_environment(
    dist: Path, polars_dist: Path, tmp_path: Path
) -> None:
    """In a fresh venv with both wheels and the extra `polars`, the adapter's examples run."""
    for path in (wheel_in(dist), wheel_in(polars_dist)):
        shutil.copy(path, tmp_path)
    said = run(sys.executable, ROOT / "release" / "check_polars.py", tmp_path, cwd=tmp_path)
    assert "as told" in said


def test_goodbot_does_not_carry_the_plugin(dist: Path) -> None:
    """The source distribution of goodbot builds without it; it has one of its own."""
    assert not (unpacked(dist) / "plugins").exists()


def test_an_index_would_take_the_plugin(polars_dist: Path) -> None:
    """Both of its files, as those of goodbot."""
    files = sorted(polars_dist.glob(f"{POLARS}*"))
    assert run(sys.executable, "-m", "twine", "check", "--strict", *files).count("PASSED") == 2
