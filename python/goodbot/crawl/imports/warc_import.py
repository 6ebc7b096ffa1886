"""Import WARC files by others: index, links and verdicts of today over captures of then.

Scope: the way of a capture from its record to the folder of a crawl. Nothing is requested.

Each capture is judged as a crawl would have judged it: its robots.txt is the one of its time, from
the same files (`file_timelines`), and what the page says of itself is judged as of today, so that
what has expired meanwhile is neither indexed nor kept. The result is recorded by the recorder of a
crawl, so every verb that reads a crawl reads an import.

| the robots.txt of the time | what is recorded |
|---|---|
| allows the URL | verdicts on the page; its index entry, links and copy, if it allows them |
| disallows the URL, or could not be fetched as a whole | the verdict |
| is not in the files | that it is unknown; with `assume_allowed`, that it was assumed |
"""

import os
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, field, replace
from datetime import datetime
from itertools import islice
from pathlib import Path

from goodbot._core import Dialect, RobotsTxt, Verdict
from goodbot.crawl.evidence import rows
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.lock import FolderLock
from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.frontier.bounds import Bounds
from goodbot.crawl.frontier.leasing import CaptureLeases
from goodbot.crawl.frontier.protocol import Outcome, QueueEntry
from goodbot.crawl.imports.file_timelines import FileTimelines
from goodbot.crawl.imports.survey import MOST_ORIGINS, Survey, is_robots_txt
from goodbot.crawl.run.page_batch import FetchResult, read_answers
from goodbot.crawl.run.recorder import Recorder
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.crawl.run.visit_outcome import VisitOutcome
from goodbot.errors import MisuseError, StoreUnavailableError
from goodbot.grounds import Grounds
from goodbot.http.status import NOT_MODIFIED
from goodbot.lazy_dataclass import dataclass
from goodbot.net.fetcher import Response
from goodbot.page.dialects import PageDialect
from goodbot.page.media_types import DOCUMENTS, is_wanted, type_names
from goodbot.policy.holds import ASSUMED
from goodbot.robot.visit import Hop, Visit
from goodbot.store.failures import store_error
from goodbot.warc.captured_response import Capture, capture_of, undated_capture
from goodbot.warc.foreign_records import ForeignRecord, foreign_records
from goodbot.warc.warc_sources import UnreadPart

__all__ = ["UNKNOWN", "ImportSummary", "import_warcs"]

UNKNOWN = "robots-txt-unknown"
"""The reason if no robots.txt of the time is in the files."""

NOT_THERE = "no robots.txt of the 24 hours before the capture is in the files"

NOT_PRECISE = " for every moment at which it can have been, because its date has no seconds"

IMPORTED = "imported"
"""The setting of folders that have an import, and no crawl."""

BATCH = 1_000
BATCH_BYTES = 4 * 1024 * 1024
"""How many captures, and how many bytes of them, are read and recorded together."""
FIELD_BYTES = 160
"""How many bytes of memory a field of a header takes beside its characters."""

MOST_PARTS = 100
"""How many unread parts are listed; further ones are only counted."""
DAMAGE = "it is damaged or cut off there"
SUCCESS = range(200, 300)


@dataclass
class ImportSummary:
    """What was imported. Counts of one import; what an earlier one recorded is `known`."""

    files: int = 0
    records: int = 0
    """The number of records in the files."""
    allowed: int = 0
    """The number of captures that the robots.txt of the time allows."""
    assumed: int = 0
    """The number of captures that were assumed to be allowed (`assume_allowed`)."""
    disallowed: int = 0
    """The number of captures that the robots.txt of the time disallows."""
    unknown: int = 0
    """The number of captures of whose time no robots.txt is in the files."""
    before_robots_txt: int = 0
    """The number of those that were captured before the first robots.txt of their site, as the
    start page is that `wget -r` requests."""
    known: int = 0
    """The number of captures that were recorded before, or are older than the recorded one."""
    robots_txt: int = 0
    """The number of captures of a robots.txt."""
    unreadable: int = 0
    """The number of captures that are not an HTTP response, or have content that cannot be decoded,
    or no date, or are revisits whose original is not in the files or whose profile is unknown."""
    other: dict[str, int] = field(default_factory=dict)
    """The number of other records, by their type."""
    damaged: int = 0
    """The number of places at which a file is damaged or of another form, and of files in a WACZ
    that are not read."""
    unread: int = 0
    """The bytes of the files that were not read for these reasons."""
    unread_parts: list[UnreadPart] = field(default_factory=list)
    """Which these are; the first 100."""

    def as_dict(self) -> dict[str, object]:
        """Return plain values, for JSON."""
        return asdict(self) | {"unread_parts": [one._asdict() for one in self.unread_parts]}

    def leave(self, part: UnreadPart) -> None:
        """Count a part of a file that is not read."""
        self.damaged += 1
        self.unread += part.bytes
        if len(self.unread_parts) < MOST_PARTS:
            self.unread_parts.append(part)


