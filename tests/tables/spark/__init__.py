"""Tests of the questions that Spark's executors answer; the cluster is in `tests/system`."""
