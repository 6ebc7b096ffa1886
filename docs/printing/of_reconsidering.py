"""The page on what is held and reconsidered, from the tables of goodbot.reconsidering."""

from collections.abc import Iterator

from goodbot.reconsidering import ACTIONS, COLUMNS, HELD_STATUSES, HELD_USES
from printing.as_markdown import code, table

__all__ = ["reconsidering_page"]

INTRODUCTION = """\
For anyone who reads the report of `goodbot reconsider`: its columns, its answers, and what follows from each.

[Reconsider what you hold](../how-to/reconsider-what-you-hold.md) shows how to get one."""

COLUMNS_HEAD = """\
One row is one use of one thing that is held. `--parquet`, `--json` and `--csv` have the same columns."""

USES_HEAD = """\
What to do follows from the answer of now alone: what was forbidden when it was fetched, and is allowed now, may stay. `search` and `ground` are about an index, \
`archive` and `fetch` about every copy."""

ANSWERS_HEAD = """\
`unmentioned` means that nobody objects, and `unknown` that nobody knows. Unknown never removes anything, and never permits it: `--unknown` chooses whether such \
things are kept or withheld. A server that fails today is unknown; so is a robots.txt that is too old to permit anything, while what it forbids counts at any age."""

LOG_HEAD = """\
`--apply` and `--replace` add a line of JSON for each thing that is removed to `removed.jsonl`, or to the file of `--log`, before it is removed. A run that is killed and repeated may \
add a line twice."""

LOG_KEYS = {
    "at": "When it was removed.",
    "robot": "The robot that was asked about.",
    "file, offset, kind, url": "As in the report.",
    "fetched": "When it was fetched, as its record has it.",
    "record": "The identifier of its record in a WARC file.",
    "do": "What was to be done; `along` if it went with a record that it was about.",
    "use, now, reason, line, source": "By which statement, as in the report.",
}


def reconsidering_page() -> Iterator[str]:
    """Yield the columns of the report, the uses, the answers, and what to do."""
    yield "# What is held, reconsidered"
    yield ""
    yield from INTRODUCTION.splitlines()
    yield ""
    yield "## Columns"
    yield ""
    yield COLUMNS_HEAD
    yield ""
    rows = [[code(one.name), one.kind, one.meaning] for one in COLUMNS]
    yield from table(["column", "type", "meaning"], rows)
    yield "## Uses"
    yield ""
    yield USES_HEAD
    yield ""
    uses = [[code(use), row.meaning, code(row.action)] for use, row in HELD_USES.items()]
    yield from table(["use", "what is asked", "what to do if not"], uses)
    yield "## Answers"
    yield ""
    yield ANSWERS_HEAD
    yield ""
    answers = [[code(name), meaning] for name, meaning in HELD_STATUSES.items()]
    yield from table(["answer", "meaning"], answers)
    yield "## What to do"
    yield ""
    yield from table(
        ["what to do", "meaning"], [[code(one), text] for one, text in ACTIONS.items()]
    )
