"""Which URLs must be omitted: a column that is never null."""

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from goodbot.errors import MisuseError, WrongValueError
from goodbot.policy import Policy
from goodbot.tables.columns import PolicyTable, exclusions
from goodbot.tables.writing import write_verdicts
from tests.tables.reconsidering.test_url_columns import table_of

NOW = datetime(2026, 7, 1, tzinfo=timezone.utc)
CLOSED = b"User-agent: *\nDisallow: /a\n"
SITES = {"https://open.example": (200, CLOSED), "https://down.example": (503, b"")}
URLS = [
    "https://open.example/a", "https://open.example/b", "https://down.example/a",
    "https://other.example/a", "no URL", None,
]  # fmt: skip
FOUND = {
    "keep": [True, False, False, False, False, False],
    "withhold": [True, False, True, True, True, True],
}


def policies() -> pa.Table:
    """Return a table of one site that has rules, and one that cannot be reached."""
    return table_of(
        {
            site: [Policy.from_response(f"{site}/robots.txt", status, {}, body, now=NOW)]
            for site, (status, body) in SITES.items()
        }
    )


@pytest.mark.parametrize("unknown", ["keep", "withhold"])
def test_no_row_is_null(unknown: str) -> None:
    """What is disallowed is omitted; a failed request, an unknown site and no URL are unknown."""
    found = exclusions(URLS, policies(), "GPTBot", unknown=unknown)  # type: ignore[arg-type]
    assert (found.to_pylist(), found.null_count) == (FOUND[unknown], 0)


def test_what_is_forbidden_counts_at_any_age() -> None:
    """What is permitted does not: it is unknown later."""
    later = [NOW + timedelta(days=90)] * 2
    assert exclusions(URLS[:2], policies(), "GPTBot", later).to_pylist() == [True, False]
    found = exclusions(URLS[:2], policies(), "GPTBot", later, unknown="withhold")
    assert found.to_pylist() == [True, True]


def test_another_choice_is_refused() -> None:
    """The message names both."""
    with pytest.raises(WrongValueError, match="'keep' or 'withhold'"):
        exclusions(URLS, PolicyTable(policies()), "GPTBot", unknown="drop")  # type: ignore[arg-type]


def test_the_column_is_written_beside_the_verdicts(tmp_path: Path) -> None:
    """One for each robot; a run with another choice does not continue it."""
    urls, table, output = (tmp_path / f"{name}.parquet" for name in ("urls", "policies", "out"))
    pq.write_table(pa.table({"url": URLS}), urls)
    from goodbot.tables.building import build_policies  # noqa: PLC0415  slow to load

    for site, (_, body) in SITES.items():
        folder = tmp_path / "seen" / site.partition("://")[2]
        folder.mkdir(parents=True)
        (folder / "2026-07-01.txt").write_bytes(body or CLOSED)
    build_policies([tmp_path / "seen"], table)
    write_verdicts(urls, table, ["GPTBot", "CCBot"], output, exclude="withhold")
    found = pq.read_table(output)
    assert found.column_names == ["url", "GPTBot", "CCBot", "GPTBot:exclude", "CCBot:exclude"]
    assert found.column("CCBot:exclude").to_pylist() == [True, False, True, True, True, True]
    (tmp_path / "out.parquet").unlink()
    (tmp_path / "out.parquet.journal").write_text("{}")
    with pytest.raises(MisuseError):
        write_verdicts(urls, table, ["GPTBot", "CCBot"], output, exclude="keep")
