"""A plugin for pytest: each expectation of a `test_robots*.toml` is a test.

pytest loads it by itself where goodbot is installed (`-p no:goodbot` turns it off). Write a file
whose name begins with `test_robots` and ends with `.toml`, next to your robots.txt::

    file = "robots.txt"

    [[case]]
    robot = "GPTBot"
    url = "/articles/1"
    allow = false
    why = "Our articles are not for training."

`file` is relative to the file that names it. A file of another name is run if you pass its path to
pytest. Nothing else changes, and goodbot's other modules are loaded only if there is such a file.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr

    from goodbot.expectations import ExpectationResult

__all__ = ["ExpectationItem", "ExpectationsOfFile", "pytest_collect_file"]

PATTERN = "test_robots*.toml"
"""The names of the files that are collected."""


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "ExpectationsOfFile | None":
    """Return a collector for a file of expectations; `None` for any other file."""
    is_named = file_path.suffix == ".toml" and parent.session.isinitpath(file_path)
    if not (is_named or file_path.match(PATTERN)):
        return None
    collector: ExpectationsOfFile = ExpectationsOfFile.from_parent(parent, path=file_path)
    return collector


class ExpectationsOfFile(pytest.File):
    """A file of expectations; it yields a test for each of them."""

    def collect(self) -> Iterator["ExpectationItem"]:
        """Read the file and its robots.txt, and yield the tests.

        Raises:
            CollectError: One of them cannot be read; the message says how to fix it.

        """
        from goodbot.errors import GoodbotError  # noqa: PLC0415  as in `results`

        try:
            results = list(self.results())
        except (GoodbotError, OSError) as error:
            raise self.CollectError(str(error)) from error
        for result in results:
            name = f"{result.expectation.robot} {result.expectation.url}"
            item: ExpectationItem = ExpectationItem.from_parent(self, name=name)
            item.result = result
            yield item

    def results(self) -> Iterator["ExpectationResult"]:
        """Yield the results of all expectations of the file."""
        from goodbot import RobotsTxt  # noqa: PLC0415  only where there is such a file
        from goodbot.errors import MisuseError  # noqa: PLC0415
        from goodbot.expectations import check_expectations, read_expectations  # noqa: PLC0415

        file = read_expectations(self.path.read_bytes(), self.path.name)
        if file.file is None:
            message = (
                f"{self.path.name} does not name its robots.txt; write at its beginning, for "
                'example: file = "robots.txt"'
            )
            raise MisuseError(message)
        if "://" in file.file:
            message = (
                f"{self.path.name}: file must be the path of a file, because tests fetch nothing; "
                f"to test a site, run: goodbot test {file.file} {self.path.name}"
            )
            raise MisuseError(message)
        try:
            content = (self.path.parent / file.file).read_bytes()
        except OSError as error:
            message = (
                f"{self.path.name}: its file {file.file} cannot be read: {error.strerror}; write "
                "the path of your robots.txt, relative to the folder of this file"
            )
            raise MisuseError(message) from error
        yield from check_expectations(RobotsTxt(content), file)


class ExpectationItem(pytest.Item):
    """A test that fails if an expectation does not hold."""

    result: "ExpectationResult"

    def runtest(self) -> None:
        """Raise an exception if the expectation does not hold."""
        if not self.result.holds:
            from goodbot.display import printable  # noqa: PLC0415  as in `results`

            lines = str(self.result).splitlines()
            raise AssertionError("\n".join(map(printable, lines)))

    def repr_failure(
        self,
        excinfo: pytest.ExceptionInfo[BaseException],
        style: str | None = None,
    ) -> "str | TerminalRepr":
        """Return what is shown of a failure: the verdict with its line, without a traceback."""
        if excinfo.errisinstance(AssertionError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)  # type: ignore[arg-type]  # as pytest passes it

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the file, no line, and the heading of a failure."""
        return self.path, None, str(self.result.expectation)
