"""Policies that follow from one answer each, decided once for all answers of a kind.

Scope: which origins are plain, of which kind each of their answers is, and the rows that follow.
What follows from an answer of a kind, the policy layer decides (`Reckoner.lasting`).

An answer is plain if neither the answers before it nor a redirect has a part in its policy. The
rest of a decision depends on its status, on traits of its content, on some header fields, and on
how long before the answer the request was sent. Answers that agree in all of these are of a kind.

Source: RFC 9309 sections 2.3.1 and 2.4, or the documents of the dialect.
"""

import hashlib
from collections.abc import Iterator
from typing import Any

from goodbot._core import robots_txt_url
from goodbot.columns.fact_rows import plain_schema
from goodbot.columns.reckoning import (
    LATEST,
    LIFETIMES,
    REDIRECTS,
    SUCCESSES,
    WITHOUT_LIFETIME,
    Lasting,
    Reckoner,
    deciding_fields,
)
from goodbot.columns.schema import arrow_schema, pyarrow
from goodbot.http.instants import EPOCH, MICROSECOND, instant
from goodbot.http.status import NOT_MODIFIED
from goodbot.policy.classify import PARTIAL_CONTENT
from goodbot.policy_tables.captured_answer import answers_of, facts_from, unpacked_headers

__all__ = ["PLACE", "PlainDecider", "placed"]

PLACE = "place"
"""The column with the place of a row among all of its range."""

NOT_AN_ORIGIN = "(?s)://.*/"
"""What the key of a URL other than a robots.txt has; see `is_origin`."""
STATES_LIFE = f"(?m)^(?:{'|'.join(sorted(LIFETIMES))}):"
IGNORED_FIELD = f"(?m)^(?:{'|'.join(sorted(WITHOUT_LIFETIME | {'etag', 'last-modified'}))}):.*\n?"
FIELD = "(?s)^(?P<name>[^:]*):?(?P<value>.*)$"

MOST_REMEMBERED = 100_000
"""How many decisions are remembered; each takes some 500 bytes."""

BEFORE = ("failure", "hops", "confirmed", "kept", "failing_since")
"""What only answers have that depend on others."""


def compute() -> Any:  # noqa: ANN401  it has no types
    """Return the module `pyarrow.compute`."""
    import pyarrow.compute as module  # noqa: PLC0415  an extra

    return module


