"""Measure the service: a warm verdict, batches, turns on SQLite, and memory.

python benchmarks/service.py       print the rows alone, in two minutes
python benchmarks/run.py --record  the same among all others, in RESULTS.md

Each application is served by granian in a process of its own, with the options of `goodbot serve`,
and the client is this process: two quiet CPUs are needed. Times of the service and of a bare
application are taken by turns. A turn is two requests: it is given, and it is ended.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

from drawing import Target, at_least, at_most, table

HERE = Path(__file__).resolve().parent
PYTHON = HERE.parent / "python"
PORT = 8_690
REQUESTS = 12_000
CLIENTS = 8
WORKERS = 64
BATCH = 2_000
SITES = 1_000
"""How many sites one question names, while memory is measured."""
TIMES = 10
"""How often our batch is sent for each one of the peer: the system counts CPU in hundredths."""
ORIGINS = 100_000
MORE = 20_000
"""How many sites come after those, while memory must stay as it is: all caches were full before."""
BARE = " times that of a bare 204"
DELAY, PAUSE = "0.1", 1.5
"""The Crawl-delay of each site, and the seconds after which it may be visited: the robot waits for
a second at least, and robots.txt was a visit, too."""
ROUNDS = 3
"""How many turns each site gets; a round takes longer than the pause between two."""
TICKS = os.sysconf("SC_CLK_TCK")


@contextmanager
def served(app: str, port: int, *, factory: bool = True, **env: str) -> Iterator[int]:
    """Serve an application; yield the process that serves it."""
    words = [sys.executable, "-m", "granian", "--interface", "asgi", "--http", "1", "--no-ws",
             "--port", str(port), "--log-level", "error", "--backpressure", "2048",
             "--workers-kill-timeout", "5",
             f"service_apps:{app}"]  # fmt: skip
    if factory:
        words.insert(3, "--factory")
    environment = {**os.environ, "PYTHONPATH": f"{PYTHON}:{HERE}", **env}
    process = subprocess.Popen(words, env=environment)  # noqa: S603  our own program
    try:
        asyncio.run(wait_for(port))
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        yield int(children.split()[0])
    finally:
        process.terminate()
        process.wait()


async def wait_for(port: int) -> None:
    """Wait until a server listens."""
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
            continue
        writer.close()
        return


def cpu(process: int) -> float:
    """Return the seconds of CPU that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(process: int) -> int:
    """Return the bytes of memory that a process has."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))


class Connection:
    """One connection to a server, kept open."""

    def __init__(self, port: int) -> None:
        """Store the port."""
        self.port = port

    async def __aenter__(self) -> "Connection":  # noqa: PYI034  Self is of Python 3.11
        """Connect."""
        self.reader, self.writer = await asyncio.open_connection(
            "127.0.0.1", self.port, limit=2**26
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close it."""
        self.writer.close()

    async def ask(self, method: str, target: str, content: object = None) -> bytes:
        """Send a request; return the content of the answer."""
        body = b"" if content is None else json.dumps(content).encode()
        head = f"{method} {target} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        self.writer.write(f"{head}\r\n".encode() + body)
        fields = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        if b"transfer-encoding: chunked" in fields:
            parts = []
            while size := int(await self.reader.readuntil(b"\r\n"), 16):
                parts.append(await self.reader.readexactly(size))
                await self.reader.readexactly(2)
            await self.reader.readexactly(2)
            return b"".join(parts)
        start = fields.find(b"content-length:")
        if start < 0:
            return b""
        return await self.reader.readexactly(int(fields[start + 15 :].split(b"\r\n", 1)[0]))


