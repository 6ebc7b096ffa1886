"""The answers in a WARC file, read in Python: what the core must agree with."""

import os
from pathlib import Path
from typing import NamedTuple

from goodbot.tables.building.packed_answer import PackedAnswer
from goodbot.tables.building.warc_answers import FileReader
from goodbot.warc.foreign_records import foreign_records

__all__ = ["PlainAnswers", "plain_answers"]


class PlainAnswers(NamedTuple):
    """What was read of a file."""

    answers: list[PackedAnswer]
    redirects: list[PackedAnswer]
    records: int
    undated: int
    unread: int


class PlainSeen:
    """What is remembered of a file."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.wanted: set[str] = set()
        self.originals: dict[str, int] = {}

    def want(self, key: str) -> None:
        """Remember the target of a redirect."""
        self.wanted.add(key)

    def is_wanted(self, key: str) -> bool:
        """Return whether a redirect led to a URL."""
        return key in self.wanted

    def add_original(self, digest: str, place: int) -> None:
        """Remember where the record is that has a content."""
        if digest:
            self.originals[digest] = place

    def original(self, digest: str) -> int | None:
        """Return where the record is that has the content of a digest."""
        return self.originals.get(digest)


def plain_answers(path: str | os.PathLike[str], limit: int = 5) -> PlainAnswers:
    """Read a WARC file; its answers and redirects are sorted by key and time."""
    answers: list[PackedAnswer] = []
    redirects: list[PackedAnswer] = []
    records = undated = unread = 0
    with Path(path).open("rb") as file:
        reader = FileReader(file, os.fspath(path), limit, PlainSeen())
        for record in foreign_records(file):
            records, unread = records + 1, unread + record.unread
            for answer, redirect in () if record.is_damaged else reader.read(record):
                answers.append(answer)
                undated += answer.asked is not None
                redirects += [] if redirect is None else [redirect]
    for some in (answers, redirects):
        some.sort(key=lambda one: one[:2])
    return PlainAnswers(answers, redirects, records, undated, unread)
