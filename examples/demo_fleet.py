"""Crawl the example sites on eight machines, kill one, and show that nothing is lost.

Each machine is a network namespace of this one, with an address of its own; the sites and a server
of PostgreSQL are in another. Run it with `make demo-fleet`, as root on Linux with PostgreSQL
installed. Nothing outside these namespaces is changed, and they are removed at the end. The crawl
is kept, so that you can explore it; `python examples/demo_fleet.py DIR` chooses where.
"""  # noqa: INP001  a script of its own

import asyncio
import json
import os
import pwd
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from serve import Sites

from goodbot.crawl import open_readonly
from goodbot.crawl.evidence.reading import requests_at
from goodbot.store import PostgresStore

ROOT = Path(__file__).resolve().parent.parent
MACHINES = 8
HUB, MACHINE = "gbdemo-hub", "gbdemo-{}"
ADDRESS = "10.77.0.{}"
SITES_AT = ADDRESS.format(1)
LEASE = 6
"""Seconds after which the sites of a machine that is gone pass to others."""
WORKING = 3
"""Once so many machines have sites, the one with the most is killed."""
VISITS = 40
"""After so many requests, it is killed in any case."""
OF_WORKER = (
    f"--lease={LEASE}",
    # Sites pass to other machines when their results are published, or when a request of a machine
    # that is gone must have ended.
    "--publish-after=2",
    "--timeout=5",
    # Longer than the half minute after which the first URLs are due, and than a lease takes.
    "--patience=45",
    "--allow-private",
)
ROBOT = (
    "--robot=ExampleBot/1.0",
    "--info-url=https://example.com/bot",
    "--contact=bot@example.com",
)
GOODBOT = (sys.executable, "-m", "goodbot")


def say(text: str) -> None:
    """Print a line at once."""
    print(text, flush=True)  # noqa: T201  a demonstration prints


