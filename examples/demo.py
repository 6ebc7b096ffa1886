"""The main job on a bundled example: questions about an antique shop's robots.txt, with reasons.

Every answer is that of the real command, which is printed above it. Run it with `make demo`.
"""  # noqa: INP001  a script of its own

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SHOP = "examples/shop/robots.txt"
SITE = "https://antiques.example"


class Step(NamedTuple):
    """A command with what it shows, and the exit status that it must have."""

    title: str
    arguments: tuple[str, ...]
    status: int


STEPS = (
    Step(
        "May Chair-Finder read the stock list, and the till behind it? (exit status 1: not both)",
        ("check", "-f", SHOP, "-r", "Chair-Finder", f"{SITE}/till/stock", f"{SITE}/till/today"),
        1,
    ),
    Step(
        "And a robot that the file does not name?",
        ("check", "-f", SHOP, "-r", "NosyBot/2.1", f"{SITE}/", f"{SITE}/photographs/originals/1"),
        1,
    ),
    Step(
        "Why may Attic-Spider read its own corner of /private?",
        ("check", "-f", SHOP, "-r", "Attic-Spider", "--explain", f"{SITE}/private/attic-spider/a"),
        0,
    ),
    Step(
        "Would every robot read it so?",
        ("check", "-f", SHOP, "-r", "Attic-Spider", "-d", "all", f"{SITE}/private/attic-spider/a"),
        1,
    ),
    Step(
        "What must a robot obey that gathers texts for models, and what is odd about the file?",
        ("rules", SHOP, "-r", "ExampleAIBot"),
        0,
    ),
)

YOUR_SITE = """\
Now your own site:
  curl -sSfL https://example.com/robots.txt |
    goodbot check --robots-txt - --robot ExampleBot https://example.com/page"""


def show(step: Step) -> bool:
    """Run one step; whether it left with the status that it must have."""
    print(f"\n# {step.title}\n$ goodbot {shlex.join(step.arguments)}", flush=True)  # noqa: T201  it is what a demonstration does
    command = [sys.executable, "-m", "goodbot", *step.arguments]
    status = subprocess.run(command, cwd=ROOT, check=False).returncode  # noqa: S603  our own words
    if status != step.status:
        print(f"demo: exit status {status}, not {step.status}", file=sys.stderr)  # noqa: T201  as above
    return status == step.status


def main() -> int:
    """Run every step, also where one fails."""
    print(f"An antique shop's robots.txt: {SHOP}")  # noqa: T201  as above
    passed = [show(step) for step in STEPS]
    print(f"\n# {YOUR_SITE}", flush=True)  # noqa: T201  as above
    return 0 if all(passed) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader has seen enough; leave nothing for the interpreter to write.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
