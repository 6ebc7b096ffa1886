"""The wheel goodbot-polars: its source distribution builds it, and it works beside goodbot's."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import goodbot
from tests.support.paths import ROOT

MATURIN = Path(sys.executable).parent / "maturin"
PLUGIN = ROOT / "plugins" / "polars"
NAME = f"goodbot_polars-{goodbot.__version__}"


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command that must succeed, and return its output."""
    done = subprocess.run(  # noqa: S603  a command of this file
        [str(word) for word in command],
        cwd=cwd,
        # Third-party crates need not be compiled again.
        env={**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution, unpack it elsewhere, and build both wheels."""
    folder = tmp_path_factory.mktemp("dist")
    run(MATURIN, "sdist", "--out", folder, cwd=PLUGIN)
    with tarfile.open(folder / f"{NAME}.tar.gz") as archive:
        archive.extractall(folder / "unpacked")  # noqa: S202  our own archive
    options = ("--release", "--locked", "--quiet", "--out", folder)
    run(MATURIN, "build", *options, cwd=folder / "unpacked" / NAME)
    run(MATURIN, "build", *options, cwd=ROOT)
    return folder


def test_the_wheel_holds_what_it_should(dist: Path) -> None:
    """It has the library, its types and all licences, also of the crates, and no more."""
    (path,) = dist.glob("goodbot_polars-*.whl")
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
    information = f"{NAME}.dist-info"
    assert {name.partition("/")[0] for name in names} == {"goodbot_polars", information}
    for needed in ("__init__.py", "py.typed"):
        assert f"goodbot_polars/{needed}" in names
    for needed in ("METADATA", "licenses/LICENSE", "licenses/THIRD_PARTY_LICENSES.txt"):
        assert f"{information}/{needed}" in names
    assert sum(name.endswith(".so") for name in names) == 1
    assert not [name for name in names if name.endswith((".rs", ".pyc", ".toml"))]


def test_the_examples_run_in_a_fresh_environment(dist: Path, tmp_path: Path) -> None:
    """In a fresh venv with both wheels and the extra `polars`, the adapter's examples run."""
    said = run(sys.executable, ROOT / "release" / "check_polars.py", dist, cwd=tmp_path)
    assert "as told" in said


def test_goodbot_does_not_carry_the_plugin(dist: Path) -> None:
    """The source distribution of goodbot builds without it; it has one of its own."""
    run(MATURIN, "sdist", "--out", dist, cwd=ROOT)
    with tarfile.open(dist / f"goodbot-{goodbot.__version__}.tar.gz") as archive:
        assert not [name for name in archive.getnames() if "/plugins/" in name]


def test_an_index_would_take_both(dist: Path) -> None:
    """`twine check --strict` passes for the wheel and the source distribution."""
    said = run(
        sys.executable, "-m", "twine", "check", "--strict", *sorted(dist.glob(f"{NAME}*")), cwd=dist
    )
    assert said.count("PASSED") == 2
