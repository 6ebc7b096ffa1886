r"""Columns of URLs reconsidered: what held when each was fetched, and what holds at another time.

Scope: from columns to columns. Which policy held and what it says of fetching is decided by
`goodbot.tables.columns`, what it says of uses by `goodbot.content_use`. Pages, tdmrep.json and
licences are not in a table of policies, so that a use of which robots.txt says nothing is unknown.

>>> from datetime import datetime, timedelta, timezone
>>> import pyarrow as pa
>>> may = datetime(2026, 5, 1, tzinfo=timezone.utc)
>>> july = may + timedelta(days=61)
>>> table = pa.table({
...     "origin": ["https://a.example"] * 2, "valid_from": [may, july],
...     "valid_until": [may + timedelta(days=1), july + timedelta(days=1)],
...     "access": ["rules"] * 2, "reason": ["found"] * 2, "stale": [False] * 2,
...     "body": [b"", b"User-agent: *\nDisallow: /lamps\n"],
... })
>>> found = reconsider_columns(
...     ["https://a.example/lamps/1", "https://a.example/b"], table, "ExampleBot", [may, may], july
... )
>>> [found["fetch"].column(name).to_pylist() for name in ("then", "now", "line", "do")]
[['allowed', 'allowed'], ['disallowed', 'allowed'], [2, None], ['remove', 'keep']]
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from goodbot._core import RobotsTxt, UrlRows
from goodbot.content_use.obeyed_file import ObeyedFile, obeyed_file
from goodbot.content_use.site_statements import octets_speak_of_uses
from goodbot.content_use.sources import UseSources
from goodbot.content_use.tdmrep import TdmRep
from goodbot.http.instants import MICROSECOND
from goodbot.policy.decide import is_answer
from goodbot.reconsidering import (
    HELD_USES,
    HeldAnswer,
    HeldUse,
    TakedownList,
    UnknownChoice,
    what_to_do,
)
from goodbot.reconsidering.decision import ACTIONS, HELD_STATUSES, TAKEDOWN
from goodbot.reconsidering.site_statements import held_answer, strictest
from goodbot.tables.columns.policy_table import PolicyTable, as_policy_table
from goodbot.tables.columns.schema import pyarrow
from goodbot.tables.columns.time_columns import time_column
from goodbot.tables.columns.use_verdicts import lives_of, rows_of_one_time
from goodbot.tables.columns.verdicts import by_dialect, one_column

__all__ = [
    "TABLE_USES",
    "ReconsideredColumns",
    "combined",
    "count_answers",
    "does_not_stay",
    "reconsider_columns",
]

ReconsideredColumns: TypeAlias = dict[HeldUse, Any]
"""For each use a `pyarrow.Table` with the columns `then`, `now`, `reason`, `line`, `source` and
`do`."""

TABLE_USES: tuple[HeldUse, ...] = ("fetch", "train")
"""The uses that are asked about by default."""
STATUSES = tuple(HELD_STATUSES)
DOES = tuple(ACTIONS)
ALLOWED, DISALLOWED, UNKNOWN = map(STATUSES.index, ("allowed", "disallowed", "unknown"))
FOR_EACH_URL = re.compile(
    rb"content.?(?:usage|signal)[^\S\r\n]*:[^\S\r\n]*[^\sa-z]|__usage", re.IGNORECASE
)
"""What a robots.txt has whose answers on uses differ from path to path."""
PREFERENCE = re.compile(rb"content-usage", re.IGNORECASE)
"""What is stated of allowed content only (draft-ietf-aipref-attach-05 section 3.1)."""
NOT_READ = TdmRep(is_whole=False)
SILENT = {
    use: HeldAnswer("unknown", "tdmrep-not-read" if use == "train" else "page-not-read")
    for use in HELD_USES
}
"""The answers if robots.txt says nothing: the page may."""
UNREACHED = HeldAnswer("unknown", "robots-txt-unreachable")


def reconsider_columns(
    urls: Any,  # noqa: ANN401  a column of any library
    policies: Any,  # noqa: ANN401  a PolicyTable, or Arrow of any library
    robot: str = "*",
    at: Any = None,  # noqa: ANN401  a column of any library
    now: datetime | None = None,
    *,
    uses: Sequence[HeldUse] = TABLE_USES,
    unknown: UnknownChoice = "keep",
    takedown: TakedownList | None = None,
    dialect: str | None = None,
) -> ReconsideredColumns:
    """Return what to do with URLs that were fetched once, by what robots.txt says at another time.

    Args:
        urls: The URLs; see `goodbot.tables.columns.verdicts`.
        policies: The policies; see there.
        robot: A product token or a whole User-Agent.
        at: When each was fetched; `None` if that is not known.
        now: The time by whose policies they are reconsidered, an aware `datetime`; `None`: by the
            newest policies, whatever their age.
        uses: The uses.
        unknown: What to do if it is not known what a site says now.
        takedown: A takedown list, for the use `takedown`.
        dialect: The dialect of the table of policies, if it does not state that.

    Returns:
        For each use a `pyarrow.Table` with a row for each URL: `then`, `now`, `reason`, `line`,
        `source` and `do`, as `goodbot.reconsidering.COLUMNS` describes them.

    Raises:
        MisuseError: See `goodbot.tables.columns.verdicts`.
        MissingExtraError: pyarrow is not installed.

    """
    answers = None
    if any(use != TAKEDOWN for use in uses):
        answers = PolicyAnswers(as_policy_table(policies, dialect), robot)
    return answer_columns(answers, urls, at, now, uses=uses, unknown=unknown, takedown=takedown)


def answer_columns(
    answers: "PolicyAnswers | None",
    urls: Any,  # noqa: ANN401  a column of any library
    at: Any,  # noqa: ANN401  a column of any library
    now: datetime | None,
    *,
    uses: Sequence[HeldUse],
    unknown: UnknownChoice,
    takedown: TakedownList | None,
) -> ReconsideredColumns:
    """Return what `reconsider_columns` does, by policies that were read before."""
    found: ReconsideredColumns = {}
    urls = urls if hasattr(urls, "__arrow_c_stream__") else pyarrow().array(urls)
    asked = [one for one in uses if one != TAKEDOWN]
    if asked and answers is not None:
        today = answers.decide(urls, now, explain=True)
        explain = asked != ["fetch"] or answers.has_failures
        before = None if at is None else answers.decide(urls, at, explain=explain)
        for use in asked:
            if use == "fetch":
                found[use] = fetch_columns(answers, today, before, unknown)
            else:
                found[use] = use_columns(answers, use, urls, today, before, unknown)
    if TAKEDOWN in uses and takedown is not None:
        found[TAKEDOWN] = takedown_columns(urls, takedown)
    return found


class DecidedColumn:
    """The verdicts on a column by the policies of a time.

    Args:
        columns: Those that the core returns: verdicts and, if wanted, reasons, lines and policies.
        ages: The times since the policies were learned, if they are wanted.

    """

    def __init__(self, columns: Sequence[Any], ages: Any) -> None:  # noqa: ANN401  columns
        """Keep them without copying."""
        pa = pyarrow()
        self.allowed = pa.array(columns[0])
        explained: list[Any] = [pa.array(one) for one in columns[1:4]] or [None] * 3
        self.reason, self.line, self.policy = explained
        self.ages = None if ages is None else pa.array(ages)

    def is_current(self, lives: Any) -> Any:  # noqa: ANN401  pyarrow's
        """Return for each row whether its policy can permit anything.

        A disallow counts at any age, so that it does not show that the policy is current.

        Args:
            lives: For how long each policy permits anything, in microseconds.

        """
        import pyarrow.compute as pc  # noqa: PLC0415  an extra

        pa = pyarrow()
        # Without times the newest policies count as current.
        ages = pa.nulls(len(self.allowed)) if self.ages is None else self.ages
        young = pc.less(ages.cast(pa.int64(), safe=False), lives.take(self.policy))
        return pc.fill_null(pc.or_(self.allowed, pc.fill_null(young, value_true())), False)  # noqa: FBT003


class ReadFile(NamedTuple):
    """What a file says to a robot."""

    file: ObeyedFile
    """The file."""
    by_path: bool
    """Whether its answers on uses differ from path to path, and not by access alone."""


class PolicyAnswers:
    """What the policies of a table say to one robot.

    Args:
        table: The table.
        robot: The robot.

    """

    def __init__(self, table: PolicyTable, robot: str) -> None:
        """Read what is the same for all URLs."""
        pa = pyarrow()
        self.robot = robot
        ((dialect, self._group),) = by_dialect([robot], table).items()
        self._history = table.in_dialect(dialect)
        self._read = pa.table(table.in_arrow(dialect))
        lives = [one // MICROSECOND for one in lives_of(self._read, table)]
        self.lives = pa.array(lives, pa.int64())
        """For how long each policy permits anything, in microseconds."""
        access, reason = (self._read.column(name).to_pylist() for name in ("access", "reason"))
        pairs = zip(access, reason, strict=True)
        self.is_answer = pa.array([is_answer(*one) for one in pairs], pa.bool_())
        """For each policy whether somebody decided it, or nobody answered."""
        self.has_failures = False in self.is_answer.to_pylist()
        self._is_open = [one in {"rules", "allow-all"} for one in access]
        self._bodies = self._read.column("body")
        self._tied = rows_of_one_time(self._read)
        self._known: dict[tuple[HeldUse, int], HeldAnswer | None] = {}
        self._by_access: dict[tuple[HeldUse, int, bool], HeldAnswer] = {}
        self._files = lru_cache(1_000)(self._parse)

    def decide(self, urls: Any, at: Any, *, explain: bool) -> DecidedColumn:  # noqa: ANN401  columns
        """Return the verdicts of a time, or of a time for each row."""
        rows = UrlRows(one_column(urls), None if at is None else time_column(at))
        columns, ages, _ = self._history.decide(rows, self._group, explain, 1)
        return DecidedColumn(columns[0], ages if explain else None)

    def _parse(self, row: int) -> ReadFile:
        """Return what the file of a policy says to the robot."""
        body = self._bodies[row].as_py()
        file = None if body is None else RobotsTxt(body)
        obeyed = obeyed_file(file, self.robot, families=True)
        return ReadFile(obeyed, by_path=body is not None and bool(FOR_EACH_URL.search(body)))

    def of_policy(self, use: HeldUse, row: int) -> HeldAnswer | None:
        """Return the answer of a policy on a use; `None` if it differs from URL to URL."""
        key = use, row
        if key not in self._known:
            answers = [self._answer(use, one) for one in self._tied[row]]
            found = [one for one in answers if one is not None]
            self._known[key] = strictest(found) if len(found) == len(answers) else None
        return self._known[key]

    def _answer(self, use: HeldUse, row: int) -> HeldAnswer | None:
        """Return what `of_policy` remembers."""
        if not self._is_open[row]:
            return UNREACHED
        body = self._bodies[row].as_py()
        if body is None or not octets_speak_of_uses(body):
            return SILENT[use]
        if FOR_EACH_URL.search(body) or PREFERENCE.search(body):
            return None
        origin = self._read.column("origin")[row].as_py()
        return self._of_file(use, f"{origin}/", row)

    def of_url(self, use: HeldUse, url: str, row: int) -> HeldAnswer:
        """Return the answer of a policy on a use of one URL, and of those of the same time."""
        return strictest([self._of_file(use, url, one) for one in self._tied[row]])

    def _of_file(self, use: HeldUse, url: str, row: int) -> HeldAnswer:
        """Return the answer of one file on a use of one URL."""
        if not self._is_open[row]:
            return UNREACHED
        read = self._files(row)
        stated = read.file.stated
        if read.by_path or stated is None:
            return self._of_source(use, url, read.file)
        key = use, row, stated.rules.allows(url)
        if key not in self._by_access:
            self._by_access[key] = self._of_source(use, url, read.file)
        return self._by_access[key]

    def _of_source(self, use: HeldUse, url: str, file: ObeyedFile) -> HeldAnswer:
        """Return what a file says of a use of one URL."""
        uses = UseSources(url, self.robot, None, file, NOT_READ, families=True).answer()
        return held_answer(uses.verdicts[use], is_current=True)  # type: ignore[index]  # a use


def encoded(indices: Any, names: Sequence[str]) -> Any:  # noqa: ANN401  pyarrow's
    """Return a column of names by their numbers."""
    pa = pyarrow()
    return pa.DictionaryArray.from_arrays(indices, pa.array(names, pa.string()))


def encoded_once(indices: Any, names: Sequence[str]) -> Any:  # noqa: ANN401  pyarrow's
    """Return a column of names by their numbers; names that are the same get one number."""
    pa = pyarrow()
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    numbers = pa.array([places[one] for one in names], pa.int32())
    return encoded(numbers.take(indices), list(places))


def does_not_stay(column: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return for each row whether something else is to be done than to keep it."""
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    encoded_column = combined(column)
    names = encoded_column.dictionary.to_pylist()
    keep = names.index("keep") if "keep" in names else -1
    return pc.not_equal(encoded_column.indices, pyarrow().scalar(keep, encoded_column.indices.type))


