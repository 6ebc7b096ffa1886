"""Verdicts on tables of URLs that are larger than one machine, with Apache Spark.

Scope: it describes what Spark has to do, and Spark distributes, shuffles and retries; the answers
are those of `goodbot.tables.columns`. Requires `pip install 'goodbot[spark]'` here and on the
executors.
"""

from goodbot.tables.spark.verdict_plan import BROADCAST_BYTES, ROWS_PER_GROUP, verdicts

__all__ = ["BROADCAST_BYTES", "ROWS_PER_GROUP", "verdicts"]
