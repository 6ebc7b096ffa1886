"""Tests of `goodbot.tables.building`."""
