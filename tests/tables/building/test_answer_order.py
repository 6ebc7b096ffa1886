"""Answers of one second have one order, whichever source they come from."""

import tempfile
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from goodbot.crawl.imports.file_timelines import FileTimelines
from goodbot.crawl.imports.survey import Survey
from goodbot.history import PolicyTimeline
from goodbot.policy import RobotsTxtAnswer
from goodbot.tables.building import build_policies, merge_policies, policy_timeline
from tests.support.examples import examples
from tests.tables.building.warc_text import response, write_warc

NOON = datetime(2025, 6, 2, 12, tzinfo=timezone.utc)
ORIGIN = "https://a.example"
URL = f"{ORIGIN}/robots.txt"
BODIES = [b"", b"User-agent: *\nDisallow: /", b"User-agent: *\nDisallow: /a", b"User-agent: *\n"]


def without_odd_content(answer: Any) -> Any:  # noqa: ANN401  a tuple
    """Return an answer without content, unless it is a success."""
    status, body, fields = answer
    return status, body if status // 100 == 2 else b"", fields


ANSWERS = st.lists(
    st.tuples(
        st.sampled_from([200, 200, 206, 304, 401, 404, 429, 500, 503]),
        st.sampled_from(BODIES),
        st.sampled_from([(), (("cache-control", "max-age=60"),), (("retry-after", "60"),)]),
    ),
    min_size=2,
    max_size=5,
    unique=True,
).map(lambda found: list(dict.fromkeys(map(without_odd_content, found))))
"""A table has the content of successes alone."""


def outcomes(timeline: PolicyTimeline) -> list[tuple[Any, ...]]:
    """Return what each policy of a timeline follows from, in order."""
    return [
        (policy.status, policy.outcome, policy.fresh_until, policy.copy_content)
        for policy in (one.policy for one in timeline.learned)
    ]


def rows_of(found: list[tuple[int, bytes, tuple[tuple[str, str], ...]]]) -> pa.Table:
    """Return answers as the columns that a table is built from."""
    fields = pa.list_(pa.struct([("name", pa.string()), ("value", pa.string())]))
    return pa.table(
        {
            "url": [URL] * len(found),
            "time": pa.array([NOON] * len(found), pa.timestamp("us", "UTC")),
            "status": [status for status, _, _ in found],
            "body": [body for _, body, _ in found],
            "headers": pa.array([[{"name": a, "value": b} for a, b in more]
                                 for _, _, more in found], fields),
        }
    )  # fmt: skip


@examples(60)
@given(ANSWERS)
def test_answers_of_one_second_have_one_order(
    found: list[tuple[int, bytes, tuple[tuple[str, str], ...]]],
) -> None:
    """Answers, WARC files as they are imported, and tables of those, of columns and of tables."""
    answers = [RobotsTxtAnswer(URL, NOON, status, None, fields, body)
               for status, body, fields in found]  # fmt: skip
    expected = outcomes(PolicyTimeline.of_answers(answers))
    assert expected == outcomes(PolicyTimeline.of_answers(answers[::-1]))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        records = [response(URL, NOON, status, body, fields) for status, body, fields in found]
        warc = write_warc(folder / "x.warc.gz", records)
        pq.write_table(rows_of(found), folder / "x.parquet")
        build_policies([warc], folder / "of-warc.parquet")
        build_policies([folder / "x.parquet"], folder / "of-columns.parquet")
        merge_policies([folder / "of-warc.parquet"], folder / "merged.arrow")
        with closing(Survey([warc])) as survey:
            survey.read()
            assert outcomes(FileTimelines(survey, "rfc9309").of(ORIGIN)) == expected
        for table in ("of-warc.parquet", "of-columns.parquet", "merged.arrow"):
            assert outcomes(policy_timeline(folder / table, ORIGIN)) == expected, table
