"""A class by `goodbot.lazy_dataclass` is as one by the standard library, which is its twin here."""

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from typing import Any, ClassVar, Generic, TypeVar

import pytest

from goodbot import lazy_dataclass

T = TypeVar("T")
Make = Callable[..., Any]


def lamp(make: Make) -> Any:  # noqa: ANN401  a class
    """Make a class with all kinds of fields, by one of the decorators."""

    @make(frozen=True, slots=True)
    class Lamp:
        """A lamp."""

        kinds: ClassVar[int] = 2
        name: str
        watts: int = 40
        tags: list[str] = field(default_factory=list, hash=False)
        place: str = field(default="desk", kw_only=True)
        secret: str = field(default="s", repr=False, compare=False)
        warm: bool = field(init=False, default=True)
        whole: str = field(init=False, repr=False, compare=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "whole", f"{self.name}, {self.watts} W")

        @property
        def is_bright(self) -> bool:
            return self.watts > 60

    return Lamp


def table(make: Make) -> Any:  # noqa: ANN401  a class
    """Make a generic class without slots, with methods of its own."""

    @make(frozen=True, repr=False, kw_only=True)
    class Table(Generic[T]):  # noqa: PLW1641  the decorators make its hash
        """A table."""

        legs: int
        top: T | None = None

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Table) and self.legs == other.legs

        def __repr__(self) -> str:
            return "a table"

    return Table


def chair(make: Make) -> Any:  # noqa: ANN401  a class
    """Make a class with one field."""

    @make(frozen=True, slots=True)
    class Chair:
        """A chair."""

        name: tuple[str, ...]

    return Chair


def nothing(make: Make) -> Any:  # noqa: ANN401  a class
    """Make a class without fields."""

    @make(frozen=True, slots=True)
    class Nothing:
        """Nothing."""

    return Nothing


def identity(make: Make) -> Any:  # noqa: ANN401  a class
    """Make a class whose instances are only equal to themselves."""

    @make(frozen=True, slots=True, eq=False)
    class Identity:
        """An identity."""

        name: str = "a"

    return Identity


CALLS: list[tuple[Callable[[Make], Any], list[tuple[tuple[Any, ...], dict[str, Any]]]]] = [
    (
        lamp,
        [
            (("a",), {}),
            (("a", 60), {"place": "wall"}),
            (("b", 60, ["x"]), {"secret": "t"}),
            ((), {"name": "a", "secret": "other"}),
        ],
    ),
    (table, [((), {"legs": 4}), ((), {"legs": 4, "top": "oak"}), ((), {"legs": 3})]),
    (chair, [((("a",),), {}), ((("a", "b"),), {}), ((), {"name": ()})]),
    (nothing, [((), {})]),
    (identity, [((), {}), (("b",), {})]),
]
MADE = [pytest.param(kind, calls, id=kind.__name__) for kind, calls in CALLS]


def both(kind: Callable[[Make], Any]) -> tuple[Any, Any]:
    """Return the class by either decorator."""
    return kind(lazy_dataclass.dataclass), kind(dataclasses.dataclass)


@pytest.mark.parametrize(("kind", "calls"), MADE)
def test_instances_are_as_those_of_the_twin(kind: Any, calls: Any) -> None:  # noqa: ANN401
    """Fields, `repr`, what is equal, hashes, and what `dataclasses` does with them."""
    ours, twin = both(kind)
    mine = [ours(*given, **named) for given, named in calls]
    theirs = [twin(*given, **named) for given, named in calls]
    for one, other in zip(mine, theirs, strict=True):
        assert repr(one) == repr(other)
        assert dataclasses.asdict(one) == dataclasses.asdict(other)
        assert hashable(one) == hashable(other)
        assert copy.copy(one) is not one
        assert dataclasses.asdict(copy.copy(one)) == dataclasses.asdict(one)
        assert type(one).__match_args__ == type(other).__match_args__
    assert equal_pairs(mine) == equal_pairs(theirs)
    assert mine[0] != theirs[0]


def hashable(one: object) -> bool:
    """Whether an object has a hash, and always the same."""
    try:
        return hash(one) == hash(copy.copy(one)) or type(one).__eq__ is object.__eq__
    except TypeError:
        return False


def equal_pairs(some: list[Any]) -> list[bool]:
    """Return which of some objects equal which, and copies of themselves."""
    return [one == other for one in some for other in [*some, copy.copy(one), None]]


