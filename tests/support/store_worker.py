"""A worker of tests/store/test_store.py in a process of its own.

store_worker.py visit PATH SEED     make visits in turn for a while, and print each
store_worker.py churn PATH SEED     change the store until it is killed, and print each change
"""

from __future__ import annotations

import datetime as dt
import random
import sys
import time

from goodbot.pace import Manners, PastVisit
from goodbot.store import Lease, SQLiteStore

ORIGINS = [f"https://{name}.example" for name in "abc"]
VISITS = 25
SPACE = dt.timedelta(milliseconds=8)
LEASE = 0.08
PAUSE = 0.01
VANISH = 0.06


def now() -> dt.datetime:
    """Return the time by this process's clock, not the store's."""
    return dt.datetime.now(tz=dt.timezone.utc)


def tell(*words: object) -> None:
    """Print a line and flush it, for the test."""
    print(*words, flush=True)  # noqa: T201  the test reads this


def visit(store: SQLiteStore, name: str, chance: random.Random) -> None:
    """Make visits; sometimes forget to return a lease, as a crashed process does."""
    left = VISITS
    while left:
        origin = chance.choice(ORIGINS)
        lease = store.acquire(origin, now(), LEASE, name, pause=PAUSE)
        started = now()
        if not isinstance(lease, Lease):
            time.sleep(chance.uniform(0, 0.004))
            continue
        left -= 1
        if chance.random() < VANISH:
            due = lease.expires + dt.timedelta(seconds=PAUSE)
            tell(origin, started.timestamp(), started.timestamp(), due.timestamp())
            continue
        time.sleep(chance.uniform(0, 0.002))
        ended = now()
        history = lease.history.after(PastVisit(started, ended, 200), Manners())
        store.release(lease, ended=ended, not_before=ended + SPACE, history=history)
        due = ended + SPACE
        if ended >= lease.expires:
            # The machine paused for longer than the lease, as if this process had crashed.
            ended, due = started, lease.expires + dt.timedelta(seconds=PAUSE)
        tell(origin, started.timestamp(), ended.timestamp(), due.timestamp())


def churn(store: SQLiteStore, name: str, chance: random.Random) -> None:
    """Change the store again and again; print a line for each committed change."""
    number = 0
    while True:
        number += 1
        origin = f"https://{chance.randint(0, 30)}.example"
        body = f"User-agent: {name}\nDisallow: /{number}\n".encode() * chance.randint(1, 400)
        store.put(origin, {"access": "rules", "number": number, "body": body}, now())
        tell("put", origin, number)
        lease = store.acquire(origin, now(), 0.001, name, pause=0)
        if isinstance(lease, Lease):
            history = lease.history.after(PastVisit(lease.granted, now(), 200), Manners())
            store.release(lease, ended=now(), not_before=now(), history=history)
            tell("lease", origin, lease.number)


if __name__ == "__main__":
    job, path, seed = sys.argv[1:]
    with SQLiteStore(path, durable=False, patience=60) as opened:
        chosen = random.Random(seed)  # noqa: S311  the same each time
        {"visit": visit, "churn": churn}[job](opened, f"worker {seed}", chosen)
