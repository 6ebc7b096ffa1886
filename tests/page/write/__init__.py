"""Tests of `goodbot.page.write`."""
