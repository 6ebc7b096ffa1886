"""Policies that follow from one answer each, decided once for all answers of a kind.

Scope: which origins are plain, of which kind each of their answers is, and the rows that follow.
What follows from an answer of a kind, the policy layer decides (`Reckoner.lasting`).

An answer is plain if neither the answers before it nor a redirect has a part in its policy. The
rest of a decision depends on its status, on traits of its content, on some header fields, and on
how long before the answer the request was sent. Answers that agree in all of these are of a kind.

Source: RFC 9309 sections 2.3.1 and 2.4, or the documents of the dialect.
"""

import hashlib
from datetime import timedelta
from typing import Any

from goodbot._core import field_lists, robots_txt_urls
from goodbot.http.instants import MICROSECOND, instant
from goodbot.http.status import NOT_MODIFIED
from goodbot.tables.building.answer_kinds import compute, is_success, join_chunks, number_kinds
from goodbot.tables.building.packed_answer import unpack_answer, unpack_table
from goodbot.tables.columns.fact_rows import plain_schema
from goodbot.tables.columns.reckoning import LATEST, REDIRECTS, Lasting, Reckoner
from goodbot.tables.columns.schema import arrow_schema, pyarrow

PLACE = "place"
"""The column with the place of a row among all of its range."""

NOT_AN_ORIGIN = "(?s)://.*/"
"""What the key of a URL other than a robots.txt has; see `is_origin`."""

MOST_REMEMBERED = 100_000
"""How many decisions are remembered; each takes some 500 bytes."""

UNDECIDED = Lasting(timedelta(), "", "", has_rules=False)
"""In a list of decisions, the place of one that is not made here."""

WIDE = ["headers", "body"]
"""The columns that take the most room."""

BEFORE = ("failure", "hops", "confirmed", "kept", "failing_since")
"""What only answers have that depend on others."""


def add_places(answers: Any) -> Any:  # noqa: ANN401  pyarrow.Table
    """Return answers in one chunk, with the place of each as a column."""
    pa = pyarrow()
    places = pa.array(range(answers.num_rows), pa.int64())
    return answers.append_column(PLACE, places).combine_chunks()


