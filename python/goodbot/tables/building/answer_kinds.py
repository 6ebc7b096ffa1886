"""Answers of a kind: they agree in all that the policy of a plain answer depends on.

Scope: the number of each answer's kind, as a column. The core reads the frequent contents and
header fields, and Python the others: contents that are not plain, and fields with a lifetime.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from goodbot._core import deciding_texts, plain_contents
from goodbot.http.instants import EPOCH, MICROSECOND
from goodbot.policy.classify import PARTIAL_CONTENT
from goodbot.tables.columns.fact_rows import unpack_headers
from goodbot.tables.columns.reckoning import LIFETIMES, SUCCESSES, WITHOUT_LIFETIME, deciding_fields
from goodbot.tables.columns.schema import pyarrow

IGNORED = sorted(WITHOUT_LIFETIME | {"etag", "last-modified"})
"""The header fields that decide nothing if no lifetime is stated."""


class Traits(Protocol):
    """The method `Reckoner.traits`."""

    def __call__(self, status: int | None, content: bytes, *, truncated: bool) -> Any:  # noqa: ANN401  traits
        """Return what a decision depends on in a content."""
        ...


class Kinds(NamedTuple):
    """The kinds of some answers."""

    numbers: Any
    """The kind of each answer, a `pyarrow.Array`."""
    firsts: list[int]
    """The first answer of each kind."""
    keys: list[Any]
    """What the answers of each kind agree in, comparable between tables of answers."""


class Numbered(NamedTuple):
    """A column of numbers for values, and the value of each number."""

    numbers: Any
    values: list[Any]


def compute() -> Any:  # noqa: ANN401  it has no types
    """Return the module `pyarrow.compute`."""
    import pyarrow.compute as module  # noqa: PLC0415  an extra

    return module


def join_chunks(values: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return a column, perhaps in chunks, as one array."""
    return values if isinstance(values, pyarrow().Array) else values.combine_chunks()


def is_success(answers: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return for each answer whether its status is a success."""
    pc, status = compute(), answers["status"]
    return pc.and_(pc.greater_equal(status, SUCCESSES.start), pc.less(status, SUCCESSES.stop))


def number_kinds(answers: Any, contents: Any, dialect: str, traits: Traits) -> Kinds:  # noqa: ANN401  pyarrow's
    """Return the kinds of some answers.

    Args:
        answers: The answers, with the place of the content of each success as `content`.
        contents: The contents.
        dialect: The dialect in which contents are read.
        traits: Returns what matters in a content.

    """
    content = content_numbers(answers, contents, dialect, traits)
    fields = field_numbers(answers)
    delays = compute().subtract(answers["answered"], answers["asked"])
    numbers, firsts = number_rows([answers["status"], content.numbers, fields.numbers, delays])
    columns = [
        join_chunks(column).take(firsts).to_pylist()
        for column in (answers["status"], content.numbers, fields.numbers, delays)
    ]
    keys = [
        (status, content.values[first], fields.values[second], delay)
        for status, first, second, delay in zip(*columns, strict=True)
    ]
    return Kinds(numbers, firsts.to_pylist(), keys)


def number_rows(columns: Sequence[Any]) -> tuple[Any, Any]:
    """Return a number for each row, equal for equal rows, and the first row of each number."""
    pa, pc = pyarrow(), compute()
    numbers: Any = None
    for column in columns:
        found = join_chunks(column).dictionary_encode(null_encoding="encode")
        indices = found.indices.cast(pa.int64())
        if numbers is None:
            numbers = indices
            continue
        # Encoded again after each column, so that no product is too large.
        pairs = pc.add(pc.multiply(numbers, len(found.dictionary)), indices)
        numbers = pairs.dictionary_encode().indices.cast(pa.int64())
    count = (pc.max(numbers).as_py() or 0) + 1 if len(numbers) else 0
    return numbers, pc.index_in(pa.array(range(count), pa.int64()), value_set=numbers)


def content_numbers(answers: Any, contents: Any, dialect: str, traits: Traits) -> Numbered:  # noqa: ANN401  pyarrow's
    """Return numbers for what a decision depends on in the content of each answer.

    That is `None` if the status is not a success. Each content is parsed once.
    """
    pa, pc = pyarrow(), compute()
    has_disallow = pa.array(plain_contents(contents, dialect)).take(join_chunks(answers["content"]))
    is_whole = pc.and_(
        pc.invert(answers["truncated"]), pc.not_equal(answers["status"], PARTIAL_CONTENT)
    )
    plain = pc.if_else(is_whole, has_disallow, None)
    numbers = pc.if_else(is_success(answers), pc.add(plain.cast(pa.int64()), 1), 0)
    known: dict[tuple[int, bool, bool], Any] = {}

    def found(status: int, place: int, is_cut: bool) -> Any:  # noqa: ANN401, FBT001  traits
        key = place, is_cut, status == PARTIAL_CONTENT
        if key not in known:
            known[key] = traits(status, contents[place].as_py(), truncated=is_cut)
        return known[key]

    odd = answers.filter(pc.is_null(numbers))
    rows = zip(*(odd[name].to_pylist() for name in ("status", "content", "truncated")), strict=True)
    return fill_nulls(Numbered(numbers, [None, False, True]), (found(*row) for row in rows))


def field_numbers(answers: Any) -> Numbered:  # noqa: ANN401  pyarrow.Table
    """Return numbers for the header fields that the policy of each answer depends on.

    The value is a text without dates if no lifetime is stated, and else what `deciding_fields`
    returns.
    """
    pa, pc = pyarrow(), compute()
    texts = pa.array(deciding_texts(answers["headers"], sorted(LIFETIMES), IGNORED))
    texts = texts.dictionary_encode()
    odd = answers.filter(pc.is_null(texts.indices))
    rows = zip(odd["headers"].to_pylist(), odd["answered"].to_pylist(), strict=True)
    found = (
        deciding_fields(unpack_headers(text), EPOCH + time * MICROSECOND) for text, time in rows
    )
    return fill_nulls(Numbered(texts.indices.cast(pa.int64()), texts.dictionary.to_pylist()), found)


def fill_nulls(given: Numbered, more: Iterable[Any]) -> Numbered:
    """Return a column with numbers for the values of its nulls."""
    pa, pc = pyarrow(), compute()
    numbers, values = join_chunks(given.numbers), list(given.values)
    if not numbers.null_count:
        return Numbered(numbers, values)
    known: dict[Any, int] = {}
    found = []
    for value in more:
        if value not in known:
            known[value] = len(values)
            values.append(value)
        found.append(known[value])
    return Numbered(pc.replace_with_mask(numbers, pc.is_null(numbers), pa.array(found)), values)