@pytest.mark.parametrize(("kind", "calls"), MADE)
def test_the_class_is_as_the_twin(kind: Any, calls: Any) -> None:  # noqa: ANN401
    """Its signature, its fields, its slots and its text, before there is an instance."""
    ours, twin = both(kind)
    assert str(inspect.signature(ours)) == str(inspect.signature(twin))
    assert ours.__init__.__qualname__ == twin.__init__.__qualname__
    assert ours.__init__.__annotations__ == twin.__init__.__annotations__
    described = [
        [(one.name, one.type, one.init, one.repr, one.compare, one.kw_only) for one in fields]
        for fields in map(dataclasses.fields, (ours, twin))
    ]
    assert described[0] == described[1]
    assert repr(ours.__dataclass_params__) == repr(twin.__dataclass_params__)
    assert getattr(ours, "__slots__", None) == getattr(twin, "__slots__", None)
    assert ours.__doc__ == twin.__doc__
    assert ours.__qualname__ == twin.__qualname__
    assert calls


WRONG: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (lamp, (), {}),
    (lamp, ("a", 1, [], "s", "wall"), {}),
    (lamp, ("a",), {"warm": False}),
    (lamp, ("a",), {"name": "b"}),
    (table, (4,), {}),
    (nothing, (1,), {}),
]


@pytest.mark.parametrize(("kind", "given", "named"), WRONG)
def test_wrong_arguments_are_refused_alike(kind: Any, given: Any, named: Any) -> None:  # noqa: ANN401
    """With the same message."""
    said = []
    for one in both(kind):
        with pytest.raises(TypeError) as raised:
            one(*given, **named)
        said.append(str(raised.value))
    assert said[0] == said[1]


def test_nothing_can_be_changed() -> None:
    """With the same messages."""
    attempts: list[Callable[[Any], object]] = [
        lambda one: setattr(one, "name", "b"),
        lambda one: delattr(one, "name"),
    ]
    for attempt in attempts:
        said = []
        for kind in both(lamp):
            with pytest.raises(FrozenInstanceError) as raised:
                attempt(kind("a"))
            said.append(str(raised.value))
        assert said[0] == said[1]


def test_a_subclass_may_have_attributes_besides() -> None:
    """In CPython 3.11, the twin with slots stumbles over its own `super` there."""
    ours, _ = both(lamp)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'other'"):
        ours("a").other = 1
    more_of: Any = type("More", (ours,), {})
    more = more_of("a")
    more.other = 1
    assert more.other == 1
    del more.other
    with pytest.raises(FrozenInstanceError):
        more.watts = 1
    assert more.whole == "a, 40 W"
    assert more != ours("a")


def test_a_subclass_by_the_standard_library_is_frozen_too() -> None:
    """Users may add fields to a public value."""
    for kind in both(lamp):
        base: Any = kind

        @dataclasses.dataclass(frozen=True)
        class Coloured(base):  # type: ignore[misc]
            colour: str = "red"

        assert dataclasses.replace(Coloured("a"), colour="blue").colour == "blue"
        assert Coloured("a").whole == "a, 40 W"


@lazy_dataclass.dataclass(frozen=True, slots=True)
class Kept:
    """A value that pickle finds by its name."""

    name: str
    tags: tuple[str, ...] = ()


def test_pickle_keeps_the_fields() -> None:
    """Also in a process that has made no instance yet: the fields are set, not given."""
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        one = Kept("a", ("b",))
        assert pickle.loads(pickle.dumps(one, protocol)) == one  # noqa: S301  ours
    assert Kept("a").__getstate__() == ["a", ()]


def test_each_instance_has_a_default_of_its_own() -> None:
    """As a factory is for."""
    ours, _ = both(lamp)
    assert ours("a").tags is not ours("a").tags


def test_init_is_compiled_once() -> None:
    """It is a function after the first instance, and stays it."""
    ours, _ = both(chair)
    assert not inspect.isfunction(vars(ours)["__init__"])
    ours(("a",))
    made = vars(ours)["__init__"]
    assert inspect.isfunction(made)
    ours(("b",))
    assert vars(ours)["__init__"] is made


def test_a_class_that_is_not_frozen_is_that_of_the_standard_library() -> None:
    """It can be changed."""

    @lazy_dataclass.dataclass(slots=True)
    class Note:
        text: str = ""

    note = Note()
    note.text = "a"
    assert note == Note("a")
    assert inspect.isfunction(vars(Note)["__init__"])
