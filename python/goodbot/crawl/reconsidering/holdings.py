"""What is to be reconsidered: the folder of a crawl, or web archives, opened for one question.

Scope: which of them it is, and what both can say: the sites that they are of, what these said when
things were fetched, and a row for each use of each thing.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from goodbot.closing import Closing
from goodbot.crawl.folder.database import FILE
from goodbot.crawl.folder.elsewhere import RECORDS
from goodbot.crawl.folder.open_readonly import folders_of, open_readonly, reading_rows
from goodbot.crawl.folder.readonly_database import ReadOnlyDatabase
from goodbot.crawl.reconsidering.archive_report import (
    origins_in,
    reconsider_archives,
    timelines_of,
)
from goodbot.crawl.reconsidering.file_scan import ScanOptions, scan_files
from goodbot.crawl.reconsidering.folder_report import (
    crawl_timeline,
    origins_of_pages,
    reconsider_folder,
)
from goodbot.crawl.reconsidering.question import HeldQuestion
from goodbot.crawl.reconsidering.statement_sources import FirstKnown, StatementSource, Timelines
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.errors import MisuseError
from goodbot.files.read_files import ReadFiles
from goodbot.files.temporary_folders import temporary_folder
from goodbot.lazy_dataclass import dataclass
from goodbot.reconsidering import HeldUse, Reconsidered
from goodbot.warc.warc_sources import UnreadPart, is_archive, is_named_archive

__all__ = [
    "ArchiveHoldings",
    "FolderHoldings",
    "FoundSources",
    "HoldingsKind",
    "find_sources",
    "robot_of_folder",
]

HoldingsKind: TypeAlias = Literal["folder", "archives", "tables"]
INDEXES = (".cdxj", ".cdx")
"""The names of plain indexes of captures."""
TABLES = (".parquet", ".pq")
PARQUET_MAGIC = b"PAR1"


class FoundSources(NamedTuple):
    """What was named, by what it is."""

    kind: HoldingsKind
    files: tuple[Path, ...]
    """The folder, the archives, or the tables."""
    indexes: tuple[Path, ...] = ()
    """Indexes of captures (CDXJ) of the archives."""
    root: Path | None = None
    """The folder that has all of them, if one was named."""


def find_sources(sources: Sequence[str | Path]) -> FoundSources:
    """Return what some files and folders are.

    Args:
        sources: The folder of a crawl; or WARC, ARC, WACZ and CDXJ files, or a folder of them; or
            Parquet files.

    Raises:
        MisuseError: They are of several kinds, or of none; or one is a pipe.
        OSError: One of them cannot be read.

    """
    paths = [Path(one) for one in sources]
    missing = next((one for one in paths if not one.exists()), None)
    if missing is not None:
        message = (
            f"there is no {missing}; name the folder of a crawl, web archives, or Parquet files"
        )
        raise MisuseError(message)
    pipe = next((one for one in paths if not one.is_file() and not one.is_dir()), None)
    if pipe is not None:
        message = f"{pipe} is a pipe or a device, and is read more than once; write it to a file"
        raise MisuseError(message)
    crawls = [one for one in paths if (one / FILE).exists()]
    if crawls:
        if len(paths) > 1:
            message = "the folder of a crawl is reconsidered by itself; name one folder at a time"
            raise MisuseError(message)
        return FoundSources("folder", (paths[0],), root=paths[0])
    files = [file for path in paths for file in files_in(path)]
    indexes = tuple(one for one in files if one.name.lower().endswith(INDEXES))
    tables = tuple(one for one in files if is_table(one))
    archives = tuple(one for one in files if one not in indexes and one not in tables)
    root = paths[0] if len(paths) == 1 and paths[0].is_dir() else None
    if tables and not archives:
        return FoundSources("tables", tables, root=root)
    if not archives or tables:
        message = (
            f"{paths[0]} has "
            + ("web archives and tables" if tables else "nothing that goodbot can reconsider")
            + "; name the folder of a crawl, WARC or WACZ files, or Parquet files of URLs"
        )
        raise MisuseError(message)
    return FoundSources("archives", archives, indexes, root)


def files_in(path: Path) -> Iterator[Path]:
    """Yield a file, or those in a folder that can be reconsidered."""
    if not path.is_dir():
        yield path
        return
    for file in sorted(path.rglob("*")):
        name = file.name.lower()
        if file.is_file() and (is_named_archive(file) or name.endswith((*INDEXES, *TABLES))):
            yield file


def is_table(path: Path) -> bool:
    """Return whether a file is a Parquet file."""
    with path.open("rb") as file:
        return file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC or path.name.lower().endswith(TABLES)


def robot_of_folder(folder: Path) -> str:
    """Return the robot that made a crawl.

    Raises:
        NotAStoreError: There is no crawl in the folder, or its file is damaged.

    """
    with open_readonly(folder) as database:
        settings = CrawlSettings.read(database)
    return "*" if settings is None else settings.identity.product


class ArchiveHoldings(Closing):
    """Web archives, each of which was read once; for `with`.

    Args:
        found: The files.
        options: What is wanted of each record.
        workers: How many processes read; by default one a core.

    Raises:
        MisuseError: A file is no web archive.
        OSError: A file cannot be read.

    """

    def __init__(
        self, found: FoundSources, options: ScanOptions, workers: int | None = None
    ) -> None:
        """Read all files."""
        self.found, self.options = found, options
        for path in found.files:
            if not is_archive(path):
                message = f"{path} is no web archive; name WARC, ARC or WACZ files"
                raise MisuseError(message)
        self.read = ReadFiles((*found.files, *found.indexes))
        """The files as they were before they were read."""
        self._stack = ExitStack()
        try:
            self.folder = self._stack.enter_context(temporary_folder())
            self.scan = self._stack.enter_context(
                closing(scan_files(found.files, options, self.folder, workers))
            )
        except BaseException:
            self._stack.close()
            raise

    def close(self) -> None:
        """Remove what was noted."""
        self._stack.close()

    def origins(self) -> list[str]:
        """Return the sites that they are of."""
        return origins_in(self.scan)

    def then(self, dialect: str) -> StatementSource:
        """Return what these sites said, as far as the archives have it."""
        return Timelines(timelines_of(self.scan, dialect).of)

    def unread(self) -> list[UnreadPart]:
        """Return what of the files could not be read."""
        return [
            UnreadPart(*row)
            for row in self.scan.execute("SELECT file, offset, bytes, why FROM unread")
        ]

    def rows(
        self, question: HeldQuestion, applied: Collection[HeldUse] = ()
    ) -> Iterator[Reconsidered]:
        """Yield a row for each use of each record, and note which of them go."""
        return reconsider_archives(self.scan, question, applied)


@dataclass(frozen=True, slots=True)
class GoingPage:
    """A page of a crawl that goes, or a part of what is held of it."""

    folder: Path
    """The folder of the process that has it."""
    url_id: int
    row: Reconsidered
    """The statement by which it goes."""
    only_index: bool
    """Whether it is only taken out of the index."""


class FolderHoldings(Closing):
    """The folder of a crawl, with the parts of all its processes; for `with`.

    Args:
        found: The folder.

    Raises:
        NotAStoreError: There is no crawl in the folder, or its file is damaged.

    """

    def __init__(self, found: FoundSources) -> None:
        """Open all parts for reading."""
        self.found = found
        (self.root,) = found.files
        self._stack = ExitStack()
        self.going: list[GoingPage] = []
        """What goes, as far as it is known."""
        try:
            with open_readonly(self.root, reads=RECORDS):
                pass  # fails if a part is elsewhere
            self.parts = [one for one in folders_of(self.root) if (one / FILE).exists()]
            self._databases = [
                self._stack.enter_context(closing(ReadOnlyDatabase(part))) for part in self.parts
            ]
            for database in self._databases:
                database.connection.execute("BEGIN")
        except BaseException:
            self._stack.close()
            raise

    def close(self) -> None:
        """Close it; closing it again does nothing."""
        self._stack.close()

    def origins(self) -> list[str]:
        """Return the sites that its pages are of."""
        with reading_rows(str(self.root)):
            return sorted({origin for one in self._databases for origin in origins_of_pages(one)})

    def then(self, dialect: str) -> StatementSource:  # noqa: ARG002  as of archives
        """Return what these sites said, as the crawl has seen it."""
        return FirstKnown(Timelines(partial(crawl_timeline, one)) for one in self._databases)

    def unread(self) -> list[UnreadPart]:
        """Return nothing: a damaged folder raises."""
        return []

    def rows(
        self, question: HeldQuestion, applied: Collection[HeldUse] = ()
    ) -> Iterator[Reconsidered]:
        """Yield a row for each use of each page, and note which of them go."""
        self.going.clear()
        for part, database in zip(self.parts, self._databases, strict=True):
            before, gone = -1, list[Reconsidered]()
            with reading_rows(database.path):
                for url_id, row in reconsider_folder(database, question):
                    if url_id != before:
                        self._note(part, before, gone)
                        before, gone = url_id, []
                    if row.do != "keep" and row.use in applied:
                        gone.append(row)
                    yield row
            self._note(part, before, gone)

    def _note(self, part: Path, url_id: int, gone: list[Reconsidered]) -> None:
        """Note that a page goes, if it does."""
        whole = next((one for one in gone if one.do != "take-out-of-index"), None)
        if gone:
            self.going.append(GoingPage(part, url_id, whole or gone[0], whole is None))


Holdings: TypeAlias = ArchiveHoldings | FolderHoldings