def placed(answers: Any) -> Any:  # noqa: ANN401  pyarrow.Table
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
        """Start with nothing remembered."""
        self._reckoner = reckoner
        self._schema = plain_schema(arrow_schema(reckoner.dialect))
        self._known: dict[Any, Lasting | None] = {}

    def decide(self, answers: Any) -> tuple[Any, int, Any]:  # noqa: ANN401  pyarrow.Table
        """Return the rows of plain origins with their places, the number of those, and the rest.

        Args:
            answers: All answers of some keys, sorted by key and time, as `placed` returns them.

        """
        pc = compute()
        answers = answers.filter(pc.invert(pc.match_substring_regex(answers["key"], NOT_AN_ORIGIN)))
        answers = answers.append_column("origin", origin_numbers(answers))
        plain, others = apart(answers, depends_on_others(answers))
        contents = plain["body"].combine_chunks().dictionary_encode()
        plain = plain.append_column("content", contents.indices)
        decisions = list(self._decisions(plain, contents.dictionary))
        pa = pyarrow()
        undecided = pa.array([one is None for one in decisions], pa.bool_())
        decided, more = apart(plain, undecided)
        if more.num_rows:
            kept = set(decided["place"].to_pylist())
            places = plain["place"].to_pylist()
            decisions = [one for place, one in zip(places, decisions, strict=True) if place in kept]
            more = more.drop_columns(["content"])
            others = pa.concat_tables([others, more]).sort_by(PLACE)
        found = [one for one in decisions if one is not None]
        origins = pc.count_distinct(decided["origin"]).as_py()
        rows = self._rows(decided, found, contents.dictionary)
        return rows, origins, others.drop_columns(["origin"])

    def _decisions(self, answers: Any, contents: Any) -> Iterator[Lasting | None]:  # noqa: ANN401  pyarrow's
        """Yield what follows from each answer alone; `None` where more has a part in it."""
        columns = [
            answers["status"].to_pylist(),
            self._traits(answers, contents),
            deciding_texts(answers),
            compute().subtract(answers["answered"], answers["asked"]).to_pylist(),
        ]
        for place, key in enumerate(zip(*columns, strict=True)):
            if key not in self._known:
                if len(self._known) >= MOST_REMEMBERED:
                    self._known.clear()
                row = answers.slice(place, 1).drop_columns([PLACE, "origin", "content"])
                self._known[key] = self._reckoner.lasting(facts_from(next(answers_of(row))))
            yield self._known[key]

    def _traits(self, answers: Any, contents: Any) -> Iterator[Any]:  # noqa: ANN401  pyarrow's
        """Yield what matters in the content of each answer; each content is parsed once."""
        known: dict[tuple[int, bool, bool], Any] = {}
        places, cuts = answers["content"].to_pylist(), answers["truncated"].to_pylist()
        for status, place, is_cut in zip(answers["status"].to_pylist(), places, cuts, strict=True):
            if status not in SUCCESSES:
                yield None
                continue
            key = place, is_cut, status == PARTIAL_CONTENT
            if key not in known:
                content = contents[place].as_py()
                known[key] = self._reckoner.traits(status, content, truncated=is_cut)
            yield known[key]

    def _rows(self, answers: Any, found: list[Lasting], contents: Any) -> Any:  # noqa: ANN401  pyarrow's
        """Return the rows of some answers, with their places."""
        pa, pc = pyarrow(), compute()
        has_rules = pa.array([one.has_rules for one in found], pa.bool_())
        body = pc.if_else(has_rules, answers["body"], None)
        is_success = pc.and_(
            pc.greater_equal(answers["status"], SUCCESSES.start),
            pc.less(answers["status"], SUCCESSES.stop),
        )
        has_content = pc.greater(pc.binary_length(answers["body"]), 0)
        is_other = pc.and_(pc.invert(has_rules), pc.and_(is_success, has_content))
        lives = pa.array([one.life // MICROSECOND for one in found], pa.int64())
        known = {
            "origin": answers["key"],
            "asked": answers["asked"],
            "answered": answers["answered"],
            "status": answers["status"],
            "final_url": final_urls(answers),
            "headers": field_lists(answers["headers"], self._schema.field("headers").type),
            "truncated": answers["truncated"],
            "received": pc.if_else(is_other, answers["body"], None),
            "valid_from": answers["at"],
            "valid_until": pc.add(answers["answered"], lives),
            "access": pa.array([one.access for one in found], pa.string()),
            "reason": pa.array([one.reason for one in found], pa.string()),
            "stale": pa.repeat(pa.scalar(value=False), len(found)),
            "digest": digests(pc.if_else(has_rules, answers["content"], None), contents),
            "body": body,
            "source": answers["source"],
        }
        columns = [
            known[one.name].cast(one.type) if one.name in known else pa.nulls(len(found), one.type)
            for one in self._schema
        ]
        return pa.table(columns, schema=self._schema).append_column(PLACE, answers[PLACE])


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
    for one in (is_late, *(pc.is_valid(answers[name]) for name in BEFORE)):
        found = pc.or_(found, one)
    if answers.num_rows > 1:
        origin, at = (answers[name].combine_chunks() for name in ("origin", "at"))
        is_tied = pc.and_(pc.equal(origin[1:], origin[:-1]), pc.equal(at[1:], at[:-1]))
        found = pc.or_(found, pa.concat_arrays([is_tied, pa.array([False])]))
    return found


def apart(answers: Any, is_odd: Any) -> tuple[Any, Any]:  # noqa: ANN401  pyarrow's
    """Return the answers of the origins that have no odd one, and those of the others."""
    pc = compute()
    odd = pc.unique(answers["origin"].filter(is_odd))
    is_among = pc.is_in(answers["origin"], value_set=odd)
    return answers.filter(pc.invert(is_among)), answers.filter(is_among)


def deciding_texts(answers: Any) -> Iterator[Any]:  # noqa: ANN401  pyarrow.Table
    """Yield the header fields of each answer that its policy depends on.

    Without a stated lifetime they are text, in which no date is left.
    """
    pc = compute()
    texts = answers["headers"]
    lives = pc.match_substring_regex(texts, STATES_LIFE).to_pylist()
    short = pc.replace_substring_regex(texts, IGNORED_FIELD, "").to_pylist()
    times = answers["answered"].to_pylist()
    for place, (text, states_life) in enumerate(zip(short, lives, strict=True)):
        if states_life:
            whole = unpacked_headers(texts[place].as_py())
            yield deciding_fields(whole, EPOCH + times[place] * MICROSECOND)
        else:
            yield text


def final_urls(answers: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return the URLs of the robots.txt of each answer."""
    pa = pyarrow()
    keys = answers["key"].combine_chunks().dictionary_encode()
    urls = pa.array([robots_txt_url(one) for one in keys.dictionary.to_pylist()], pa.string())
    return urls.take(keys.indices)


def field_lists(texts: Any, kind: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return packed header fields as lists of names and values."""
    pa, pc = pyarrow(), compute()
    some = pc.if_else(pc.equal(texts, ""), None, texts).combine_chunks()
    lines = pc.split_pattern(some, "\n")
    lengths = pc.fill_null(pc.list_value_length(lines), 0)
    ends = pc.cumulative_sum(lengths.cast(pa.int32()))
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends])
    fields = pc.extract_regex(pc.list_flatten(lines), FIELD)
    return pa.ListArray.from_arrays(offsets, fields.cast(kind.value_type)).cast(kind)


def digests(places: Any, contents: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return the SHA-256 of the contents at some places; null of none."""
    pa = pyarrow()
    used = places.combine_chunks().dictionary_encode()
    each = contents.take(used.dictionary).to_pylist()
    found = pa.array([hashlib.sha256(one).digest() for one in each], pa.binary())
    return found.take(used.indices)