class PlainDecider:
    """Decides the answers of plain origins, and remembers its decisions.

    Args:
        reckoner: Decides what follows from an answer of a kind.

    """

    def __init__(self, reckoner: Reckoner) -> None:
        self._reckoner = reckoner
        self._schema = plain_schema(arrow_schema(reckoner.dialect))
        self._known: dict[Any, Lasting | None] = {}

    def decide(self, answers: Any) -> tuple[Any, int, Any]:  # noqa: ANN401  pyarrow.Table
        """Return the rows of plain origins with their places, the number of those, and the rest.

        Args:
            answers: All answers of some keys, sorted by key and time, as `add_places` returns them.

        """
        pa, pc = pyarrow(), compute()
        is_other = pc.match_substring_regex(answers["key"], NOT_AN_ORIGIN)
        # Each filter copies what it keeps, so the wide columns are added after the last one.
        narrow = answers.drop_columns(WIDE).filter(pc.invert(pc.or_(is_other, answers["leads"])))
        narrow = narrow.append_column("origin", origin_numbers(narrow))
        plain, others = (
            add_wide_columns(part, answers) for part in split_odd(narrow, depends_on_others(narrow))
        )
        bodies = pc.if_else(is_success(plain), plain["body"], None)
        contents = join_chunks(bodies).dictionary_encode()
        plain = plain.append_column("content", contents.indices)
        kinds, decisions = self._decisions(plain, contents.dictionary)
        plain = plain.append_column("kind", kinds)
        undecided = pa.array([decision is None for decision in decisions], pa.bool_()).take(kinds)
        if pc.any(undecided).as_py():
            plain, more = split_odd(plain, undecided)
            more = more.drop_columns(["content", "kind"])
            others = pa.concat_tables([others, more]).sort_by(PLACE)
        origins = pc.count_distinct(plain["origin"]).as_py()
        rows = self._rows(plain, decisions, contents.dictionary)
        return rows, origins, others.drop_columns(["origin"])

    def _decisions(self, answers: Any, contents: Any) -> tuple[Any, list[Lasting | None]]:  # noqa: ANN401  pyarrow's
        """Return the kind of each answer, and what follows from an answer of each kind.

        `None` means that it depends on more than the answer.
        """
        kinds = number_kinds(answers, contents, self._reckoner.dialect, self._reckoner.traits)
        found = []
        for place, key in zip(kinds.firsts, kinds.keys, strict=True):
            if key not in self._known:
                if len(self._known) >= MOST_REMEMBERED:
                    self._known.clear()
                answer = next(unpack_table(answers.slice(place, 1)))
                self._known[key] = self._reckoner.lasting(unpack_answer(answer))
            found.append(self._known[key])
        return kinds.numbers, found

    def _rows(self, answers: Any, decisions: list[Lasting | None], contents: Any) -> Any:  # noqa: ANN401  pyarrow's
        """Return the rows of some answers, with their places."""
        pa, pc = pyarrow(), compute()
        kinds = join_chunks(answers["kind"])
        each = [decision or UNDECIDED for decision in decisions]
        has_rules = pa.array([decision.has_rules for decision in each], pa.bool_()).take(kinds)
        body = pc.if_else(has_rules, answers["body"], None)
        has_content = pc.greater(pc.binary_length(answers["body"]), 0)
        is_other = pc.and_(pc.invert(has_rules), pc.and_(is_success(answers), has_content))
        lives = pa.array([decision.life // MICROSECOND for decision in each], pa.int64()).take(
            kinds
        )
        known = {
            "origin": answers["key"],
            "asked": answers["asked"],
            "answered": answers["answered"],
            "status": answers["status"],
            "final_url": pa.array(robots_txt_urls(answers["key"])),
            "headers": pa.array(field_lists(answers["headers"])),
            "truncated": answers["truncated"],
            "received": pc.if_else(is_other, answers["body"], None),
            "valid_from": answers["at"],
            "valid_until": pc.add(answers["answered"], lives),
            "access": pa.array([decision.access for decision in each], pa.string()).take(kinds),
            "reason": pa.array([decision.reason for decision in each], pa.string()).take(kinds),
            "stale": pa.repeat(pa.scalar(value=False), len(kinds)),
            "digest": digests(pc.if_else(has_rules, answers["content"], None), contents),
            "body": body,
            "source": answers["source"],
            "dialect": pa.repeat(self._reckoner.dialect, answers.num_rows),
        }
        columns = [
            known[field.name].cast(field.type)
            if field.name in known
            else pa.nulls(len(kinds), field.type)
            for field in self._schema
        ]
        return pa.table(columns, schema=self._schema).append_column(PLACE, answers[PLACE])


def add_wide_columns(narrow: Any, answers: Any) -> Any:  # noqa: ANN401  pyarrow.Table
    """Return some answers with the wide columns, which are taken from all answers."""
    for name in WIDE:
        column = answers[name]
        if narrow.num_rows < answers.num_rows:
            column = column.take(narrow[PLACE])
        narrow = narrow.append_column(name, column)
    return narrow


def origin_numbers(answers: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return the number of the origin of each answer; they are sorted by origin."""
    pa, pc = pyarrow(), compute()
    if not answers.num_rows:
        return pa.array([], pa.int64())
    keys = answers["key"].combine_chunks()
    is_next = pc.not_equal(keys[1:], keys[:-1]).cast(pa.int64())
    return pc.cumulative_sum(pa.concat_arrays([pa.array([0], pa.int64()), is_next]))


def depends_on_others(answers: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return for each answer whether its policy depends on others, or may be decided one by one."""
    pa, pc = pyarrow(), compute()
    status, answered = answers["status"], answers["answered"]
    is_redirect = pc.and_(
        pc.greater_equal(status, REDIRECTS.start), pc.less(status, REDIRECTS.stop)
    )
    found = pc.fill_null(pc.or_(is_redirect, pc.equal(status, NOT_MODIFIED)), True)  # noqa: FBT003
    is_late = pc.greater(answered, instant(LATEST, "LATEST"))
    for is_odd in (is_late, *(pc.is_valid(answers[name]) for name in BEFORE)):
        found = pc.or_(found, is_odd)
    if answers.num_rows > 1:
        origin, at = (answers[name].combine_chunks() for name in ("origin", "at"))
        is_tied = pc.and_(pc.equal(origin[1:], origin[:-1]), pc.equal(at[1:], at[:-1]))
        found = pc.or_(found, pa.concat_arrays([is_tied, pa.array([False])]))
    return found


def split_odd(answers: Any, is_odd: Any) -> tuple[Any, Any]:  # noqa: ANN401  pyarrow's
    """Return the answers of the origins that have no odd one, and those of the others."""
    pc = compute()
    odd = pc.unique(answers["origin"].filter(is_odd))
    is_among = pc.is_in(answers["origin"], value_set=odd)
    return answers.filter(pc.invert(is_among)), answers.filter(is_among)


def digests(places: Any, contents: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return the SHA-256 of the contents at some places; null of none."""
    pa = pyarrow()
    used = join_chunks(places).dictionary_encode()
    each = contents.take(used.dictionary).to_pylist()
    found = pa.array([hashlib.sha256(content).digest() for content in each], pa.binary())
    return found.take(used.indices)
