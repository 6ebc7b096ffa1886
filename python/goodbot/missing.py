"""The error for a missing library of an extra."""

from collections.abc import Iterator
from contextlib import contextmanager

from goodbot.errors import MissingExtraError

__all__ = ["needs"]


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Turn a failed import within the block into an error that names the extra.

    Args:
        extra: Its name in pyproject.toml.

    Raises:
        MissingExtraError: The library is not installed.

    >>> with needs("robot"):
    ...     import no_such_library
    Traceback (most recent call last):
    ...
    goodbot.errors.MissingExtraError: no_such_library is not installed; \
run pip install 'goodbot[robot]', or '.[robot]' in a checkout

    """
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        message = (
            f"{library} is not installed; run pip install 'goodbot[{extra}]', or '.[{extra}]' in a "
            "checkout"
        )
        raise MissingExtraError(message, name=error.name) from error
