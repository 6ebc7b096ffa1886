"""The wheel: what it holds, and that it works where there is nothing but what it asks for."""

import importlib.metadata
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import goodbot
from tests.support.paths import ROOT


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Run a command that must succeed, and return what it printed."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def copy_requirements(site_packages: Path) -> None:
    """Copy what goodbot says it needs, and nothing else, as it is installed here."""
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


@pytest.mark.timeout(600)
def test_the_wheel_works_elsewhere_without_development_tools(tmp_path: Path) -> None:
    """The wheel holds what it should, and answers in an environment of only what it asks for."""
    run(Path(sys.executable).parent / "maturin", "build", "--release", "--quiet", "--out", tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    check_contents(zipfile.ZipFile(wheel).namelist())

    bare = tmp_path / "bare"
    base = sys._base_executable  # type: ignore[attr-defined]  # noqa: SLF001 - the way out of a venv
    run(base, "-m", "venv", bare)
    python = bare / "bin" / "python"
    site_packages = Path(
        run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    )
    copy_requirements(site_packages)
    run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel)

    foreign = tmp_path / "foreign"
    foreign.mkdir()
    program = "import goodbot; print(goodbot.RobotsTxt(b'').verdict('/a', 'ExampleBot').reason)"
    assert run(python, "-c", program, cwd=foreign).strip() == "no-group"
    assert goodbot.__version__ in run(bare / "bin" / "goodbot", "--version", cwd=foreign)
    only_for_tests = "import goodbot; print('_html_events' in dir(goodbot._core))"
    assert run(python, "-c", only_for_tests, cwd=foreign).strip() == "False"


def check_contents(names: list[str]) -> None:
    """Assert that a wheel has its package, its types, its licence and its command, and no more."""
    information = f"goodbot-{goodbot.__version__}.dist-info"
    assert {name.partition("/")[0] for name in names} == {"goodbot", information}
    for needed in ("__init__.py", "errors.py", "_core.pyi", "py.typed", "cli/__init__.py"):
        assert f"goodbot/{needed}" in names
    for needed in ("METADATA", "RECORD", "entry_points.txt", "licenses/LICENSE"):
        assert f"{information}/{needed}" in names
    assert sum(name.startswith("goodbot/_core.") and name.endswith(".so") for name in names) == 1
    assert not [
        name for name in names if name.endswith((".rs", ".pyc", ".toml")) or "test_" in name
    ]
