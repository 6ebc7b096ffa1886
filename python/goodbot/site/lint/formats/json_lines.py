"""Findings of lint as JSON: an object for each file.

Scope: plain values. The keys are described in docs/printing/json_output.toml.
"""

import json
from collections.abc import Iterable, Iterator

from goodbot.site.lint.formats.linted_source import LintedSource

__all__ = ["json_lines"]


def json_lines(sources: Iterable[LintedSource]) -> Iterator[str]:
    """Yield a line for each file."""
    for source in sources:
        report = source.report
        yield json.dumps(
            {
                "file": source.name,
                "fails": bool(report),
                "ignored": report.ignored,
                "findings": [one.as_dict() for one in report.findings],
            }
        )
