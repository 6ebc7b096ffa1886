"""WARC files as sorted runs of answers, most of which no Python object is made for.

Scope: which reader reads what. The core reads plain records, each a gzip member of its own;
each odd one is read in Python (`FileReader`), and then the core goes on. Both find the same.
"""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goodbot._core import CaptureReader
from goodbot.policy.inquiry import LIMIT
from goodbot.policy.robots_txt_answer import MATTERING, NOT_CAPTURED
from goodbot.tables.building import sorted_runs
from goodbot.tables.building.damaged_files import DamagedSource
from goodbot.tables.building.packed_answer import PackedAnswer, pack_captures, unpack_table
from goodbot.tables.building.sorted_runs import Run, RunWriter
from goodbot.tables.building.warc_answers import FileReader
from goodbot.tables.columns.schema import pyarrow
from goodbot.warc.file_pieces import FilePieces
from goodbot.warc.foreign_records import RecordReader
from goodbot.warc.warc_sources import open_warcs

MOST_WANTED = 1_000_000
"""How many targets of redirects, and how many originals of revisits, are remembered in a file."""

BYTES_A_BEAT = 256 * 1024

REDIRECTS = range(300, 400)
DAMAGED = "a record is damaged or incomplete; fetch the file again"
"""Why the rest of a file is not read, if no other reason is known."""


@dataclass(slots=True)
class WarcAnswers:
    """What was read of one file: where its answers are, and counts.

    The answers themselves are `RobotsTxtAnswer`s, which the runs have in their packed form.
    """

    answers: list[Run]
    redirects: list[Run]
    records: int = 0
    """Records in all."""
    found: int = 0
    """Answers among them."""
    undated: int = 0
    """Answers whose time is only known to be within the span of the file."""
    damaged: list[DamagedSource] = field(default_factory=list)
    """What was not read, because the file is damaged, or a file in it."""
    omitted: int = 0
    """Answers that were dropped, because there were too many of one URL."""
    unreadable: int = 0
    """Responses whose content or time could not be read."""

    @property
    def unread(self) -> int:
        """How many bytes were not read."""
        return sum(source.unread for source in self.damaged)


def read_warc(
    path: str, folder: str, name: str, limit: int, beat: Callable[[int], None]
) -> WarcAnswers:
    """Read a WARC, ARC or WACZ file; write its answers as sorted runs.

    Args:
        path: The file.
        folder: Where to write.
        name: The beginning of the names of what is written.
        limit: How many redirects in a row are followed.
        beat: Called now and then with how many more bytes were read; may raise to stop.

    Raises:
        MisuseError: It is a pipe, or a ZIP file but not a WACZ.
        MissingExtraError: It is compressed by Zstandard, and no module for that is installed.
        OSError: It cannot be read.

    """
    core = CaptureReader(
        LIMIT, sorted(MATTERING), (MOST_WANTED, sorted_runs.ROW_BYTES, sorted_runs.MOST_OF_ONE)
    )
    answers = RunWriter(Path(folder), f"{name}-answers", core)
    redirects = RunWriter(Path(folder), f"{name}-redirects")
    done = WarcAnswers(answers.runs, redirects.runs)
    with ExitStack() as stack:
        found, unread = open_warcs(Path(path), stack)
        done.damaged += [DamagedSource(file.file, file.bytes, file.why) for file in unread]
        for source in found:
            odd = FileReader(source.file, source.name, limit, core)
            reader = SourceReader(odd, core, (answers, redirects), done, beat)
            reader.read()
            if reader.unread or reader.why:
                why = reader.why or DAMAGED
                done.damaged.append(DamagedSource(source.name, reader.unread, why))
            done.unreadable += odd.unreadable
    answers.finish()
    redirects.finish()
    done.omitted = answers.omitted + redirects.omitted
    return done


