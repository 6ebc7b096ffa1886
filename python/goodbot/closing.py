"""What is closed at the end of a `with` block, whether that ends well or not."""

from types import TracebackType
from typing import TypeVar

__all__ = ["Closing"]

Entered = TypeVar("Entered", bound="Closing")


class Closing:
    """Something that is closed at the end of a `with` block.

    >>> class Door(Closing):
    ...     def close(self):
    ...         print("closed")
    >>> with Door() as door:
    ...     print(type(door).__name__)
    Door
    closed
    """

    __slots__ = ()

    def __enter__(self: Entered) -> Entered:  # noqa: PYI019  Python 3.10 has no Self
        """Return it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close it."""
        raise NotImplementedError
