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
from functools import lru_cache, partial
from itertools import repeat
from typing import Any, NamedTuple, TypeAlias

from goodbot._core import RobotsTxt, UrlRows
from goodbot.content_use.obeyed_file import ObeyedFile, obeyed_file
from goodbot.content_use.site_statements import octets_speak_of_uses
from goodbot.content_use.sources import UseSources
from goodbot.content_use.tdmrep import TdmRep
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
from goodbot.reconsidering.site_statements import NOT_ASKED, TOO_OLD, held_answer, strictest
from goodbot.tables.columns.policy_table import PolicyTable, as_policy_table
from goodbot.tables.columns.schema import pyarrow
from goodbot.tables.columns.time_columns import time_column
from goodbot.tables.columns.use_verdicts import one_by_one, rows_of_one_time
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
FOR_EACH_URL = re.compile(rb"content.?(?:usage|signal)[^\S\r\n]*:[^\S\r\n]*[^\sa-z]")
"""What a robots.txt in lower case has whose answers on uses differ from path to path."""
PURPOSE = b"__usage"
"""What else it then may have."""
PREFERENCE = b"content-usage"
"""What is stated of allowed content only (draft-ietf-aipref-attach-05 section 3.1)."""
LINE_BITS = 32
"""How many bits the number of a line has."""
NOTHING_KNOWN = "unknown"
"""The reason of columns of verdicts if no policy was known."""
NO_ORIGIN = "no-origin"
"""The reason of what is no URL of a site, and of null."""
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
    digests: Sequence[Any] = (),
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
        digests: Columns of digests of the content, which are looked up on that list; each value
            with its algorithm (`sha1:…`) or without.
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
    return answer_columns(
        answers, urls, at, now, uses=uses, unknown=unknown, takedown=takedown, digests=digests
    )


def answer_columns(
    answers: "PolicyAnswers | None",
    urls: Any,  # noqa: ANN401  a column of any library
    at: Any,  # noqa: ANN401  a column of any library
    now: datetime | None,
    *,
    uses: Sequence[HeldUse],
    unknown: UnknownChoice,
    takedown: TakedownList | None,
    digests: Sequence[Any] = (),
) -> ReconsideredColumns:
    """Return what `reconsider_columns` does, by policies that were read before."""
    found: ReconsideredColumns = {}
    urls = urls if hasattr(urls, "__arrow_c_stream__") else pyarrow().array(urls)
    asked = [one for one in uses if one != TAKEDOWN]
    if asked and answers is not None:
        asked_of = AskedRows(answers, urls, at, now)
        for use in asked:
            ask = fetch_columns if use == "fetch" else partial(use_columns, use)
            found[use] = ask(asked_of, unknown)
    if TAKEDOWN in uses and takedown is not None:
        found[TAKEDOWN] = takedown_columns(urls, takedown, digests)
    return found


class Standings:
    """What held for some rows at a time: each different answer once, and which one each row has.

    Args:
        columns: Those of the core: for each row the number of its answer; the verdicts, the
            policies, and whether what these permit counts.

    """

    def __init__(self, columns: Sequence[Any]) -> None:
        """Keep them without copying."""
        import pyarrow.compute as pc  # noqa: PLC0415  an extra

        pa = pyarrow()
        self.rows, self.allowed, self.policy, counts = map(pa.array, columns)
        # A policy that says nothing of the URL permits nothing.
        self.is_current = pc.and_(counts, self.allowed.is_valid())
        """Whether the policy of an answer permits anything."""


