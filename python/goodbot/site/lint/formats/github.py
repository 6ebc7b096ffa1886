"""Findings of lint as workflow commands of GitHub, which become annotations.

Scope: the commands and their escapes (GitHub: workflow commands; actions/toolkit, command.ts).
"""

from collections.abc import Iterable, Iterator

from goodbot.site.lint.formats.linted_source import LintedSource
from goodbot.site.lint.linting import LintFinding

__all__ = ["github_commands"]

COMMANDS = {"note": "notice", "warning": "warning", "error": "error"}
"""The command of each severity."""


def github_commands(sources: Iterable[LintedSource]) -> Iterator[str]:
    """Yield a command for each finding."""
    for source in sources:
        for finding in source.report.findings:
            yield command(source.name, finding)


def command(file: str, finding: LintFinding) -> str:
    """Return the command for a finding."""
    properties = {"file": file}
    if finding.line:
        properties["line"] = str(finding.line)
    if finding.column:
        properties["col"] = str(finding.column)
    properties["title"] = f"goodbot {finding.code}"
    written = ",".join(f"{name}={of_property(value)}" for name, value in properties.items())
    return f"::{COMMANDS[finding.severity]} {written}::{of_data(finding.message)}"


def of_data(text: str) -> str:
    r"""Escape a message, which would otherwise end at a line break.

    >>> of_data("100%\n::set-env")
    '100%25%0A::set-env'
    """
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def of_property(text: str) -> str:
    """Escape the value of a property, which also ends at a comma or colon."""
    return of_data(text).replace(":", "%3A").replace(",", "%2C")