def run(*words: str | Path, user: str | None = None) -> str:
    """Run a command that must succeed; return its output."""
    done = subprocess.run(  # noqa: S603  ours
        [str(word) for word in words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        user=user,
        check=False,
        text=True,
        cwd=ROOT if user is None else "/",
    )
    if done.returncode:
        sys.exit(f"demo: {shlex.join(map(str, words))}: {done.stdout}")
    return done.stdout


def show(*words: str) -> str:
    """Print a command of goodbot, and its output."""
    say(f"\n$ goodbot {shlex.join(words)}")
    output = run(*GOODBOT, *words)
    say(output.rstrip())
    return output


# The network: a bridge, with a cable to each machine.


@contextmanager
def machines() -> Iterator[None]:
    """Make the network; remove it, with all that runs in it."""
    names = [MACHINE.format(number) for number in range(1, MACHINES + 1)]
    remove([HUB, *names])
    try:
        run("ip", "netns", "add", HUB)
        for words in (
            ("link", "set", "lo", "up"),
            ("link", "add", "bridge", "type", "bridge"),
            ("address", "add", f"{SITES_AT}/24", "dev", "bridge"),
            ("link", "set", "bridge", "up"),
        ):
            run("ip", "-n", HUB, *words)
        for number, name in enumerate(names, start=1):
            run("ip", "netns", "add", name)
            port = f"port{number}"
            cable = ("type", "veth", "peer", "name", "eth0", "netns", name)
            run("ip", "-n", HUB, "link", "add", port, *cable)
            run("ip", "-n", HUB, "link", "set", port, "master", "bridge", "up")
            address = f"{ADDRESS.format(number + 1)}/24"
            run("ip", "-n", name, "address", "add", address, "dev", "eth0")
            run("ip", "-n", name, "link", "set", "eth0", "up")
            run("ip", "-n", name, "link", "set", "lo", "up")
        yield
    finally:
        remove([HUB, *names])


def remove(names: list[str]) -> None:
    """Remove those of some namespaces that exist."""
    there = {line.split()[0] for line in run("ip", "netns", "list").splitlines() if line}
    for name in there.intersection(names):
        kill(name)
        run("ip", "netns", "delete", name)


def kill(name: str) -> int:
    """Kill all processes of a machine at once, as a power cut does; return how many."""
    found = [int(one) for one in run("ip", "netns", "pids", name).split()]
    for process in found:
        if process != os.getpid():
            os.kill(process, 9)
    return len(found)


# PostgreSQL.


def postgresql() -> list[Path]:
    """Return where the programs of PostgreSQL are, as Debian has them, the newest last."""
    return sorted(path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb"))


@contextmanager
def database() -> Iterator[str]:
    """Run a server of PostgreSQL; yield the URL of its database."""
    programs = postgresql()[-1]
    user = "nobody"  # PostgreSQL refuses to run as root
    with tempfile.TemporaryDirectory(prefix="gbdemo-") as folder:
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
        data, log = Path(folder, "data"), Path(folder, "log")
        run(programs / "initdb", "-D", data, "-U", "robot", "--auth=trust", user=user)
        # By its socket, which namespaces share; without a network nobody else can reach it.
        options = f"-c listen_addresses='' -c unix_socket_directories={folder}"
        start = (programs / "pg_ctl", "-D", data, "-w", "-l", log)
        run(*start, "-o", options, "start", user=user)
        try:
            yield f"postgresql://robot@/postgres?host={quote(folder, safe='')}"
        finally:
            run(*start, "-m", "immediate", "stop", user=user)


# The crawl.


async def crawl(sites: Sites, fleet: str, folder: Path) -> int:
    """Crawl, and kill a machine; return its number."""
    workers = {}
    for number in range(1, MACHINES + 1):
        words = ["fleet", "work", fleet, f"--out={folder}/machine-{number}", "--quiet"]
        words += [f"--name=machine {number}", *OF_WORKER]
        command = ["ip", "netns", "exec", MACHINE.format(number), *GOODBOT, *words]
        with (folder / f"machine-{number}.log").open("wb") as log:
            workers[number] = await asyncio.create_subprocess_exec(
                *command, cwd=ROOT, stdout=log, stderr=log
            )
    say(f"\nEach of {MACHINES} machines runs: goodbot fleet work {fleet} --out machine-N")
    killed = 0
    while not killed:
        if all(worker.returncode is not None for worker in workers.values()):
            sys.exit(f"demo: all machines ended before one was killed; see {folder}/machine-*.log")
        await asyncio.sleep(0.1)
        held = await asyncio.to_thread(sites_held, fleet)
        if sites.visits and (len(held) >= WORKING or (held and len(sites.visits) >= VISITS)):
            killed = max(held, key=lambda number: held[number])
    count = kill(MACHINE.format(killed))
    say(
        f"\nAfter {len(sites.visits)} requests, machine {killed} loses its power, with "
        f"{held[killed]} of the {sum(held.values())} leased sites: {count} killed."
    )
    await asyncio.to_thread(show, "fleet", "status", fleet)
    for number, worker in workers.items():
        if await worker.wait() and number != killed:
            text = (folder / f"machine-{number}.log").read_text(encoding="utf-8")
            sys.exit(f"demo: machine {number} failed: {text}")
    return killed


def sites_held(fleet: str) -> dict[int, int]:
    """Return the machines that have leased sites, and how many each."""
    state = json.loads(run(*GOODBOT, "fleet", "status", fleet, "--json"))
    found = {one["name"].removeprefix("machine "): one["sites"] for one in state["workers"]}
    return {int(name): count for name, count in found.items() if count}


def compare(sites: Sites, fleet: str, folder: Path, killed: int) -> bool:
    """Return whether all that the sites served is in the crawl, and every pause was kept."""
    gathered = str(folder / "gathered")
    show("fleet", "gather", fleet, gathered)
    show("report", gathered)  # it fails if a request was early
    served, recorded = Counter(sites.visits), Counter[tuple[str, str]]()
    with open_readonly(gathered) as crawled, closing(PostgresStore(fleet)) as store:
        for name, origin in sites.origins.items():
            rows = requests_at(crawled, origin)
            recorded.update((name, row.url.removeprefix(origin)) for row in rows)
            # A robots.txt that the killed machine fetched is known to all others by the database.
            recorded[name, "/robots.txt"] += store.get(origin) is not None
    lost = [url for url in served if not recorded[url]]
    state = json.loads(run(*GOODBOT, "fleet", "status", fleet, "--json"))
    say(f"\nThe sites saw {sum(served.values())} requests for {len(served)} URLs.")
    say(f"Requests that machine {killed} did not publish: {sum((served - recorded).values())}")
    say(f"URLs that were requested again: {sum(count > 1 for count in served.values())}")
    say(f"URLs that a site served and the crawl lacks: {lost or 0}")
    return not (lost or state["workers"] or state["urls"].get("leased"))


async def demonstrate(folder: Path) -> bool:
    """Run the demonstration; return whether nothing was lost."""
    with database() as fleet:
        objects = f"--objects=file://{folder}/objects"
        async with Sites(host=SITES_AT) as sites:
            await asyncio.to_thread(show, "fleet", "init", fleet, *ROBOT, "--pause=1", objects)
            await asyncio.to_thread(show, "fleet", "add", fleet, *sites.starts)
            killed = await crawl(sites, fleet, folder)
            await asyncio.to_thread(show, "fleet", "status", fleet)
            is_whole = await asyncio.to_thread(compare, sites, fleet, folder, killed)
    say("\nNothing was lost." if is_whole else "\nSomething was lost.")
    say(f"The crawl is in {folder}/gathered; delete {folder} when you like.")
    return is_whole


def main(arguments: list[str]) -> int:
    """Run the demonstration in the given folder, or in a new one."""
    # Nothing may be left when it is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if arguments[:1] == ["--inside"]:
        return 0 if asyncio.run(demonstrate(Path(arguments[1]))) else 1
    lacking = [
        *(["root"] if os.geteuid() else []),
        *([] if shutil.which("ip") else ["ip (apt-get install iproute2)"]),
        *([] if postgresql() else ["PostgreSQL (apt-get install postgresql)"]),
    ]
    if lacking:
        say(f"This demonstration needs {', '.join(lacking)}.")
        return 2
    folder = arguments[0] if arguments else tempfile.mkdtemp(prefix="goodbot-fleet-")
    Path(folder).mkdir(exist_ok=True)
    with machines():
        inside = ("ip", "netns", "exec", HUB, sys.executable, __file__, "--inside")
        command = [*inside, str(Path(folder).resolve())]
        return subprocess.run(command, check=False).returncode  # noqa: S603  ours


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