class AskedRows:
    """Some rows, and what held for them at the two times.

    Args:
        answers: What the policies say.
        urls: The URLs.
        at: Their own times; `None` if they are not known.
        now: The other time.

    """

    def __init__(self, answers: "PolicyAnswers", urls: Any, at: Any, now: datetime | None) -> None:  # noqa: ANN401  columns
        """Decide by the policies, once for both times."""
        import pyarrow.compute as pc  # noqa: PLC0415  an extra

        self.answers, self.urls = answers, urls
        moments, (reason, self.line) = answers.decide(urls, at, now)
        names = reason.dictionary.to_pylist()
        names = [NOT_ASKED.reason if one == NOTHING_KNOWN else one for one in names]
        if NO_ORIGIN not in names:
            names.append(NO_ORIGIN)
        indices = reason.indices
        self.no_origin = names.index(NO_ORIGIN)
        """The number of the reason of what is no URL of a site, or null."""
        if indices.null_count:
            indices = pc.fill_null(indices, pyarrow().scalar(self.no_origin, indices.type))
        self.reason = encoded(indices, names)
        self.now = Standings(moments[-1])
        self.then = None if at is None else Standings(moments[0])


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
        ((dialect, (self._robot,)),) = by_dialect([robot], table).items()
        self._history = table.in_dialect(dialect)
        self._read = pa.table(table.in_arrow(dialect))
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
        self._body = lru_cache(100)(self._read_body)

    def decide(
        self,
        urls: Any,  # noqa: ANN401  a column
        at: Any,  # noqa: ANN401  a column
        now: datetime | None,
    ) -> tuple[Sequence[Sequence[Any]], Iterable[Any]]:
        """Return for each time the columns of `Standings`; then reasons and lines at the last.

        Args:
            urls: The URLs.
            at: Their own times; `None` if they are not known: then only the other time counts.
            now: The other time; `None` for the newest policies.

        """
        rows = UrlRows(one_column(urls), None if at is None else time_column(at))
        time = None if now is None else time_column(now)
        moments, explained = self._history.decide_again(rows, self._robot, at is not None, time)
        return moments, map(pyarrow().array, explained)

    def _parse(self, row: int) -> ReadFile:
        """Return what the file of a policy says to the robot."""
        body = self._bodies[row].as_py()
        file = None if body is None else RobotsTxt(body)
        obeyed = obeyed_file(file, self.robot, families=True)
        return ReadFile(obeyed, by_path=body is not None and differs_by_path(body.lower()))

    def rule_of(self, row: int, line: int) -> str:
        """Return a line of the file of a policy, with its place."""
        body = self._body(row)
        # To find a line by its ends is faster than to make all lines.
        lines = body.splitlines() if b"\r" in body else body.split(b"\n", line)
        return f"robots.txt, line {line}: {lines[line - 1].decode('utf-8', 'replace')}"

    def _read_body(self, row: int) -> bytes:
        """Return the file of a policy."""
        return self._bodies[row].as_py() or b""

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
        lowered = body.lower()
        if PREFERENCE in lowered or differs_by_path(lowered):
            return None
        origin = self._read.column("origin")[row].as_py()
        return self._of_source(use, f"{origin}/", self._files(row).file)

    def of_urls(self, use: HeldUse, urls: Any, row: int) -> "AnswersByRow":  # noqa: ANN401  a column
        """Return the answers of a policy, and of those of the same time, on a use of many URLs."""
        columns = [self._of_file(use, urls, one) for one in self._tied[row]]
        if len(columns) == 1:
            return columns[0]
        return AnswersByRow.of(map(strictest, zip(*map(list, columns), strict=True)))

    def _of_file(self, use: HeldUse, urls: Any, row: int) -> "AnswersByRow":  # noqa: ANN401  a column
        """Return the answers of one file on a use of many URLs."""
        pa = pyarrow()
        if not self._is_open[row]:
            return AnswersByRow.of(repeat(UNREACHED, len(urls)))
        read = self._files(row)
        stated = read.file.stated
        if read.by_path or stated is None:
            return AnswersByRow.of(self._of_source(use, one.as_py(), read.file) for one in urls)
        accesses = pa.array(stated.rules.allows_many(urls))
        values = []
        for access in (False, True):
            place = accesses.index(pa.scalar(access)).as_py()
            answer = self._by_access.get((use, row, access))
            if answer is None and place >= 0:
                answer = self._of_source(use, urls[place].as_py(), read.file)
                self._by_access[use, row, access] = answer
            values.append(UNREACHED if answer is None else answer)
        return AnswersByRow(values, accesses.cast(pa.int8()))

    def _of_source(self, use: HeldUse, url: str, file: ObeyedFile) -> HeldAnswer:
        """Return what a file says of a use of one URL."""
        uses = UseSources(url, self.robot, None, file, NOT_READ, families=True).answer()
        return held_answer(uses.verdicts[use], is_current=True)  # type: ignore[index]  # a use


