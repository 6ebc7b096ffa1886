"""The main job on bundled sites: crawl them politely, search, show what was kept, and prove it.

Every answer is that of the real command, which is printed above it. Run it with `make demo`; the
folder of the crawl is kept, so that one can look further: `python examples/demo.py DIR` names it.
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
"""Seconds for which a command may end what is under way, when the demonstration is interrupted."""

MANNERS = """\
The manners are shortened, so that nobody has to wait long: to a site that
states no pace goodbot leaves 10 seconds between visits, here 1 (--pause=1).
But these sites ask for 1 second in robots.txt, and that is what is kept.
What has its turn later than in 5 seconds is left for another run
(--patience=5), such as the lighthouse. All of it takes half a minute."""

YOUR_SITE = """\
Now your own site. Say who asks, and where somebody reads mail. The pace is 10
seconds between visits, or what your robots.txt asks for:
  goodbot crawl https://example.com/ --robot ExampleBot/1.0 \\
    --info-url https://example.com/bot --contact bot@example.com \\
    --max-pages 50 --out crawl"""


class Step(NamedTuple):
    """A command with what it shows, and the exit status that it must have."""

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
        "A word between these two is marked robots-noindex: no phrase (exit status 1),",
        ("search", folder, '"silver herring"'),
        1,
    )
    yield Step(
        "but each word is found, and the quotation shows the gap.",
        ("search", folder, "silver herring"),
    )
    yield Step(
        "Parts of this page may not be archived: the copy says where.",
        ("show", folder, f"{at['harbour']}/prices.html"),
    )
    yield Step(
        "Why was this page not fetched? Its line of robots.txt, as it was obeyed.",
        ("evidence", folder, f"{at['antiques']}/private/ledger.html"),
    )
    yield Step("What else was not fetched, and who says so?", ("skipped", folder))
    yield Step("Was anybody visited too early? Open the page that this writes.", ("report", folder))
    yield Step(
        "No crawl is needed to ask a robots.txt (exit status 1: it may not).",
        ("check", "-f", SHOP, "-r", "Chair-Finder", "--explain", TILL),
        1,
    )


def told(arguments: tuple[str, ...]) -> str:
    """Write a command as one would type it, in lines that fit a terminal."""
    lines = ["$ goodbot"]
    for word in map(shlex.quote, arguments):
        if len(lines[-1]) + len(word) > COLUMNS:
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += f" {word}"
    return "\n".join(lines)


async def show(step: Step) -> bool:
    """Run one step; whether it left with the status that it must have."""
    print(f"\n# {step.title}\n{told(step.arguments)}", flush=True)  # noqa: T201  it is what a demonstration does
    command = [sys.executable, "-m", "goodbot", *step.arguments]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT)
    try:
        status = await process.wait()
    except asyncio.CancelledError:
        # Ctrl-C on a terminal is heard by the command as well: it ends what is under way.
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(process.wait(), GRACE)
        with suppress(ProcessLookupError):
            process.terminate()
        raise
    if status != step.status:
        print(f"demo: exit status {status}, not {step.status}", file=sys.stderr)  # noqa: T201  as above
    return status == step.status


async def demonstrate(folder: str) -> bool:
    """Run the steps until one fails; whether all passed."""
    async with Sites() as sites:
        print("Example sites are served on this machine:")  # noqa: T201  as above
        for name, site in sites.sites.items():
            print(f"  {sites.origins[name]:23} {site.about.partition(':')[0]}")  # noqa: T201  as above
        print(f"\n{MANNERS}")  # noqa: T201  as above
        for step in steps(folder, sites):
            if not await show(step):
                return False
    print(f"\n# All of it is kept in {folder}: delete it at will.")  # noqa: T201  as above
    print(f"\n# {YOUR_SITE}", flush=True)  # noqa: T201  as above
    return True


def main(arguments: list[str]) -> int:
    """Demonstrate, in the folder that is named or in a new one."""
    if len(arguments) > 1:
        print("usage: python examples/demo.py [DIR]", file=sys.stderr)  # noqa: T201  as above
        return 2
    folder = arguments[0] if arguments else tempfile.mkdtemp(prefix="goodbot-demo-")
    return 0 if asyncio.run(demonstrate(os.path.abspath(folder))) else 1  # noqa: PTH100  it need not be there


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader has seen enough; leave nothing for the interpreter to write.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