def combined(column: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return a column in one chunk."""
    if not hasattr(column, "chunks"):
        return column
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def statuses_of(answers: PolicyAnswers, decided: DecidedColumn) -> Any:  # noqa: ANN401  pyarrow's
    """Return the numbers of the answers on fetching."""
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    pa = pyarrow()
    allowed, disallowed, unknown = (
        pa.scalar(one, pa.int8()) for one in (ALLOWED, DISALLOWED, UNKNOWN)
    )
    known = pc.if_else(decided.allowed, allowed, disallowed)
    if answers.has_failures and decided.policy is not None:
        # A failed request is no opt-out.
        by_answer = pc.fill_null(answers.is_answer.take(decided.policy), value_true())
        known = pc.if_else(by_answer, known, unknown)
    return pc.fill_null(known, unknown)


def value_true() -> Any:  # noqa: ANN401  pyarrow's
    """Return true as a scalar."""
    return pyarrow().scalar(value=True)


def does(numbers: Any, use: HeldUse, unknown: UnknownChoice) -> Any:  # noqa: ANN401  pyarrow's
    """Return what to do, by the numbers of the answers."""
    pa = pyarrow()
    by_status = [DOES.index(what_to_do(use, status, unknown)) for status in STATUSES]
    return encoded(pa.array(by_status, pa.int8()).take(numbers), DOES)


def fetch_columns(
    answers: PolicyAnswers, now: DecidedColumn, then: DecidedColumn | None, unknown: UnknownChoice
) -> Any:  # noqa: ANN401  pyarrow's
    """Return the columns on fetching."""
    pa = pyarrow()
    today = statuses_of(answers, now)
    count = len(today)
    before = (
        pa.repeat(pa.scalar(UNKNOWN, pa.int8()), count)
        if then is None
        else statuses_of(answers, then)
    )
    return pa.table(
        {
            "then": encoded(before, STATUSES),
            "now": encoded(today, STATUSES),
            "reason": now.reason,
            "line": now.line,
            "source": encoded(pa.repeat(pa.scalar(0, pa.int8()), count), ("",)),
            "do": does(today, "fetch", unknown),
        }
    )


def use_columns(
    answers: PolicyAnswers,
    use: HeldUse,
    urls: Any,  # noqa: ANN401  a column
    now: DecidedColumn,
    then: DecidedColumn | None,
    unknown: UnknownChoice,
) -> Any:  # noqa: ANN401  pyarrow's
    """Return the columns on another use."""
    pa = pyarrow()
    today = answers_by_row(answers, use, urls, now)
    found = {name: [getattr(one, name) for one in today.values] for name in HeldAnswer._fields}
    numbers = pa.array([STATUSES.index(one) for one in found["status"]], pa.int8()).take(today.rows)
    if then is None:
        before = pa.repeat(pa.scalar(UNKNOWN, pa.int8()), len(numbers))
    else:
        past = answers_by_row(answers, use, urls, then)
        each = [STATUSES.index(one.status) for one in past.values]
        before = pa.array(each, pa.int8()).take(past.rows)
    return pa.table(
        {
            "then": encoded(before, STATUSES),
            "now": encoded(numbers, STATUSES),
            "reason": encoded_once(today.rows, found["reason"]),
            "line": pa.array(found["line"], pa.int64()).take(today.rows),
            "source": encoded_once(today.rows, found["source"]),
            "do": does(numbers, use, unknown),
        }
    )


class AnswersByRow:
    """Answers, each once, and for each row the number of its answer."""

    def __init__(self, values: list[HeldAnswer], rows: Any) -> None:  # noqa: ANN401  pyarrow's
        """Store both."""
        self.values, self.rows = values, rows


def answers_by_row(
    answers: PolicyAnswers,
    use: HeldUse,
    urls: Any,  # noqa: ANN401  a column
    decided: DecidedColumn,
) -> AnswersByRow:
    """Return the answers on a use, by the policy that held for each row."""
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    pa = pyarrow()
    values = [HeldAnswer("unknown", "not-asked"), HeldAnswer("unknown", "expired")]
    is_current = decided.is_current(answers.lives)
    policies = decided.policy.dictionary_encode()
    current, past, odd = [], [], []
    for place, policy in enumerate(policies.dictionary.to_pylist()):
        answer = answers.of_policy(use, policy)
        if answer is None:
            odd.append(place)
            current.append(0)
            past.append(0)
            continue
        values.append(answer)
        current.append(len(values) - 1)
        past.append(len(values) - 1 if answer.status != "allowed" else 1)
    kinds = [pa.array(one, pa.int32()) for one in (current, past)]
    if not current:
        return AnswersByRow(values, pa.repeat(pa.scalar(0, pa.int32()), len(decided.policy)))
    places = policies.indices
    rows = pc.if_else(is_current, kinds[0].take(places), kinds[1].take(places))
    rows = pc.fill_null(rows, pa.scalar(0, pa.int32()))
    if odd:
        rows = each_url(answers, use, urls, decided, (values, rows, is_current, places, set(odd)))
    return AnswersByRow(values, rows)


def each_url(
    answers: PolicyAnswers,
    use: HeldUse,
    urls: Any,  # noqa: ANN401  a column
    decided: DecidedColumn,
    found: tuple[list[HeldAnswer], Any, Any, Any, set[int]],
) -> Any:  # noqa: ANN401  pyarrow's
    """Return the numbers of the answers, of which some are asked URL by URL."""
    pa = pyarrow()
    values, rows, is_current, places, odd = found
    numbers = rows.to_pylist()
    known = {one: place for place, one in enumerate(values)}
    policies, currents = decided.policy, is_current.to_pylist()
    for row, place in enumerate(places.to_pylist()):
        if place not in odd:
            continue
        answer = answers.of_url(use, urls[row].as_py(), policies[row].as_py())
        if answer.status == "allowed" and not currents[row]:
            answer = values[1]
        if answer not in known:
            known[answer] = len(values)
            values.append(answer)
        numbers[row] = known[answer]
    return pa.array(numbers, pa.int32())


def takedown_columns(urls: Any, takedown: TakedownList) -> Any:  # noqa: ANN401  pyarrow's
    """Return the columns on a takedown list."""
    pa = pyarrow()
    names = pa.chunked_array(urls) if hasattr(urls, "__arrow_c_stream__") else urls
    entries = [None if one is None else takedown.entry_of(one) for one in names.to_pylist()]
    status = ["allowed" if one is None else "listed" for one in entries]
    return pa.table(
        {
            "then": pa.array([""] * len(entries)).dictionary_encode(),
            "now": pa.array(status).dictionary_encode(),
            "reason": pa.array(
                ["not-on-list" if one is None else "takedown-list" for one in entries]
            ).dictionary_encode(),
            "line": pa.array([None if one is None else one[0] for one in entries], pa.int64()),
            "source": pa.array(sources_of(entries)).dictionary_encode(),
            "do": pa.array([what_to_do(TAKEDOWN, one) for one in status]).dictionary_encode(),
        }
    )


def sources_of(entries: Iterable[tuple[int, str] | None]) -> list[str]:
    """Return the entries of a list as statements."""
    return ["" if one is None else f"takedown list, line {one[0]}: {one[1]}" for one in entries]


def count_answers(table: Any) -> Iterator[tuple[tuple[str, str, str, str], int]]:  # noqa: ANN401  pyarrow's
    """Yield each combination of `then`, `now`, `reason` and `do` that some rows have, and how many.

    The columns are encoded, so that one number stands for the four names of a row: counting
    numbers takes a tenth of the time of grouping by four columns.
    """
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    pa = pyarrow()
    names: list[list[str]] = []
    numbers = None
    for column in (combined(table.column(one)) for one in ("then", "now", "reason", "do")):
        names.append([*column.dictionary.to_pylist(), ""])
        missing = pa.scalar(len(names[-1]) - 1, pa.int64())
        places = pc.fill_null(column.indices.cast(pa.int64()), missing)
        size = pa.scalar(len(names[-1]), pa.int64())
        numbers = places if numbers is None else pc.add(pc.multiply(numbers, size), places)
    for one in pc.value_counts(numbers).to_pylist():
        number, found = one["values"], []
        for known in reversed(names):
            number, place = divmod(number, len(known))
            found.append(known[place] or "")
        do, reason, now, then = found
        yield (then, now, reason, do), one["counts"]


def gone(columns: Mapping[HeldUse, Any], applied: Iterable[HeldUse]) -> Any:  # noqa: ANN401  pyarrow's
    """Return for each row whether it goes, by some of the uses."""
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    found = None
    for use in applied:
        if use in columns:
            one = does_not_stay(columns[use].column("do"))
            found = one if found is None else pc.or_(found, one)
    return found
