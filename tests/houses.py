"""Test each house of the package with only its own extras installed: `make test-houses`.

Each has an environment of its own below a folder, which is made if it is not there. The package is
that of the checkout, with the core that `make develop` has built.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.houses import EXTRAS, folders
from tests.support.paths import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def requirements(house: str) -> list[str]:
    """Return what the tests of a house need: the package's own, its extras, and the tools."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    lines = [*project["dependencies"], *settings["dependency-groups"]["test-tools"]]
    for extra in EXTRAS[house]:
        lines += project["optional-dependencies"][extra]
    return [line for line in lines if not line.startswith("goodbot-")]  # that is built, not fetched


def test(house: str, environments: Path) -> int:
    """Install what a house needs, run its tests, and return the exit status of pytest."""
    environment = environments / house
    python = environment / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)  # noqa: S603  ours
    install = [str(python), "-m", "pip", "install", "--quiet", *requirements(house)]
    subprocess.run(install, check=True)  # noqa: S603  ours
    # As an installation would: also for programs that are started without our variables.
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "goodbot.pth").write_text(f"{ROOT / 'python'}\n", encoding="utf-8")
    print(f"{house}: with the extras {', '.join(EXTRAS[house])}", flush=True)  # noqa: T201
    words = [str(python), "-m", "pytest", "-q", "--house", house, "-n", "2", *folders(house)]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(words, cwd=ROOT, env=env, check=False).returncode  # noqa: S603  ours


if __name__ == "__main__":
    statuses = [test(house, Path(sys.argv[1])) for house in EXTRAS]
    sys.exit(max(statuses))