class SourceReader:
    """Reads one WARC file: plain records by the core, and each odd one in Python.

    Args:
        odd: Reads what the core does not.
        core: Reads plain records.
        found: Receives answers, and where they redirect to.
        done: Counts.
        beat: Called with how many more bytes were read.

    """

    def __init__(
        self,
        odd: FileReader,
        core: CaptureReader,
        found: tuple[RunWriter, RunWriter],
        done: WarcAnswers,
        beat: Callable[[int], None],
    ) -> None:
        core.begin(odd.takes_all, odd.believed)
        self._odd, self._core, self._done, self._beat = odd, core, done, beat
        self._answers, self._redirects = found
        self._pieces = FilePieces(odd.file)
        self._reported = 0
        self.unread = 0
        """How many bytes were not read, because the file is damaged or of another form."""
        self.why = ""
        """Why they were not, as a clause; empty if they are damaged."""

    def read(self) -> None:
        """Read it to its end."""
        reader = RecordReader(self._odd.file)
        was_damaged = False
        place = reader.next_place
        while True:
            if place is not None:
                behind = self._read_plain(place)
                was_damaged &= behind == place
                reader.move_to(behind, self._core.records)
            record = reader.read()
            if record is None:
                self._beat(reader.position - self._reported)
                return
            self._report(reader.position)
            if not (record.is_damaged and was_damaged):  # one for each damaged place
                self._done.records += 1
            was_damaged = record.is_damaged
            self.unread += record.unread
            self.why = self.why or record.why
            if not was_damaged:
                self._add(self._odd.read(record))
            place, self._core.records = reader.next_place, reader.count

    def _report(self, place: int) -> None:
        """Report how far the file was read."""
        if place >= self._reported + BYTES_A_BEAT:
            self._beat(place - self._reported)
            self._reported = place

    def _add(self, found: Iterable[tuple[PackedAnswer, PackedAnswer | None]]) -> None:
        """Add what was read in Python."""
        for answer, redirect in found:
            is_marker = answer.failure == NOT_CAPTURED and answer.asked is not None
            self._done.found += not is_marker
            self._done.undated += answer.asked is not None and not is_marker
            self._answers.add(answer)
            if redirect is not None:
                self._redirects.add(redirect)

    def _read_plain(self, place: int) -> int:
        """Read plain records from a place on; return where one is that is not, or the end."""
        pieces = self._pieces
        at = pieces.go_to(place)
        while True:
            before = self._core.records
            rows, bodies, at, stop = self._core.read(
                pieces.piece, at, pieces.start + at, pieces.is_end
            )
            self._done.records += self._core.records - before
            if len(rows):
                self._add_plain(pack_captures(rows, self._odd.source), bodies)
            self._report(pieces.start + at)
            if stop == "odd" or (stop == "more" and pieces.is_end):
                return pieces.start + at
            if stop == "more":
                pieces.fill(at)
                at = 0

    def _add_plain(self, table: Any, bodies: int) -> None:  # noqa: ANN401  a pyarrow.Table
        """Add what the core read."""
        import pyarrow.compute as compute  # noqa: PLC0415, PLR0402  an extra

        self._done.found += table.num_rows
        status, is_followed = (table[name].combine_chunks() for name in ("status", "leads"))
        is_redirect = compute.and_(
            compute.greater_equal(status, REDIRECTS.start), compute.less(status, REDIRECTS.stop)
        )
        if compute.any(is_redirect).as_py():
            leads = [self._leads(answer) for answer in unpack_table(table.filter(is_redirect))]
            marked = compute.replace_with_mask(is_followed, is_redirect, pyarrow().array(leads))
            table = table.set_column(table.column_names.index("leads"), "leads", marked)
        self._answers.add_table(table, bodies)

    def _leads(self, answer: PackedAnswer) -> bool:
        """Return whether an answer is a redirect that is followed; if so, add its target."""
        redirect = self._odd.redirect_in(answer)
        if redirect is not None:
            self._redirects.add(redirect)
        return redirect is not None
