"""Time what the gate adds to a request: the ASGI middleware around a site that does nothing.

Also what a signature costs a robot that signs, and the gate that verifies it.

python benchmarks/gate.py       print the rows alone
"""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

import clock
from drawing import Target, at_most, table
from goodbot import bots
from goodbot.key_sets import refresh_keys
from goodbot.robot.signing_identity import SigningIdentity
from goodbot.site.gate import Enforcement, GatePolicy, GateRule
from goodbot.site.gate.middleware.asgi import ASGIGate, fields_of
from goodbot.site.gate.request_gate import RequestGate
from goodbot.site.gate.request_signatures import RequestSignatures
from goodbot.site.gate.robot_addresses import RobotAddresses
from goodbot.testing import FakeClock, FakeSite

REQUESTS = 20_000
NOW = datetime(2026, 12, 1, tzinfo=timezone.utc)
PERSON = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/{}.0"
ROBOT = "Mozilla/5.0 (compatible; GPTBot/1.{}; +https://openai.com/gptbot)"
OWN = "8.8.8.{}"
BROWSERS = 200
"""How many User-Agents people have."""
PAGES = 1_000
"""How many pages are asked for again and again."""
SIGNED, VERIFIED = "a robot, to sign it", "robots, to verify their signatures"
MOST = {"people": 20.0, "robots": 50.0, VERIFIED: 150.0, SIGNED: 100.0}
"""The targets, in microseconds a request."""
MOST_SIGNED = 4_000
"""How many signed requests there are, at most."""
NEW = "each a new one"
KEYS = "https://robot.example/keys.json"

Message = dict[str, Any]


@dataclass(frozen=True)
class GateRow:
    """One case: whose requests, on which paths, and what it adds to each."""

    who: str
    paths: str
    microseconds: float
    refused: int


def policy() -> GatePolicy:
    """Return a policy of forty rules that enforces everything."""
    parts = (GateRule(paths=(f"/part{n}/",), fetch=bool(n % 2)) for n in range(30))
    uses = (GateRule(paths=(f"/*.{n}",), uses={"train": False}) for n in range(8))
    rules = (
        *parts,
        *uses,
        GateRule(uses={"train": False, "search": True}),
        GateRule(purposes=("ai-training",), delay=1),
    )
    enforce = Enforcement(access=True, delay=True, spoofed="refuse")
    return GatePolicy(site="https://example.com", rules=rules, enforce=enforce)


async def site(_scope: Any, _receive: Any, send: Any) -> None:  # noqa: ANN401  as ASGI has it
    """Answer with an empty page."""
    headers = [(b"content-type", b"text/html")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def requests(user_agent: str, *, new: bool, count: int) -> list[Message]:
    """Return requests: for the same pages again and again, or each for a new one."""
    paths = (f"/part{n % 30}/page-{n if new else n % PAGES}.html" for n in range(count))
    return [
        {
            "type": "http",
            "method": "GET",
            "http_version": "1.1",
            "raw_path": path.encode(),
            "path": path,
            "query_string": b"",
            "client": (OWN.format(n % 250), 1234),
            "headers": [
                (b"host", b"example.com"),
                (b"accept", b"text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"),
                (b"accept-language", b"en"),
                (b"accept-encoding", b"gzip, deflate, br, zstd"),
                (b"user-agent", user_agent.format(n % BROWSERS).encode()),
            ],
        }
        for n, path in enumerate(paths)
    ]


def run(app: Any, asked: Sequence[Message]) -> list[int]:  # noqa: ANN401  as ASGI has it
    """Return the status of each request."""
    statuses: list[int] = []

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    async def every() -> None:
        for scope in asked:
            await app(scope, None, send)

    asyncio.run(every())
    return statuses


def measure(repeats: int, count: int = REQUESTS) -> list[GateRow]:
    """Time each case, less the same requests without it; medians of the repetitions."""
    addresses = RobotAddresses({"GPTBot": ["8.8.8.0/24"]}, complete=["GPTBot"])
    rows = []
    for who, user_agent in (("people", PERSON), ("robots", ROBOT)):
        for paths, new in (("the same 1,000", False), (NEW, True)):
            asked = requests(user_agent, new=new, count=count)
            refused, times = 0, []
            for _ in range(repeats):
                gate = RequestGate(policy(), addresses=addresses, clock=lambda: NOW)
                app = ASGIGate(site, gate)
                bare = clock.cpu_time(lambda: run(site, asked))  # noqa: B023  at once
                times.append(clock.cpu_time(lambda: run(app, asked)) - bare)  # noqa: B023
                refused = sum(status != 200 for status in run(app, asked))  # noqa: PLR2004  OK
            rows.append(GateRow(who, paths, clock.median(times) / count * 1e6, refused))
    return [*rows, *measure_signed(repeats, min(count, MOST_SIGNED))]


def measure_signed(repeats: int, count: int) -> list[GateRow]:
    """Time signing requests, each for a new page, and verifying them."""
    identity = SigningIdentity.new(KEYS, NOW)
    signatures = RequestSignatures({"GPTBot": KEYS})
    keys = FakeSite({"/keys.json": identity.published()}, clock=FakeClock(start=NOW))
    asyncio.run(refresh_keys(signatures.cache, keys, keys.clock))
    signatures.close()  # before its thread starts: the keys are here
    asked = requests(ROBOT, new=True, count=count)
    paths = [one["raw_path"].decode() for one in asked]
    robot = bots.get("GPTBot")

    def sign() -> None:
        for path, scope in zip(paths, asked, strict=True):
            lines = identity.sign(f"https://example.com{path}", NOW)
            scope["headers"][5:] = [(name.lower().encode(), said.encode()) for name, said in lines]

    def verify() -> None:
        verified.clear()
        for path, scope in zip(paths, asked, strict=True):
            field = fields_of(scope["headers"])
            verified.append(signatures.is_signed_by(robot, "GET", "example.com", path, field, NOW))

    verified: list[bool] = []
    signing, verifying = [], []
    for _ in range(repeats):
        signing.append(clock.cpu_time(sign))
        verifying.append(clock.cpu_time(verify))
    return [
        GateRow(VERIFIED, NEW, clock.median(verifying) / count * 1e6, verified.count(False)),
        GateRow(SIGNED, NEW, clock.median(signing) / count * 1e6, 0),
    ]


def wrong(rows: Sequence[GateRow]) -> list[str]:
    """Return the cases whose answers are not as expected."""
    found = [f"gate: {row.who}: refused" for row in rows if row.who != "robots" and row.refused]
    found += [
        f"gate: no {row.who} refused" for row in rows if row.who == "robots" and not row.refused
    ]
    return found


def targets(rows: Sequence[GateRow]) -> list[Target]:
    """Return the target of each case."""
    return [
        at_most(f"gate, {row.who}, {row.paths} pages", row.microseconds, MOST[row.who], " µs")
        for row in rows
    ]


def section(rows: Sequence[GateRow]) -> str:
    """Return the table."""
    cells = [(row.who, row.paths, f"{row.microseconds:.1f} µs") for row in rows]
    head = (
        "A policy of forty rules that enforces access and delays, in the ASGI middleware.\n"
        "Signatures are of Ed25519, by the library cryptography.\n\n"
    )
    return head + table(("requests of", "pages", "added to a request"), cells)


if __name__ == "__main__":
    measured = measure(5)
    sys.stdout.write(f"{section(measured)}\n{wrong(measured)}\n")
