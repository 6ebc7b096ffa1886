"""Tests of Spark on a cluster of processes."""
