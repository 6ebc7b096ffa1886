"""What one process finds for another one arrives there exactly once, whenever one is killed."""

import datetime as dt
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Discovery
from goodbot.crawl.folder.shares import Shares, first_number, part_folder
from goodbot.crawl.frontier.handover import OtherPart, PartFrontier
from goodbot.crawl.frontier.protocol import QueueEntry
from goodbot.errors import NotAStoreError
from tests.support.examples import examples

NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.timezone.utc)
ORIGINS = ["https://a.example", "https://b.example"]
SHARES = Shares.of(2, ORIGINS)


class Part:
    """One process, which can be killed."""

    def __init__(self, root: Path, number: int) -> None:
        """Open its part; changes are committed by `commit` only."""
        self.number, self.folder = number, part_folder(root, number)
        self.other = OtherPart(part_folder(root, 1 - number), number)
        self.database = Database(self.folder, create=True)
        self.database.gather(NOON)
        self.frontier = PartFrontier(
            self.database, NOON, None, SHARES, number, lambda _: self.other.received()
        )

    def finds(self, page: int, *, skipped: bool) -> int:
        """Find a page of the other process."""
        url = f"{ORIGINS[1 - self.number]}/{page}"
        reason = "excluded" if skipped else ""
        entry = QueueEntry(url, ORIGINS[1 - self.number], 1, skip_reason=reason)
        return self.frontier.add([(Discovery(url, "link"), entry)], NOON)[0]

    def receives(self, most: int) -> int:
        """Receive some of what the other process found."""
        after = self.frontier.received[1 - self.number]
        return self.frontier.receive(1 - self.number, self.other.handed(after, most), NOON)

    def urls(self) -> dict[str, str]:
        """Return the state of each URL in its queue."""
        return dict(self.database.connection.execute("SELECT url, state FROM urls"))

    def killed(self) -> None:
        """End as a process that is killed: what was not committed is lost."""
        connection = self.database.connection
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        connection.close()
        self.other.close()


def add_in_vain(part: Part) -> None:
    """Add URLs in a change that is undone."""
    with part.database.changing():
        part.frontier.add([], NOON)
        raise NotAStoreError


@contextmanager
def two_parts() -> Iterator[tuple[Path, list[Part]]]:
    """Open two parts in a folder."""
    with tempfile.TemporaryDirectory() as folder:
        parts = [Part(Path(folder), number) for number in range(2)]
        try:
            yield Path(folder), parts
        finally:
            for part in parts:
                part.killed()


@pytest.mark.stress
@examples(120)
@given(seed=st.integers(0, 2**32))
def test_nothing_is_lost_and_nothing_is_queued_twice(seed: int) -> None:
    """Processes find, commit, receive and are killed in any order; a killed one finds again."""
    chance = random.Random(seed)  # noqa: S311  no secret
    found: list[dict[int, bool]] = [{}, {}]  # by process: the pages it found, and if it may go
    with two_parts() as (root, parts):
        for _ in range(60):
            number = chance.randrange(2)
            part, step = parts[number], chance.choice(["find", "find", "commit", "take", "kill"])
            if step == "find":
                page, skipped = chance.randrange(12), chance.random() < 0.3
                part.finds(page, skipped=skipped)
                found[number][page] = found[number].get(page, False) or not skipped
            elif step == "commit":
                part.database.commit()
            elif step == "take":
                part.receives(chance.randint(1, 4))
            else:
                part.killed()
                parts[number] = Part(root, number)
                # A page whose links were not committed is visited again.
                for page, may_go in found[number].items():
                    parts[number].finds(page, skipped=not may_go)
        for part in parts:
            part.database.commit()
        for part in parts:
            while part.receives(3):
                pass
            pages = found[1 - part.number]
            assert part.urls() == {
                f"{ORIGINS[part.number]}/{page}": "queued" if may_go else "skipped"
                for page, may_go in pages.items()
            }
            assert not part.receives(3)


def test_only_what_is_committed_is_received() -> None:
    """A link is received only if the page on which it was found is recorded."""
    with two_parts() as (_, (one, other)):
        assert one.finds(7, skipped=False) == -1
        assert not other.receives(9)
        one.database.commit()
        assert other.receives(9) == 1
        assert other.urls() == {"https://b.example/7": "queued"}
        assert other.receives(9) == 0
        assert (one.finds(7, skipped=False), one.frontier.sent[1]) == (-1, 1)


def test_an_origin_that_was_received_stays_known_if_the_next_page_fails() -> None:
    """What undoes a change undoes nothing of the one before it."""
    url, (_, origin) = "https://b.example/8", ORIGINS
    with two_parts() as (_, (one, other)):
        one.finds(7, skipped=False)
        one.database.commit()
        assert other.receives(9) == 1
        with pytest.raises(NotAStoreError):
            add_in_vain(other)
        entry = QueueEntry(url, origin, 1)
        assert other.frontier.add([(Discovery(url, "link"), entry)], NOON)[0] > 0


def test_numbers_go_on_after_those_that_the_other_has_received() -> None:
    """After a power cut, a file may lack rows that the other process has received."""
    with two_parts() as (root, parts):
        one, other = parts
        one.finds(1, skipped=False)
        one.finds(2, skipped=False)
        one.database.commit()
        assert other.receives(9) == 2
        other.database.commit()
        connection = one.database.connection
        connection.execute("BEGIN")
        connection.execute("DELETE FROM handed WHERE seq = 2")  # as the power cut does
        connection.execute("COMMIT")
        one.killed()
        parts[0] = Part(root, 0)
        assert parts[0].frontier.sent[1] == 2
        parts[0].finds(2, skipped=False)
        parts[0].database.commit()
        assert other.receives(9) == 1


def test_urls_of_each_part_have_numbers_of_their_own() -> None:
    """A number is that of one URL in the whole crawl."""
    with two_parts() as (_, parts):
        for part in parts:
            url = ORIGINS[part.number] + "/"
            entry = QueueEntry(url, ORIGINS[part.number], 0)
            (number,) = part.frontier.add([(Discovery(url, "start"), entry)], NOON)
            assert number == first_number(part.number)


def test_a_long_url_that_is_skipped_is_cut_once() -> None:
    """It is stored in the form in which the other process would store it itself."""
    with two_parts() as (_, (one, other)):
        url = "https://b.example/" + "x" * 1_000
        entry = QueueEntry(url, ORIGINS[1], 1, skip_reason="url-too-long")
        one.frontier.add([(Discovery(url, "link"), entry)], NOON)
        one.database.commit()
        other.receives(9)
        other.frontier.add([(Discovery(url, "link"), entry)], NOON)
        assert len(other.urls()) == 1
