"""Malformed Arrow arrays raise, and nothing is read outside their buffers."""

import ctypes
import struct
from collections.abc import Callable
from functools import partial
from typing import Any

import pyarrow as pa
import pytest

import goodbot

RULES = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /a\n").rules_for("ExampleBot")
TEXTS = b"/a/b/cd"


def offsets(kind: str, *places: int) -> pa.Buffer:
    """Pack offsets as 32 or 64 bits."""
    return pa.py_buffer(struct.pack(f"={len(places)}{kind}", *places))


def view(length: int, buffer: int, start: int) -> bytes:
    """Pack a view of a text in a buffer."""
    return struct.pack("=i4sii", length, b"/aaa", buffer, start)


def views(*rows: bytes) -> list[pa.Buffer | None]:
    """Return views of a text of 20 bytes."""
    return [None, pa.py_buffer(b"".join(rows)), pa.py_buffer(b"/aaa" * 5)]


def spoilt(kind: pa.DataType, size: str, *places: int) -> pa.Array:
    """Return an array whose offsets change after pyarrow has checked them."""
    memory = bytearray(struct.pack(f"={len(places)}{size}", *[0] * len(places)))
    array = of(kind, len(places) - 1, None, pa.py_buffer(memory), pa.py_buffer(TEXTS))
    struct.pack_into(f"={len(places)}{size}", memory, 0, *places)
    return array


def of(kind: pa.DataType, length: int, *buffers: pa.Buffer | None, **more: Any) -> pa.Array:  # noqa: ANN401
    """Return an array that pyarrow does not check."""
    return pa.Array.from_buffers(kind, length, list(buffers), **more)


def dictionary(*keys: int) -> pa.Array:
    """Return a dictionary of two texts with any keys."""
    keyed = of(pa.int8(), len(keys), None, pa.py_buffer(struct.pack(f"={len(keys)}b", *keys)))
    return pa.DictionaryArray.from_arrays(keyed, pa.array(["/a", "/b"]), safe=False)


SMALL = [(pa.string(), "i"), (pa.binary(), "i"), (pa.large_string(), "q"), (pa.large_binary(), "q")]
MALFORMED: dict[str, Callable[[], Any]] = {
    **{
        f"{name} of {kind}": partial(spoilt, kind, size, *places)
        for kind, size in SMALL
        for name, places in {
            "offsets out of order": (0, 4, 2),
            "a first offset out of order": (5, 2, 7),
            "a negative offset": (-4, 2, 4),
            "a negative last offset": (0, 2, -1),
            "an offset beyond the texts": (0, 2, 8),
            "an offset far beyond the texts": (0, 2, 2**30),
        }.items()
    },
    "a wrong number of nulls": lambda: of(
        pa.string(),
        2,
        pa.py_buffer(b"\x03"),
        offsets("i", 0, 2, 4),
        pa.py_buffer(TEXTS),
        null_count=2,
    ),
    "a view beyond its buffer": lambda: of(pa.string_view(), 1, *views(view(21, 0, 0))),
    "a view that begins beyond its buffer": lambda: of(
        pa.binary_view(), 1, *views(view(13, 0, 2**30))
    ),
    "a view of a buffer that is not there": lambda: of(pa.string_view(), 1, *views(view(13, 7, 0))),
    "a view of negative length": lambda: of(pa.binary_view(), 1, *views(view(-1, 0, 0))),
    "a key beyond the dictionary": lambda: dictionary(0, 2),
    "a negative key": lambda: dictionary(0, -1),
    "a malformed chunk": lambda: pa.chunked_array(
        [
            pa.array(["/a"]),
            of(pa.string(), 2, None, offsets("i", 0, 4, 2), pa.py_buffer(TEXTS)),
        ]
    ),
    "a malformed dictionary": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, 1], pa.int8()),
        of(pa.string(), 2, None, offsets("i", 0, 4, 2), pa.py_buffer(TEXTS)),
        safe=False,
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_arrays_raise(name: str) -> None:
    """Each fault raises an error of goodbot's from both methods."""
    array = MALFORMED[name]()
    for ask in (RULES.allows_many, RULES.verdicts_many):
        with pytest.raises(goodbot.WrongValueError, match="malformed Arrow array"):
            ask(array)


@pytest.mark.parametrize("kind", [pa.string(), pa.binary(), pa.large_string()])
def test_slices_and_octets_are_no_fault(kind: pa.DataType) -> None:
    """A slice need not begin at offset 0, and a URL need not be UTF-8."""
    size = "q" if kind == pa.large_string() else "i"
    array = of(kind, 3, None, offsets(size, 1, 3, 5, 8), pa.py_buffer(b"x/a/b/a\xff"))
    assert RULES.allows_many(array).to_pylist() == [False, True, False]
    assert RULES.allows_many(array[1:]).to_pylist() == [True, False]


