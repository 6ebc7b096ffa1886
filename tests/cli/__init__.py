"""Tests of `goodbot.cli`."""
