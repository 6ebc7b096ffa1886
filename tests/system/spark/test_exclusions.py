"""The recipe for Spark: an anti join with the column that is never null."""

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from tests.support.paths import ROOT

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]

PAGE = ROOT / "docs/how-to/leave-out-what-is-disallowed.md"
RECIPE = re.compile(r"## Spark\n\n```python\n(.*?)```", re.DOTALL)


def test_the_recipe_of_the_page_leaves_out_what_is_disallowed(
    spark: SparkSession, tmp_path: Path
) -> None:
    """As the page has it; what is true goes, and a URL in several rows goes from each."""
    urls = ["https://a.example/lamp", "https://a.example/private/a", "https://a.example/private/a"]
    pages, verdicts = tmp_path / "pages.parquet", tmp_path / "verdicts.parquet"
    pq.write_table(pa.table({"url": urls, "words": [10, 20, 30]}), pages)
    pq.write_table(pa.table({"url": urls[:2], "GPTBot:exclude": [False, True]}), verdicts)
    found = RECIPE.search(PAGE.read_text(encoding="utf-8"))
    assert found is not None
    names: dict[str, Any] = {"spark": spark, "pages": str(pages), "verdicts": str(verdicts)}
    exec(found[1], names)  # noqa: S102  the page is ours
    assert [(row.url, row.words) for row in names["kept"].collect()] == [(urls[0], 10)]