class CArray(ctypes.Structure):
    """`struct ArrowArray` of the C data interface."""

    _fields_ = (
        ("length", ctypes.c_int64),
        ("null_count", ctypes.c_int64),
        ("offset", ctypes.c_int64),
        ("n_buffers", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("buffers", ctypes.POINTER(ctypes.c_void_p)),
        ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    )


GET_POINTER = ctypes.pythonapi.PyCapsule_GetPointer
GET_POINTER.restype = ctypes.c_void_p
GET_POINTER.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Foreign:
    """A producer whose C structure is changed before it is handed over."""

    def __init__(self, array: pa.Array, change: Callable[[CArray], None]) -> None:
        """Store the array, and the change to its structure."""
        self.array = array
        self.change = change

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        """Export the array, and change what was exported."""
        schema, array = self.array.__arrow_c_array__(requested_schema)
        self.change(CArray.from_address(GET_POINTER(array, b"arrow_array")))
        return schema, array


def setting(name: str, value: object) -> Callable[[CArray], None]:
    """Return a change that sets a field of the structure."""
    return lambda array: setattr(array, name, value)


def without_buffer(place: int) -> Callable[[CArray], None]:
    """Return a change that removes a buffer and leaves its place empty."""
    return lambda array: array.buffers.__setitem__(place, None)


NO_BUFFERS = ctypes.POINTER(ctypes.c_void_p)()
CHANGES: dict[str, Callable[[CArray], None]] = {
    "a negative length": setting("length", -1),
    "a huge length": setting("length", 2**62),
    "a negative offset": setting("offset", -1),
    "a huge offset": setting("offset", 2**63 - 1),
    "more nulls than rows": setting("null_count", 9),
    "a null count below -1": setting("null_count", -2),
    "no buffers": setting("n_buffers", 0),
    "too few buffers": setting("n_buffers", 1),
    "a negative number of buffers": setting("n_buffers", -3),
    "too many buffers": setting("n_buffers", 2**40),
    "buffers that are a null pointer": setting("buffers", NO_BUFFERS),
    "a missing buffer": without_buffer(1),
    "a negative number of children": setting("n_children", -1),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_binary(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())],
)
def test_malformed_structures_raise(name: str, kind: pa.DataType) -> None:
    """The fields of the C structure are checked before a buffer is read."""
    foreign = Foreign(
        pa.array(["/a", "/b/a/longer/text/than/a/view/holds", None]).cast(kind), CHANGES[name]
    )
    with pytest.raises(goodbot.WrongValueError, match="malformed Arrow array"):
        RULES.allows_many(foreign)


def test_more_nulls_than_memory_holds_raise() -> None:
    """A column of nulls has no buffers, only a length."""
    with pytest.raises(goodbot.WrongValueError, match="memory"):
        RULES.allows_many(Foreign(pa.nulls(1), setting("length", 2**39)))


def test_texts_that_are_missing_raise() -> None:
    """A null pointer in place of the texts is refused if there are texts."""
    with pytest.raises(goodbot.WrongValueError, match="malformed Arrow array"):
        RULES.allows_many(Foreign(pa.array(["/a"]), without_buffer(2)))


def test_released_array_raises() -> None:
    """An array that another consumer has taken is not read."""
    array = pa.array(["/a"])
    capsules = array.__arrow_c_array__()

    class Twice:
        def __arrow_c_array__(self, requested_schema: object = None) -> object:
            del requested_schema
            return capsules

    assert RULES.allows_many(Twice())
    with pytest.raises(goodbot.WrongValueError, match="malformed Arrow array"):
        RULES.allows_many(Twice())


def of_the_column(name: str, value: object) -> Callable[[CArray], None]:
    """Return a change that sets a field of the only column of a table."""

    def change(table: CArray) -> None:
        column = ctypes.cast(table.children, ctypes.POINTER(ctypes.POINTER(CArray)))[0]
        setattr(column.contents, name, value)

    return change


# What releases the structure reads as many children as it names, so there are never too many.
TABLE_CHANGES = {
    "too few children": setting("n_children", 0),
    "too many buffers": setting("n_buffers", 3),
    "more rows than its column": setting("length", 4),
    "rows behind those of its column": setting("offset", 2),
    "a column of negative length": of_the_column("length", -1),
    "a column without buffers": of_the_column("buffers", NO_BUFFERS),
    "a column that was released": of_the_column("release", None),
}


@pytest.mark.parametrize("name", TABLE_CHANGES)
def test_malformed_tables_raise(name: str) -> None:
    """The fields of a table of one column are checked, and those of the column."""
    rows = pa.record_batch({"url": ["/a", "/b", None]}).to_struct_array()
    assert RULES.allows_many(rows).to_pylist() == [False, True, None]
    with pytest.raises(goodbot.WrongValueError, match="malformed Arrow array"):
        RULES.allows_many(Foreign(rows, TABLE_CHANGES[name]))


def test_tables_with_rows_that_are_null_raise() -> None:
    """A table has no nulls, only its columns have."""
    rows = pa.StructArray.from_arrays([pa.array(["/a"])], ["url"], mask=pa.array([True]))
    with pytest.raises(goodbot.WrongValueError, match="rows of the table are null"):
        RULES.allows_many(rows)