async def load(port: int, target: str, count: int) -> list[float]:
    """Send requests by several clients; return the seconds of each."""
    seconds: list[float] = []

    async def client() -> None:
        async with Connection(port) as connection:
            for _ in range(count // CLIENTS):
                start = time.perf_counter()
                await connection.ask("GET", target)
                seconds.append(time.perf_counter() - start)

    await asyncio.gather(*[client() for _ in range(CLIENTS)])
    return sorted(seconds)


async def ask_once(port: int, method: str, target: str, content: object = None) -> bytes:
    """Send one request."""
    async with Connection(port) as connection:
        return await connection.ask(method, target, content)


def measure_warm(repeats: int, count: int) -> list[Target]:
    """Compare a warm verdict with a bare application, by turns."""
    target = "/v1/verdicts?robot=ExampleBot&url=https%3A%2F%2Fa.example%2Fprivate%2Fx"
    ratios: list[float] = []
    tails: list[float] = []
    with served("bare", PORT, factory=False) as first, served("answering", PORT + 1) as second:
        asyncio.run(ask_once(PORT + 1, "POST", "/v1/verdicts", {"urls": ["https://a.example/"]}))
        answer = asyncio.run(ask_once(PORT + 1, "GET", target))
        assert json.loads(answer)["reason"] == "rule-disallows"  # noqa: S101  a wrong answer is no measurement
        for _ in range(repeats + 1):
            found = []
            for port, process in ((PORT, first), (PORT + 1, second)):
                before = cpu(process)
                seconds = asyncio.run(load(port, target, count))
                found.append((cpu(process) - before, seconds[int(len(seconds) * 0.99)]))
            ratios.append(found[1][0] / max(found[0][0], 1 / TICKS))
            tails.append(found[1][1] / found[0][1])
    return [
        at_most("CPU of a warm verdict", statistics.median(ratios[1:]), 1.5, BARE),
        at_most("p99 of a warm verdict", statistics.median(tails[1:]), 1.5, BARE),
    ]  # fmt: skip


def measure_batches(repeats: int, count: int) -> list[Target]:
    """Compare batches with a service around Protego, by CPU time; the answers must be equal."""
    urls = [
        f"https://a.example/{'private' if number % 3 else 'part7' if number % 2 else 'x'}/{number}"
        for number in range(count)
    ]
    question = {"urls": urls, "robots": ["ExampleBot"]}
    ratios = []
    with served("answering", PORT) as ours, served("peer", PORT + 1) as theirs:
        for _ in range(repeats + 1):
            before = cpu(ours)
            for _ in range(TIMES):
                answer = asyncio.run(ask_once(PORT, "POST", "/v1/verdicts", question))
            own = max((cpu(ours) - before) / TIMES, 1 / TICKS / TIMES)
            before = cpu(theirs)
            other = asyncio.run(ask_one_by_one(PORT + 1, urls))
            ratios.append((cpu(theirs) - before) / own)
            found = [row["allowed"] for row in json.loads(answer)["verdicts"]]
            assert found == other  # noqa: S101  a wrong answer is no measurement
    what = "URLs for the same CPU in batches"
    return [at_least(what, statistics.median(ratios[1:]), 50, " times FastAPI with Protego")]


async def ask_one_by_one(port: int, urls: list[str]) -> list[bool]:
    """Request the verdict of the peer on each URL, as its clients would."""
    found = []
    async with Connection(port) as connection:
        for url in urls:
            target = "/can_fetch?" + urlencode({"url": url, "robot": "ExampleBot"})
            found.append(json.loads(await connection.ask("GET", target))["allowed"])
    return found


async def take_turns(port: int, sites: int, rounds: int) -> float:
    """Begin and end turns at sites, each of which one worker visits; return the seconds."""

    async def worker(number: int) -> None:
        async with Connection(port) as connection:
            for site in list(range(sites // WORKERS)) * rounds:
                url = f"https://{number}-{site}.example/a"
                given = json.loads(await connection.ask("POST", "/v1/turns", {"url": url}))
                assert given["turn"] == "granted", given  # noqa: S101  as above
                ended = {"status": 200, "seconds": 0.01}
                await connection.ask("POST", f"/v1/turns/{given['id']}", ended)

    start = time.perf_counter()
    await asyncio.gather(*[worker(number) for number in range(WORKERS)])
    return time.perf_counter() - start


def measure_turns(sites: int, rounds: int) -> list[Target]:
    """Count turns on a SQLite file, whose changes survive a power cut."""
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "robots.db")
        with served("answering", PORT, BENCH_STORE=file, BENCH_DELAY=DELAY) as process:
            urls = [f"https://{number}-{site}.example/a" for number in range(WORKERS)
                    for site in range(sites // WORKERS)]  # fmt: skip
            for start in range(0, len(urls), 1_000):
                content = {"urls": urls[start : start + 1_000], "wait": 60}
                asyncio.run(ask_once(PORT, "POST", "/v1/verdicts", content))
            time.sleep(PAUSE)
            before = cpu(process)
            seconds = asyncio.run(take_turns(PORT, sites, rounds))
            each = (cpu(process) - before) / (sites * rounds)
    return [
        at_least("turns on SQLite", sites * rounds / seconds, 2_000, " a second"),
        at_most("CPU of a turn", each * 1e6, 500, " µs"),
    ]


def measure_memory(count: int, more: int) -> list[Target]:
    """Read the memory after so many sites, and after more; the store is as by default."""
    sizes = []
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "robots.db")
        with served("answering", PORT, BENCH_STORE=file, BENCH_QUICK="1") as process:
            for start in range(0, count + more, SITES):
                urls = [f"https://{start + number}.example/" for number in range(SITES)]
                content = {"urls": urls, "wait": 60}
                asyncio.run(ask_once(PORT, "POST", "/v1/verdicts", content))
                if start + SITES in {count, count + more}:
                    sizes.append(memory(process) / 2**20)
    return [
        at_most(f"memory at {count:,} sites", sizes[0], 150, " MiB"),
        at_most(f"memory at {count + more:,} sites", sizes[-1] / sizes[0], 1.02, " times that"),
    ]  # fmt: skip


def measure(repeats: int, *, is_test: bool = False) -> list[Target]:
    """Measure everything."""
    few = 20 if is_test else 1
    return [
        *measure_warm(repeats, REQUESTS // few),
        *measure_batches(repeats, BATCH // few),
        *measure_turns(*((WORKERS * 2, 1) if is_test else (WORKERS * 75, ROUNDS))),
        *measure_memory(*((4_000, 1_000) if is_test else (ORIGINS, MORE))),
    ]


def section(targets: Sequence[Target]) -> str:
    """Return the measurements as a table."""
    head = "By granian on one CPU, the client on another, on SQLite whose changes are durable.\n\n"
    rows = [[one.wanted, one.measured, "yes" if one.met else "no"] for one in targets]
    return head + table(["target", "measured", "met"], rows)


if __name__ == "__main__":
    print(section(measure(5, is_test="--test" in sys.argv)))