@dataclass(frozen=True, slots=True)
class ImportChoices:
    """What a caller decides about an import; see `import_warcs`."""

    now: datetime
    assume_allowed: bool
    copies: bool
    on_progress: Callable[[ImportSummary], object] | None


@dataclass(frozen=True, slots=True)
class CapturedPage:
    """A capture with its response."""

    capture: Capture
    response: Response


def import_warcs(
    folder: str | os.PathLike[str],
    files: Sequence[str | os.PathLike[str]],
    robot: str,
    *,
    now: datetime,
    dialect: str | Dialect = "rfc9309",
    page_dialect: str | PageDialect = "google",
    types: Collection[str] = DOCUMENTS,
    assume_allowed: bool = False,
    copies: bool = True,
    on_progress: Callable[[ImportSummary], object] | None = None,
) -> ImportSummary:
    """Import WARC, ARC or WACZ files into the folder of a crawl; nothing is requested.

    Importing the same files again changes nothing, so an import that was interrupted is repeated.
    Of several captures of a URL, the latest one counts. Invalid content of the files never raises.

    Args:
        folder: The folder; it is created if it does not exist. It must be empty, or have an import.
        files: The files: WARC, ARC or WACZ, see the how-to guide. They are read twice.
        robot: The name of the robot for which the verdicts are, such as `ExampleBot`.
        now: The current time; an aware `datetime`.
        dialect: The dialect in which robots.txt is read.
        page_dialect: The dialect in which pages are read.
        types: The types of responses to read and keep, as `goodbot.crawl.Crawl` takes them.
        assume_allowed: Whether captures count as allowed of whose time no robots.txt is in the
            files. You answer for it; it is recorded with each of them.
        copies: Whether to store copies of the pages that may be kept.
        on_progress: Called after each batch of captures.

    Returns:
        What was imported.

    Raises:
        MisuseError: A file cannot be opened, is a pipe, or is a ZIP file but not a WACZ; or the
            folder has a crawl or the import of another robot.
        MissingExtraError: A file needs `goodbot[encodings]`, because it is compressed by Zstandard.
        RobotNameError: `robot` is not a name.
        WrongValueError: One of `types` is not a type.
        StoreError: The folder cannot be written, the disk is full, or the folder is in use.

    """
    RobotsTxt(b"").rules_for(robot)  # raises if it is not a name
    settings = CrawlSettings(robot=robot, dialect=dialect, page_dialect=page_dialect)
    settings = replace(settings, types=type_names(types))
    choices = ImportChoices(now, assume_allowed, copies, on_progress)
    refuse_urls(files)
    with closing(opened([Path(one) for one in files])) as survey:
        return import_into(Path(folder), survey, settings, choices)


def import_into(
    folder: Path, survey: Survey, settings: CrawlSettings, choices: ImportChoices
) -> ImportSummary:
    """Import the files of a survey into a folder; see `import_warcs`."""
    create(folder)
    done = ImportSummary(files=len(survey.sources))
    with FolderLock(folder), Database(folder, create=True) as database:
        origins = origins_before(database, settings.robot)
        settings = replace(settings, bounds=Bounds(origins=origins))
        WarcImport(database, survey, settings, choices, done).run()
    return done


def refuse_urls(files: Sequence[str | os.PathLike[str]]) -> None:
    """Refuse the URL of a file; a path with `://` in it is read if it exists.

    Raises:
        MisuseError: One is a URL.

    """
    for file in map(str, files):
        if "://" in file and not Path(file).exists():
            message = f"{file} is a URL, and nothing is requested here; download the file first"
            raise MisuseError(message)


