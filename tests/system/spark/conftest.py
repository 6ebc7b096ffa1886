"""One cluster of Spark, which the tests of this folder share."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.system.spark.cluster import cluster, session


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return a session of Spark whose executors are on two workers."""
    options = {
        "spark.executor.memory": "512m",
        "spark.sql.session.timeZone": "America/New_York",
        "spark.sql.shuffle.partitions": "8",
    }
    folder = tmp_path_factory.mktemp("spark")
    with cluster(folder) as running, session(running.master, options) as opened:
        yield opened
