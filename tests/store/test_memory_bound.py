"""A store in memory keeps within its bytes, and drops what was asked about least recently."""

from collections import OrderedDict
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot import WrongTypeError, WrongValueError
from goodbot.blocking import Robot
from goodbot.policy.size import MOST_BYTES
from goodbot.store import MemoryStore
from goodbot.store.memory import RECORD_BYTES
from goodbot.store.packing import pack
from goodbot.testing import FakeSite
from tests.support.examples import examples
from tests.support.robot_sites import ME

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


def record(body: bytes) -> dict[str, Any]:
    """Return a record with a robots.txt."""
    return {"access": "rules", "body": body}


def test_many_large_files_keep_within_the_bound() -> None:
    """300 files of 100 KB in 2 MB: the last ones are there, each whole."""
    store = MemoryStore(max_bytes=2_000_000)
    origins = [f"https://h{number}.example" for number in range(300)]
    for number, origin in enumerate(origins):
        store.put(origin, record(b"%d" % number + b"#" * 100_000), NOW)
    kept = [store.get(origin) for origin in origins]
    there = [found for found in kept if found is not None]
    assert kept[-1] is not None
    assert 15 <= len(there) <= 20
    assert kept[: -len(there)] == [None] * (300 - len(there))
    assert all(store.history(origin) == [] for origin in origins[: -len(there)])


def test_what_many_share_counts_once() -> None:
    """A robots.txt that 500 origins have in common takes its bytes once."""
    store, body = MemoryStore(max_bytes=2_000_000), b"#" * 500_000
    origins = [f"https://h{number}.example" for number in range(500)]
    store.put_many([(origin, record(body)) for origin in origins], NOW)
    assert all(store.get(origin) for origin in origins)


def test_one_file_that_is_larger_is_kept() -> None:
    """The record that was put last is there in any case; its history goes first."""
    store, origin = MemoryStore(max_bytes=10), "https://a.example"
    for day, body in enumerate((b"a", b"b", b"c" * 100)):
        store.put(origin, record(body), NOW + timedelta(days=day))
    assert store.get(origin) == record(b"c" * 100)
    assert len(store.history(origin)) == 1


def test_budgets_stay() -> None:
    """A record that is dropped makes no visit early."""
    store = MemoryStore(max_bytes=10)
    first = store.acquire("https://a.example", NOW, 60, "me")
    for name in "ab":
        store.put(f"https://{name}.example", record(b""), NOW)
    assert store.get("https://a.example") is None
    assert type(store.acquire("https://a.example", NOW, 60, "you")) is not type(first)


def test_a_robot_keeps_within_64_mib() -> None:
    """By default; a store of your own is as you made it."""
    with Robot("ExampleBot/1.0", **ME, fetcher=FakeSite({})) as robot:
        assert robot._robot._store._max_bytes == MOST_BYTES  # type: ignore[attr-defined]  # noqa: SLF001


@pytest.mark.parametrize(("value", "error"), [("1", WrongTypeError), (True, WrongTypeError)])
def test_a_bound_is_a_number(value: Any, error: type[Exception]) -> None:  # noqa: ANN401
    """A bound that cannot be meant is refused."""
    with pytest.raises(error, match="max_bytes must be an int or None"):
        MemoryStore(max_bytes=value)
    with pytest.raises(WrongValueError, match="must be above 0"):
        MemoryStore(max_bytes=0)


class Plain:
    """The same, reckoned anew each time."""

    def __init__(self, most: int) -> None:
        """Start empty."""
        self.most = most
        self.kept: OrderedDict[str, list[bytes]] = OrderedDict()

    def total(self) -> int:
        """Return what the records take."""
        every = [body for bodies in self.kept.values() for body in bodies]
        texts = sum(RECORD_BYTES + len(pack(record(body)).text) for body in every)
        return texts + sum(len(body) for body in set(every))

    def put(self, origin: str, body: bytes) -> None:
        """Put a file that differs from the last one, or the same one again."""
        bodies = self.kept.setdefault(origin, [])
        if not bodies or bodies[-1] != body:
            bodies.append(body)
        self.kept.move_to_end(origin)
        while self.total() > self.most and sum(map(len, self.kept.values())) > 1:
            first = next(iter(self.kept))
            del self.kept[first][0]
            if not self.kept[first]:
                del self.kept[first]


@given(
    st.integers(1, 12_000),
    st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 3), st.booleans()), max_size=40),
)
@examples(200)
def test_the_store_is_the_plain_one(most: int, steps: list[tuple[str, int, bool]]) -> None:
    """Whatever is put and asked for, in any order."""
    store, plain = MemoryStore(max_bytes=most), Plain(most)
    for number, (name, size, puts) in enumerate(steps):
        origin, body = f"https://{name}.example", b"#" * (size * 1_000)
        if puts:
            store.put(origin, record(body), NOW + timedelta(seconds=number))
            plain.put(origin, body)
        else:
            found = store.get(origin)
            newest = [] if found is None else [found["body"]]
            assert newest == plain.kept.get(origin, [])[-1:]
            if origin in plain.kept:
                plain.kept.move_to_end(origin)
        for other in "abcd":
            url = f"https://{other}.example"
            assert [one.record["body"] for one in store.history(url)] == plain.kept.get(url, [])
