"""`dataclass`, as in the standard library, whose `__init__` is made when it is first needed.

Scope: the frozen classes of this package. For each of them, the standard library compiles five
methods as soon as the class is made, in half a millisecond. A command that loads fifty such classes
and uses twenty would spend a quarter of its time on that. Here, the methods that only go through
the fields need no compiling, and `__init__` is compiled when a class has its first instance.
"""

import dataclasses
from collections.abc import Callable, Sequence
from operator import attrgetter
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls: Any = None, /, *, frozen: bool = False, **options: bool) -> Any:  # noqa: ANN401
        """Return a class as a dataclass; a frozen one gets its `__init__` later.

        >>> from goodbot.lazy_dataclass import dataclass
        >>> @dataclass(frozen=True, slots=True)
        ... class Lamp:
        ...     name: str
        ...     watts: int = 40
        >>> Lamp("desk"), Lamp("desk") == Lamp("desk", 40), hash(Lamp("a")) == hash(Lamp("b"))
        (Lamp(name='desk', watts=40), True, False)
        """

        def make(cls: type) -> type:
            return frozen_class(cls, **options) if frozen else dataclasses.dataclass(**options)(cls)

        return make if cls is None else make(cls)


def frozen_class(
    plain: type,
    *,
    eq: bool = True,
    repr: bool = True,  # noqa: A002  as `dataclasses.dataclass` has it
    **options: bool,
) -> Any:  # noqa: ANN401  a dataclass
    """Return a class as a frozen dataclass, as far as instances are not needed."""
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, **options)(plain)
    params = made.__dataclass_params__
    params.init, params.repr, params.eq, params.frozen = True, repr, eq, True
    fields = dataclasses.fields(made)
    methods: dict[str, Any] = {"__init__": LazyInit(made)}
    methods |= refusing_methods(made, {one.name for one in fields})
    if repr:
        methods["__repr__"] = repr_of([one.name for one in fields if one.repr])
    if eq:
        compared = [one for one in fields if one.compare]
        hashed = [one for one in fields if (one.compare if one.hash is None else one.hash)]
        methods["__eq__"] = equality_of(key_of(compared))
        methods["__hash__"] = hash_of(key_of(hashed))
    if options.get("slots"):
        methods |= state_methods([one.name for one in fields])
    for name, method in methods.items():
        # A method of its own prevails. Python sets `__hash__` to `None` if there is only `__eq__`.
        if vars(plain).get(name) is None:
            setattr(made, name, method)
    return made


class LazyInit:
    """Stands for the `__init__` of a class until it is asked for."""

    def __init__(self, made: Any) -> None:  # noqa: ANN401  a dataclass
        """Store the class."""
        self._made = made

    def __get__(self, instance: object, owner: type) -> Callable[..., None]:
        """Make the method, put it in its place, and return it."""
        self._made.__init__ = init_of(self._made)
        method: Callable[..., None] = self._made.__init__.__get__(instance, owner)
        return method


class Factory:
    """Stands, in the signature of `__init__`, for a default that is made for each instance."""

    def __repr__(self) -> str:
        """Show it as the standard library does."""
        return "<factory>"


FACTORY = Factory()


def init_of(made: Any) -> Callable[..., None]:  # noqa: ANN401  a dataclass
    """Compile the `__init__` of a class: its fields are set past the method that refuses it."""
    names: dict[str, Any] = {
        "__name__": made.__module__,
        "_set": object.__setattr__,
        "_factory": FACTORY,
    }
    parameters: dict[bool, list[str]] = {False: [], True: []}
    steps = []
    for one in dataclasses.fields(made):
        name, value = one.name, one.name
        default, made_by = f"_default_{name}", f"_make_{name}"
        if one.default_factory is not dataclasses.MISSING:
            names[made_by], default = one.default_factory, "_factory"
            value = f"{made_by}()"
            value = f"{value} if {name} is {default} else {name}" if one.init else value
        elif one.default is not dataclasses.MISSING:
            names[default] = one.default
            value = value if one.init else default
        elif not one.init:  # `__post_init__` sets it
            continue
        if one.init:
            parameter = f"{name}={default}" if default in names else name
            parameters[bool(one.kw_only)].append(parameter)
        slot = vars(made).get(name)
        if isinstance(slot, MemberDescriptorType):  # setting it takes half as long as by its name
            names[f"_set_{name}"] = slot.__set__
            steps.append(f"_set_{name}(self, {value})")
        else:
            steps.append(f"_set(self, {name!r}, {value})")
    if hasattr(made, "__post_init__"):
        steps.append("self.__post_init__()")
    listed = ["self", *parameters[False], *(["*", *parameters[True]] if parameters[True] else [])]
    exec(f"def __init__({', '.join(listed)}):\n " + "\n ".join(steps or ["pass"]), names)  # noqa: S102  of names of fields
    method: Callable[..., None] = names["__init__"]
    method.__qualname__ = f"{made.__qualname__}.__init__"
    types = {one.name: one.type for one in dataclasses.fields(made) if one.init}
    method.__annotations__ = {**types, "return": None}
    return method


def refusing_methods(made: Any, names: set[str]) -> dict[str, Any]:  # noqa: ANN401  a dataclass
    """Return the methods that refuse to change a field; subclasses may have attributes besides."""

    def refuse(instance: object, name: str, action: str) -> None:
        if type(instance) is made or name in names:
            message = f"cannot {action} field {name!r}"
            raise dataclasses.FrozenInstanceError(message)

    def set_attribute(self: object, name: str, value: object) -> None:
        refuse(self, name, "assign to")
        super(made, self).__setattr__(name, value)

    def delete_attribute(self: object, name: str) -> None:
        refuse(self, name, "delete")
        super(made, self).__delattr__(name)

    return {"__setattr__": set_attribute, "__delattr__": delete_attribute}


def key_of(fields: Sequence[dataclasses.Field[Any]]) -> Callable[[object], object]:
    """Return the function that reads some fields of an instance."""
    # One name gives its value and not a tuple, and no name would be an error.
    return attrgetter(*(one.name for one in fields)) if fields else type


def equality_of(key: Callable[[object], object]) -> Callable[[object, object], object]:
    """Return the method that compares instances of one class."""

    def is_equal(self: object, other: object) -> object:
        return key(self) == key(other) if type(other) is type(self) else NotImplemented

    return is_equal


def hash_of(key: Callable[[object], object]) -> Callable[[object], int]:
    """Return the method that makes the hash of an instance."""

    def hash_value(self: object) -> int:
        return hash(key(self))

    return hash_value


def repr_of(names: list[str]) -> Callable[[object], str]:
    """Return the method that shows the fields."""

    def shown(self: object) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({fields})"

    return shown


def state_methods(names: list[str]) -> dict[str, Any]:
    """Return the methods by which `pickle` and `copy` read and set the fields of slots."""

    def state(self: object) -> list[Any]:
        return [getattr(self, name) for name in names]

    def set_state(self: object, values: list[Any]) -> None:
        for name, value in zip(names, values, strict=True):
            object.__setattr__(self, name, value)

    return {"__getstate__": state, "__setstate__": set_state}