def differs_by_path(lowered: bytes) -> bool:
    """Return whether the answers of a robots.txt, in lower case, may differ from path to path."""
    return PURPOSE in lowered or FOR_EACH_URL.search(lowered) is not None


def encoded(indices: Any, names: Sequence[str]) -> Any:  # noqa: ANN401  pyarrow's
    """Return a column of names by their numbers."""
    pa = pyarrow()
    # The numbers are places of the names.
    return pa.DictionaryArray.from_arrays(indices, pa.array(names, pa.string()), safe=False)


def chosen(values: Any, places: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return the values at places, which are all there."""
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    return pc.take(values, places, boundscheck=False)


def encoded_once(indices: Any, names: Sequence[str]) -> Any:  # noqa: ANN401  pyarrow's
    """Return a column of names by their numbers; names that are the same get one number."""
    pa = pyarrow()
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    numbers = pa.array([places[one] for one in names], pa.int32())
    return encoded(chosen(numbers, indices), list(places))


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


def statuses_of(answers: PolicyAnswers, held: Standings) -> Any:  # noqa: ANN401  pyarrow's
    """Return for each row the number of the answer on fetching."""
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    pa = pyarrow()
    allowed, disallowed, unknown = (
        pa.scalar(one, pa.int8()) for one in (ALLOWED, DISALLOWED, UNKNOWN)
    )
    known = pc.if_else(held.allowed, allowed, disallowed)
    if answers.has_failures:
        # A failed request is no opt-out.
        by_answer = pc.fill_null(answers.is_answer.take(held.policy), value_true())
        known = pc.if_else(by_answer, known, unknown)
    return chosen(pc.fill_null(known, unknown), held.rows)


def value_true() -> Any:  # noqa: ANN401  pyarrow's
    """Return true as a scalar."""
    return pyarrow().scalar(value=True)


def does(numbers: Any, use: HeldUse, unknown: UnknownChoice) -> Any:  # noqa: ANN401  pyarrow's
    """Return what to do, by the numbers of the answers."""
    pa = pyarrow()
    by_status = [DOES.index(what_to_do(use, status, unknown)) for status in STATUSES]
    return encoded(chosen(pa.array(by_status, pa.int8()), numbers), DOES)


def unknown_before(count: int) -> Any:  # noqa: ANN401  pyarrow's
    """Return the numbers of the answers of then, if it is not known when that was."""
    return pyarrow().repeat(pyarrow().scalar(UNKNOWN, pyarrow().int8()), count)


def fetch_columns(asked: AskedRows, unknown: UnknownChoice) -> Any:  # noqa: ANN401  pyarrow's
    """Return the columns on fetching."""
    pa = pyarrow()
    today = statuses_of(asked.answers, asked.now)
    count = len(today)
    before = unknown_before(count) if asked.then is None else statuses_of(asked.answers, asked.then)
    return pa.table(
        {
            "then": encoded(before, STATUSES),
            "now": encoded(today, STATUSES),
            "reason": asked.reason,
            "line": asked.line,
            "source": sources_of_rules(asked, count),
            "do": does(today, "fetch", unknown),
        }
    )


def sources_of_rules(asked: AskedRows, count: int) -> Any:  # noqa: ANN401  pyarrow's
    """Return for each row the rule that decides now, with its place; empty if none does."""
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    pa = pyarrow()
    has_line = asked.line.is_valid()
    rows = pc.indices_nonzero(has_line)
    lines = chosen(asked.line, rows).cast(pa.int64())
    keys = chosen(asked.now.rows, rows).cast(pa.int64())
    rules = pc.add(pc.shift_left(keys, pa.scalar(LINE_BITS)), lines).dictionary_encode()
    policies = asked.now.policy.to_pylist()
    texts = {"": 0}
    numbers = [
        texts.setdefault(
            asked.answers.rule_of(policies[one >> LINE_BITS], one % 2**LINE_BITS), len(texts)
        )
        for one in rules.dictionary.to_pylist()
    ]
    found = chosen(pa.array(numbers, pa.int32()), rules.indices)
    none = pa.repeat(pa.scalar(0, pa.int32()), count)
    return encoded(pc.replace_with_mask(none, has_line, found), list(texts))


def use_columns(use: HeldUse, asked: AskedRows, unknown: UnknownChoice) -> Any:  # noqa: ANN401  pyarrow's
    """Return the columns on another use."""
    pa = pyarrow()
    today = answers_by_row(use, asked, asked.now)
    found = {name: [getattr(one, name) for one in today.values] for name in HeldAnswer._fields}
    each = [STATUSES.index(one) for one in found["status"]]
    numbers = chosen(pa.array(each, pa.int8()), today.rows)
    if asked.then is None:
        before = unknown_before(len(numbers))
    else:
        past = answers_by_row(use, asked, asked.then)
        each = [STATUSES.index(one.status) for one in past.values]
        before = chosen(pa.array(each, pa.int8()), past.rows)
    return pa.table(
        {
            "then": encoded(before, STATUSES),
            "now": encoded(numbers, STATUSES),
            "reason": with_no_origin(asked, encoded_once(today.rows, found["reason"])),
            "line": chosen(pa.array(found["line"], pa.int64()), today.rows),
            "source": encoded_once(today.rows, found["source"]),
            "do": does(numbers, use, unknown),
        }
    )


def with_no_origin(asked: AskedRows, reason: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return a column of reasons, in which what is no URL of a site has that reason."""
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    has_none = pc.equal(asked.reason.indices, asked.no_origin)
    if not pc.any(has_none).as_py():
        return reason
    names = [*reason.dictionary.to_pylist(), NO_ORIGIN]
    number = pyarrow().scalar(len(names) - 1, reason.indices.type)
    return encoded(pc.if_else(has_none, number, reason.indices), names)


class AnswersByRow:
    """Answers, each once, and for each row the number of its answer."""

    def __init__(self, values: list[HeldAnswer], rows: Any) -> None:  # noqa: ANN401  pyarrow's
        """Store both."""
        self.values, self.rows = values, rows

    @classmethod
    def of(cls, answers: Iterable[HeldAnswer]) -> "AnswersByRow":
        """Return the answers of rows."""
        known: dict[HeldAnswer, int] = {}
        numbers = [known.setdefault(one, len(known)) for one in answers]
        return cls(list(known), pyarrow().array(numbers, pyarrow().int32()))

    def __iter__(self) -> Iterator[HeldAnswer]:
        """Yield the answer of each row."""
        return (self.values[one] for one in self.rows.to_pylist())


def answers_by_row(use: HeldUse, asked: AskedRows, held: Standings) -> AnswersByRow:
    """Return the answers on a use, by the policy that held for each row."""
    known: dict[HeldAnswer, int] = {}
    numbers: list[int] = []
    by_url: dict[int, tuple[int, bool]] = {}
    each = zip(held.policy.to_pylist(), held.is_current.to_pylist(), strict=True)
    for place, (policy, is_current) in enumerate(each):
        answer = NOT_ASKED if policy is None else asked.answers.of_policy(use, policy)
        if answer is None:
            by_url[place] = policy, is_current
            answer = NOT_ASKED
        numbers.append(known.setdefault(by_age(answer, is_current=is_current), len(known)))
    rows = chosen(pyarrow().array(numbers, pyarrow().int32()), held.rows)
    if by_url:
        rows = answer_each(use, asked, held, by_url, known, rows)
    return AnswersByRow(list(known), rows)


def by_age(answer: HeldAnswer, *, is_current: bool) -> HeldAnswer:
    """Return an answer, as far as the age of its policy lets it count."""
    return answer if is_current or answer.status != "allowed" else TOO_OLD


def answer_each(
    use: HeldUse,
    asked: AskedRows,
    held: Standings,
    by_url: Mapping[int, tuple[int, bool]],
    known: dict[HeldAnswer, int],
    rows: Any,  # noqa: ANN401  pyarrow's
) -> Any:  # noqa: ANN401  pyarrow's
    """Return the numbers of the answers, of which some are asked URL by URL.

    Args:
        use: The use.
        asked: The rows.
        held: What held for them.
        by_url: The answers that differ from URL to URL: each its policy, and whether that counts.
        known: The answers, each with its number; those that are not known yet are added.
        rows: The numbers of the other answers.

    """
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    pa = pyarrow()
    differs = pa.array([place in by_url for place in range(len(held.policy))]).take(held.rows)
    places = pc.indices_nonzero(differs)
    places = places.take(pc.array_sort_indices(held.rows.take(places)))
    urls = combined(without_views(pa.chunked_array(asked.urls))).take(places)
    found, first = [], 0
    for run in pc.value_counts(held.rows.take(places)).to_pylist():
        policy, is_current = by_url[run["values"]]
        some = urls.slice(first, run["counts"])
        first += run["counts"]
        answers = asked.answers.of_urls(use, some, policy)
        counted = [by_age(one, is_current=is_current) for one in answers.values]
        numbers = [known.setdefault(one, len(known)) for one in counted]
        found.append(pa.array(numbers, pa.int32()).take(answers.rows))
    in_order = pa.concat_arrays(found).take(pc.array_sort_indices(places))
    return pc.replace_with_mask(rows, differs, in_order)


def without_views(column: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return a column of texts in a form from which rows can be taken; Polars has another one."""
    pa = pyarrow()
    if pa.types.is_string_view(column.type):
        return column.cast(pa.large_string())
    return column.cast(pa.large_binary()) if pa.types.is_binary_view(column.type) else column


def takedown_columns(urls: Any, takedown: TakedownList, digests: Sequence[Any] = ()) -> Any:  # noqa: ANN401  pyarrow's
    """Return the columns on a takedown list, which may have digests of the content."""
    pa = pyarrow()
    texts = one_by_one(urls)
    stated = zip(*(one.cast(pa.string()).to_pylist() for one in digests), strict=True)
    entries = [
        takedown.entry_of(url or "", [name for one in row for name in takedown.named_digests(one)])
        for url, row in zip(texts, stated if digests else repeat((), len(texts)), strict=True)
    ]
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

    One number stands for the names of a row. What fits into a byte is counted in a tenth of the
    time of grouping by four columns, and few combinations occur. What to do follows from `now`, so
    that the first row of each combination has it.
    """
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    pa = pyarrow()
    numbers: Any = None
    found: list[tuple[str, ...]] = [()]
    for name in ("then", "now", "reason"):
        column = combined(table.column(name))
        names = [one or "" for one in column.dictionary.to_pylist()]
        places = column.indices
        if places.null_count:
            places = pc.fill_null(places, len(names))
            names.append("")
        if numbers is not None and len(found) * len(names) > MOST_IN_A_BYTE:
            numbers, found = only_found(numbers, found)
        numbers = joined(numbers, places, len(names), len(found) * len(names))
        found = [(*before, one) for before in found for one in names]
    for one in pc.value_counts(numbers).to_pylist():
        then, now, reason = found[one["values"]]
        first = numbers.index(pa.scalar(one["values"], numbers.type)).as_py()
        yield (then, now, reason, table.column("do")[first].as_py()), one["counts"]


MOST_IN_A_BYTE = 256
"""How many combinations have a number that fits into a byte."""


def joined(numbers: Any, places: Any, names: int, combinations: int) -> Any:  # noqa: ANN401  pyarrow's
    """Return a number for each row of all the columns so far."""
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    pa = pyarrow()
    kind = pa.uint8() if combinations <= MOST_IN_A_BYTE else pa.int64()
    places = places.cast(kind, safe=False)
    if numbers is None:
        return places
    # The greatest factor of a byte does not fit into it, but then there was one number only.
    factor = pa.scalar(names % MOST_IN_A_BYTE if kind == pa.uint8() else names, kind)
    return pc.add(pc.multiply(numbers.cast(kind, safe=False), factor), places)


def only_found(numbers: Any, found: list[Any]) -> tuple[Any, list[Any]]:  # noqa: ANN401  pyarrow's
    """Return numbers again, of only those combinations that some row has."""
    pa = pyarrow()
    occurring = numbers.unique().to_pylist()
    new = [0] * len(found)
    for place, one in enumerate(occurring):
        new[one] = place
    kind = pa.uint8() if len(occurring) <= MOST_IN_A_BYTE else pa.int64()
    return chosen(pa.array(new, kind), numbers), [found[one] for one in occurring]


def gone(columns: Mapping[HeldUse, Any], applied: Iterable[HeldUse]) -> Any:  # noqa: ANN401  pyarrow's
    """Return for each row whether it goes, by some of the uses."""
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    found = None
    for use in applied:
        if use in columns:
            one = does_not_stay(columns[use].column("do"))
            found = one if found is None else pc.or_(found, one)
    return found
