"""Crawl the bundled example sites, search them, show a copy, and show the evidence.

The program runs the real commands and prints each of them above its output. Run it with
`make demo`. The folder of the crawl is kept, so that you can explore it; to choose the folder, use
`python examples/demo.py DIR`.
"""  # noqa: INP001  a script of its own

import asyncio
import os
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from serve import Sites

ROOT = Path(__file__).resolve().parent.parent
SHOP = "examples/shop/robots.txt"
TILL = "https://antiques.example/till/today"
COLUMNS = 76
GRACE = 10.0
"""How many seconds a command may take to stop when the demonstration is interrupted."""

MANNERS = """\
The pauses are short, so that the demonstration takes half a minute. If a site
states no pace, goodbot usually waits 10 seconds between visits; here it waits
1 second (--pause=1). Some of these sites ask for 1 second in robots.txt, and
goodbot obeys. URLs that are not due within 5 seconds are left for another run
(--patience=5); the lighthouse is one of them."""

YOUR_SITE = """\
Now crawl your own site. Replace example.com, and the two values by which
sites can see who visits. goodbot waits 10 seconds between visits, or as long as
your robots.txt asks for:
  goodbot crawl https://example.com/ --robot ExampleBot/1.0 \\
    --info-url https://example.com/bot --contact bot@example.com \\
    --max-pages 50 --out crawl"""


class Step(NamedTuple):
    """A command, what it shows, and its expected exit status."""

    title: str
    arguments: tuple[str, ...]
    status: int = 0


def steps(folder: str, sites: Sites) -> Iterator[Step]:
    """Yield the steps in their order."""
    at = sites.origins
    identity = ("--info-url=https://example.com/bot", "--contact=bot@example.com")
    shortened = ("--allow-private", "--pause=1", "--patience=5", f"--out={folder}")
    robot = ("--robot=ExampleBot/1.0",)
    yield Step("Crawl them.", ("crawl", *sites.starts, *robot, *identity, *shortened))
    yield Step(
        "A word between these two is marked robots-noindex, so this phrase is not found.",
        ("search", folder, '"silver herring"'),
        1,
    )
    yield Step(
        "Each word by itself is found, and the quotation shows the gap.",
        ("search", folder, "silver herring"),
    )
    yield Step(
        "Parts of this page must not be archived, and the copy shows where.",
        ("archive", "show", folder, f"{at['harbour']}/prices.html"),
    )
    yield Step(
        "Why was this page not fetched? See the line of robots.txt.",
        ("evidence", folder, f"{at['antiques']}/private/ledger.html"),
    )
    yield Step("What else was not fetched, and why?", ("report", "skipped", folder))
    yield Step("Was any request too early? Open the page that this writes.", ("report", folder))
    yield Step(
        "You can also check a robots.txt without a crawl (exit status 1: disallowed).",
        ("check", "-f", SHOP, "-r", "Chair-Finder", "--explain", TILL),
        1,
    )


def told(arguments: tuple[str, ...]) -> str:
    """Return a command as typed, in lines that fit a terminal."""
    lines = ["$ goodbot"]
    for word in map(shlex.quote, arguments):
        if len(lines[-1]) + len(word) > COLUMNS:
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += f" {word}"
    return "\n".join(lines)


async def show(step: Step) -> bool:
    """Run one step; return whether it had the expected exit status."""
    print(f"\n# {step.title}\n{told(step.arguments)}", flush=True)  # noqa: T201  a demonstration prints
    command = [sys.executable, "-m", "goodbot", *step.arguments]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT)
    try:
        status = await process.wait()
    except asyncio.CancelledError:
        # Ctrl-C on a terminal reaches the command as well, which then stops in order.
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(process.wait(), GRACE)
        with suppress(ProcessLookupError):
            process.terminate()
        raise
    if status != step.status:
        print(f"demo: exit status {status} instead of {step.status}", file=sys.stderr)  # noqa: T201  as above
    return status == step.status


async def demonstrate(folder: str) -> bool:
    """Run the steps until one fails; return whether all passed."""
    async with Sites() as sites:
        print("Example sites are served on this machine:")  # noqa: T201  as above
        for name, site in sites.sites.items():
            print(f"  {sites.origins[name]:23} {site.about.partition(':')[0]}")  # noqa: T201  as above
        print(f"\n{MANNERS}")  # noqa: T201  as above
        for step in steps(folder, sites):
            if not await show(step):
                return False
    print(f"\n# The crawl is in {folder}; delete it when you like.")  # noqa: T201  as above
    print(f"\n# {YOUR_SITE}", flush=True)  # noqa: T201  as above
    return True


def main(arguments: list[str]) -> int:
    """Run the demonstration in the given folder, or in a new one."""
    if len(arguments) > 1:
        print("usage: python examples/demo.py [DIR]", file=sys.stderr)  # noqa: T201  as above
        return 2
    folder = arguments[0] if arguments else tempfile.mkdtemp(prefix="goodbot-demo-")
    return 0 if asyncio.run(demonstrate(os.path.abspath(folder))) else 1  # noqa: PTH100  it may not exist yet


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader closed the pipe; leave nothing for the interpreter to flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
