"""Tests of `goodbot.page`."""