def opened(paths: Sequence[Path]) -> Survey:
    """Open the files.

    Raises:
        MisuseError: One cannot be opened, is a pipe, or is a ZIP file but not a WACZ.

    """
    try:
        return Survey(paths)
    except OSError as error:
        message = (
            f"{error.filename} cannot be read ({error.strerror}); name WARC, ARC or WACZ files"
        )
        raise MisuseError(message) from error


def create(folder: Path) -> None:
    """Create the folder.

    Raises:
        StoreUnavailableError: It cannot be created.

    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{folder} cannot be created ({error.strerror}); name another folder"
        raise StoreUnavailableError(message) from error


def origins_before(database: Database, robot: str) -> frozenset[str]:
    """Return the origins of earlier imports into a folder.

    Raises:
        MisuseError: The folder has a crawl, or the import of another robot.

    """
    before = CrawlSettings.read(database)
    if before is not None and not database.setting(IMPORTED):
        message = (
            f"there is a crawl in {database.folder}, whose evidence would be mixed with that of "
            "others; name another folder"
        )
        raise MisuseError(message)
    if before is not None and before.robot != robot:
        message = (
            f"the import in {database.folder} is for {before.robot}, not for {robot}; name another "
            "folder"
        )
        raise MisuseError(message)
    return frozenset() if before is None else before.bounds.origins or frozenset()


class WarcImport:
    """One import."""

    def __init__(
        self,
        database: Database,
        survey: Survey,
        settings: CrawlSettings,
        choices: ImportChoices,
        done: ImportSummary,
    ) -> None:
        """Store the arguments."""
        self._database = database
        self._survey = survey
        self._settings = settings
        self._choices = choices
        self._done = done
        self._product = settings.robot.partition("/")[0]
        self._policies = FileTimelines(survey, settings.dialect)
        self._leases = CaptureLeases(database)
        self._rules: list[Response] = []
        """Responses for robots.txt that wait to be archived."""
        self._rules_size = 0

    def run(self) -> None:
        """Record every capture of the files.

        Raises:
            StoreError: The folder cannot be written, or the disk is full.

        """
        try:
            self._survey.read()
            self._write_settings()
            self._record_all()
        except sqlite3.Error as error:  # of the temporary database of the survey
            raise store_error(error, self._database.path) from error

    def _record_all(self) -> None:
        """Record the captures, batch by batch."""
        recorder = Recorder(self._database, self._settings.bounds, self._choices.now)
        try:
            self._store_policies()
            batch: dict[str, CapturedPage] = {}
            size = 0
            for page in self._pages(recorder):
                url = page.capture.url
                if url in batch or len(batch) >= BATCH or size >= BATCH_BYTES:
                    self._record(recorder, list(batch.values()))
                    is_later = url not in batch
                    batch, size = {}, 0
                    # The one before it was recorded since it was read.
                    if not is_later and self._is_known(page.capture):
                        self._done.known += 1
                        continue
                batch[url] = page
                size += size_of(page.response)
            self._keep_rules(recorder)
            self._record(recorder, list(batch.values()))
        finally:
            recorder.close()

    def _write_settings(self) -> None:
        """Store the settings, with the origins of the captures, for a crawl that goes on."""
        found = {*(self._settings.bounds.origins or ()), *self._survey.origins()}
        origins = frozenset(sorted(found)[:MOST_ORIGINS])
        self._settings = replace(self._settings, bounds=Bounds(origins=origins))
        with self._database.changing():
            texts = self._settings.as_texts(self._settings.robot, self._product)
            self._database.write_settings({**texts, IMPORTED: "yes"})
            self._database.write_settings({"started": self._choices.now.isoformat()}, replace=False)
        self._database.commit()

    def _store_policies(self) -> None:
        """Store the policies of the files, so that the evidence can quote them."""
        origins = self._survey.origins_with_robots_txt()
        while some := list(islice(origins, BATCH)):
            with self._database.changing():
                for origin in some:
                    self._store_policies_of(origin)
        self._database.commit()

    def _store_policies_of(self, origin: str) -> None:
        """Store the policies of a site that are newer than those that are stored."""
        seen = self._database.store.history(origin)
        for learned in self._policies.of(origin).learned:
            # The history only grows at its end; older ones decide, but are not quoted.
            if not seen or learned.at > seen[-1].last:
                self._database.store.put(origin, learned.policy.as_record(), learned.at)

    # Reading.

    def _pages(self, recorder: Recorder) -> Iterator[CapturedPage]:
        """Yield the captures that are not recorded yet; count every record."""
        done = self._done
        for part in self._survey.unread:
            done.leave(part)
        for name, file in self._survey.sources:
            for record in foreign_records(file):
                if record.is_damaged:
                    why = record.why or DAMAGE
                    done.leave(UnreadPart(name, record.offset, record.unread, why))
                    continue
                done.records += 1
                page = self._page(record, recorder)
                if page is not None:
                    yield page

    def _page(self, record: ForeignRecord, recorder: Recorder) -> CapturedPage | None:
        """Return the capture of a record; `None` if there is none to record, which is counted."""
        done, capture = self._done, capture_of(record)
        if capture is None or capture.kind not in {"response", "revisit"}:
            self._count_other(record)
            return None
        is_rules = is_robots_txt(capture)
        if not is_rules and self._is_known(capture):
            done.known += 1
            return None
        response = self._survey.response_of(record, capture, only_whole=is_rules)
        if response is None:
            done.unreadable += 1
            return None
        if is_rules:
            done.robots_txt += 1
            self._rules.append(response)
            self._rules_size += size_of(response)
            if len(self._rules) >= BATCH or self._rules_size >= BATCH_BYTES:
                self._keep_rules(recorder)
            return None
        if response.status == NOT_MODIFIED and capture.kind == "revisit":
            stored = self._survey.confirmed_by(record, capture)
            if stored is None:
                done.unreadable += 1
                return None
            response = confirmed_by(response, stored)
        return CapturedPage(capture, response)

    def _keep_rules(self, recorder: Recorder) -> None:
        """Archive the responses for robots.txt that wait, in one change."""
        with self._database.changing():
            for response in self._rules:
                recorder.archive.keep_robots_txt(response)
        self._rules, self._rules_size = [], 0

    def _count_other(self, record: ForeignRecord) -> None:
        """Count a record that is no capture, or one at an unknown time."""
        if undated_capture(record) is not None:
            self._done.unreadable += 1
            return
        kind = record.fields.get("warc-type", "").lower()
        name, other = kind if kind in KINDS else "unknown", self._done.other
        other[name] = other.get(name, 0) + 1

    def _is_known(self, capture: Capture) -> bool:
        """Whether a capture of this time, or a later one, is recorded."""
        before = self._leases.visited_at(capture.url)
        return before is not None and before >= capture.at

    # Judging and recording.

    def _record(self, recorder: Recorder, batch: Sequence[CapturedPage]) -> None:
        """Judge and record some captures in one change."""
        with self._database.changing():
            answers, outcomes = [], []
            entries = [entry_of(page.capture) for page in batch]
            leased = self._leases.take(recorder.frontier, entries, self._choices.now)
            for page, taken in zip(batch, leased, strict=True):
                capture = page.capture
                if taken is None:
                    self._done.known += 1
                    continue
                verdict = self._verdict(capture)
                if verdict is None:
                    first = next(iter(self._policies.of(capture.origin).learned), None)
                    self._done.before_robots_txt += first is not None and capture.at < first.at
                    outcomes.append(of_unknown(taken, page))
                elif not verdict:
                    outcomes.append(of_disallowed(taken, page, verdict))
                else:
                    answers.append(self._answer(taken, page, verdict))
            read = read_answers(answers, self._refuses)
            pages = {one.capture.url: one for one in batch}
            outcomes += [self._as_captured(one, pages[one.taken.url].capture) for one in read]
            self._count(outcomes, answers)
            recorder.apply(outcomes)
        recorder.last()
        if self._choices.on_progress is not None:
            self._choices.on_progress(self._done)

    def _verdict(self, capture: Capture) -> Verdict | None:
        """Return the verdict of the robots.txt of the time; `None` if it is unknown."""
        url = capture.spelling or capture.url
        timeline = self._policies.of(capture.origin)
        found = timeline.between(capture.since, capture.at)
        verdicts = [one.may_fetch(url, self._product) for one in found]
        if len({None if one is None else one.allowed for one in verdicts}) == 1:
            verdict = verdicts[0]
        else:  # a date without seconds: what may have been disallowed is not assumed to be allowed
            refused = (one for one in verdicts if one is not None and not one.allowed)
            verdict = next(refused, None) if self._choices.assume_allowed else None
        if verdict is not None:
            return verdict
        if not self._choices.assume_allowed:
            return None
        grounds = Grounds(
            self._product,
            dialect_name(self._settings.dialect),
            access="allow-all",
            policy_reason=ASSUMED,
            said=f"assumed by the operator of the import, because {NOT_THERE}",
        )
        return grounds.state(url, ASSUMED, allowed=True)

    def _answer(self, taken: QueuedUrl, page: CapturedPage, verdict: Verdict) -> FetchResult:
        """Return a capture as the response to a visit, judged as of now."""
        response = page.response
        declared = response.field("Content-Type") or ""
        if response.status in SUCCESS and not is_wanted(declared, self._settings.types):
            response = replace(response, body=b"", wire=None, unread=True)
        settings = self._settings
        visit = Visit(
            (Hop(page.capture.url, verdict, response),),
            "answered",
            self._product,
            settings.page_dialect,
            None,
            settings.page_options,
        )
        return FetchResult(taken, visit, self._choices.now)

    def _refuses(self, url: str, origin: str, depth: int) -> str | None:  # noqa: ARG002  as `Bounds`
        """Return why a URL is not queued; `None` if it was captured."""
        return None if self._survey.is_captured(url) else "not-captured"

    def _as_captured(self, one: VisitOutcome, capture: Capture) -> VisitOutcome:
        """Return an outcome with the time of its capture."""
        copy = one.copy if self._choices.copies or one.copy == "forget" else None
        evidence = one.evidence._replace(at=capture.at)
        return one._replace(at=capture.at, evidence=evidence, copy=copy)

    def _count(self, outcomes: Sequence[VisitOutcome], answers: Sequence[FetchResult]) -> None:
        """Count verdicts."""
        done = self._done
        assumed = sum(one.visit.verdict.reason == ASSUMED for one in answers)
        done.assumed += assumed
        done.allowed += len(answers) - assumed
        unknown = sum(one.settled.reason == UNKNOWN for one in outcomes)
        done.unknown += unknown
        done.disallowed += len(outcomes) - len(answers) - unknown


KINDS = {
    "continuation",
    "conversion",
    "metadata",
    "request",
    "resource",
    "response",
    "revisit",
    "warcinfo",
}
"""The types of records of WARC 1.1; others are counted as unknown."""


def entry_of(capture: Capture) -> QueueEntry:
    """Return the URL of a capture as it is queued."""
    return QueueEntry(capture.url, capture.origin, 0, spelling=capture.spelling)


def size_of(response: Response) -> int:
    """Return roughly how many bytes of memory a response takes."""
    wire = response.wire or b""
    content = len(response.body) + (len(wire) if wire is not response.body else 0)
    return content + sum(FIELD_BYTES + len(name) + len(value) for name, value in response.headers)


def confirmed_by(not_modified: Response, stored: Response) -> Response:
    """Return a response that a 304 confirms, with its header updated and at its time."""
    visit = Visit((Hop(not_modified.url, None, not_modified),), "answered")  # type: ignore[arg-type]
    whole = visit.confirming(stored).response
    started, ended = not_modified.started, not_modified.ended
    return replace(whole, url=not_modified.url, started=started, ended=ended)


def of_unknown(taken: QueuedUrl, page: CapturedPage) -> VisitOutcome:
    """Return the outcome of a capture of which no robots.txt is known: nothing of it is kept."""
    at, status = page.capture.at, page.response.status
    why = f"{NOT_THERE}{NOT_PRECISE if page.capture.is_vague else ''}"
    sentence = f"Unknown whether it was allowed: {why}."
    settled = Outcome("skipped", UNKNOWN, why, status)
    row = rows.unknown(at, status, UNKNOWN, sentence)
    return VisitOutcome(taken, at, settled, row, copy="forget", indexing="remove")


def of_disallowed(taken: QueuedUrl, page: CapturedPage, verdict: Verdict) -> VisitOutcome:
    """Return the outcome of a capture that its robots.txt disallows: nothing of it is kept."""
    at = page.capture.at
    settled = Outcome("disallowed", verdict.reason, verdict.source)
    row = rows.refused(at, verdict)
    return VisitOutcome(taken, at, settled, row, copy="forget", indexing="remove")


def dialect_name(dialect: str | Dialect) -> str:
    """Return the name of a dialect."""
    return dialect if isinstance(dialect, str) else dialect.name
