"""Checks that the output of --json matches its schema in docs/reference/schemas/."""

import json
from collections.abc import Sequence
from datetime import datetime
from functools import cache

from jsonschema import Draft202012Validator, FormatChecker

from tests.support.paths import ROOT

SCHEMAS = ROOT / "docs" / "reference" / "schemas"
ANSWERS = (0, 1)
"""The exit statuses with which the output is complete."""

FORMATS = FormatChecker(formats=())
"""Checks times without another package."""


@FORMATS.checks("date-time", raises=ValueError)
def is_time(value: object) -> bool:
    """Check that a value is a time: ISO 8601, in UTC."""
    return not isinstance(value, str) or datetime.fromisoformat(value).utcoffset() is not None


@cache
def validator(verb: str) -> Draft202012Validator:
    """Return the validator for a line of a verb."""
    path = SCHEMAS / f"{verb.replace(' ', '-')}.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema, format_checker=FORMATS)


BELOW_OTHERS = {
    "audit suggest",
    "page convert",
    "page profile",
    "page uses",
    "report compare",
    "report findings",
    "report skipped",
}
"""Verbs below a verb that does something itself."""


def verb_of(words: Sequence[str]) -> str | None:
    """Return the verb whose JSON these arguments request; `None` if they request none."""
    asks = "--json" in words or (list(words[:1]) == ["page"] and "json" in words)
    if not asks or words[0].startswith("-"):
        return None
    below = {"archive", "fleet", "gate", "robot", "robot block", "robot identity", "tables"}
    verb = words[0]
    for word in words[1:]:
        if verb in below or f"{verb} {word}" in BELOW_OTHERS:
            verb = f"{verb} {word}"
        else:
            break
    return verb


def check_output(verb: str, output: str) -> list[dict[str, object]]:
    """Check every line, and return the objects.

    Raises:
        AssertionError: A line is not an object, or the schema of the verb does not allow it.

    """
    found = []
    for line in output.splitlines():
        one = json.loads(line)
        faults = [fault.message for fault in validator(verb).iter_errors(one)]
        assert not faults, f"goodbot {verb} --json: {faults[0]} in {line}"
        found.append(one)
    return found


def check_done(words: Sequence[str], status: int, output: bytes) -> None:
    """Check what the program printed, if JSON was requested and the run was complete.

    Tests that need other output, such as that of a future version, do not call this.
    """
    verb = verb_of(words)
    if verb is not None and status in ANSWERS:
        check_output(verb, output.decode("ascii"))
