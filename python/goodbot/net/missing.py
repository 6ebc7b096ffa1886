"""What is said when a library of an extra is not installed."""

from collections.abc import Iterator
from contextlib import contextmanager

from goodbot.errors import MissingExtraError

__all__ = ["needs"]


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Import within the block what an extra brings.

    Args:
        extra: Its name in pyproject.toml.

    Raises:
        MissingExtraError: What is imported is not installed.

    >>> with needs("robot"):
    ...     import no_such_library
    Traceback (most recent call last):
    ...
    goodbot.errors.MissingExtraError: no_such_library is not installed; \
pip install 'goodbot[robot]' brings it

    """
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"{error.name} is not installed; pip install 'goodbot[{extra}]' brings it"
        raise MissingExtraError(message, name=error.name) from error
