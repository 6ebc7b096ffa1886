"""Run README's examples in a fresh environment that has a wheel and what it requires, no checkout.

    python release/check_readme.py DIST

DIST is the folder with the wheel. pip fetches what the extra `crawl` requires from its index.
"""

import itertools
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
DOCTEST = "import doctest, sys; sys.exit(bool(doctest.testfile(sys.argv[1], False).failed))"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMANDS = "Scripts" if os.name == "nt" else "bin"


def installed(dist: Path, folder: Path, extra: str = "crawl") -> Path:
    """Install the wheel of a folder with an extra; return the folder of the commands."""
    (wheel,) = dist.glob("goodbot-*.whl")
    venv.create(folder, with_pip=True)
    commands = folder / COMMANDS
    python = str(commands / "python")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--find-links", str(dist), f"{wheel}[{extra}]"], check=True)  # noqa: S603  ours
    return commands


def check_python(blocks: list[str], commands: Path, folder: Path) -> None:
    """Run the examples of Python, one after the other, as one session.

    Raises:
        CalledProcessError: One prints something else than README says.

    """
    session = folder / "session.txt"
    session.write_text("\n".join(blocks), encoding="utf-8")
    command = [str(commands / "python"), "-I", "-c", DOCTEST, str(session)]
    subprocess.run(command, cwd=folder, check=True)  # noqa: S603  ours


def check_shell(script: str, printed: str, commands: Path, folder: Path) -> None:
    """Run a block of commands, and compare what it prints with the block behind it.

    Raises:
        SystemExit: It prints something else.

    """
    path = os.pathsep.join([str(commands), os.environ["PATH"]])
    done = subprocess.run(  # noqa: S603  README's own words
        ["bash", "-c", script],  # noqa: S607  wherever it is
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "200"},
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    if done.stdout.splitlines() != printed.splitlines():
        sys.exit(f"README promises\n{printed}\nand this is printed:\n{done.stdout}{done.stderr}")


def main(dist: str) -> None:
    """Check every block that can be run."""
    blocks = BLOCK.findall(README.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        commands = installed(Path(dist).resolve(), folder / "venv")
        elsewhere = folder / "elsewhere"
        elsewhere.mkdir()
        sessions = [text for kind, text in blocks if kind == "python"]
        check_python(sessions, commands, elsewhere)
        pairs = itertools.pairwise(blocks)
        scripts = [
            (one[1], other[1]) for one, other in pairs if (one[0], other[0]) == ("sh", "text")
        ]
        for script, printed in scripts:
            check_shell(script, printed, commands, elsewhere)
    sys.stdout.write(f"{len(sessions)} examples of Python, {len(scripts)} of commands: as told.\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
