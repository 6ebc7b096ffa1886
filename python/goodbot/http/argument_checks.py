"""Checks of arguments that several rooms share."""

from collections.abc import Iterable

from goodbot.errors import WrongTypeError

__all__ = ["list_of_str"]


def list_of_str(name: str, values: object, *, such_as: str = "") -> tuple[str, ...]:
    """Return the strings of a list, set or other iterable.

    A single `str` is refused: its letters would be read as the items of the list.

    Args:
        name: The name of the argument, for the message.
        values: What was passed.
        such_as: An example of a correct value, for the message.

    Raises:
        WrongTypeError: `values` is not an iterable of `str`, or it is a single `str`.

    >>> list_of_str("names", ["a", "b"])
    ('a', 'b')
    >>> list_of_str("names", "a")
    Traceback (most recent call last):
    goodbot.errors.WrongTypeError: names must be a list of str, not a single str; write ['a']

    """
    if isinstance(values, (str, bytes)):
        given = type(values).__name__
        message = f"{name} must be a list of str, not a single {given}; write [{values[:200]!r}]"
        raise WrongTypeError(message)
    example = f"; write {such_as}" if such_as else ""
    if not isinstance(values, Iterable):
        message = f"{name} must be a list of str, not {type(values).__name__}{example}"
        raise WrongTypeError(message)
    found = tuple(values)
    wrong = next((one for one in found if not isinstance(one, str)), None)
    if wrong is not None:
        message = f"{name} must be a list of str, not of {type(wrong).__name__}{example}"
        raise WrongTypeError(message)
    return found
