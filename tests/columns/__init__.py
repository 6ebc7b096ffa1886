"""Tests of `goodbot.columns`."""
