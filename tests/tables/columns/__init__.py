"""Tests of `goodbot.tables.columns`."""
