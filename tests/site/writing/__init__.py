"""Tests of `goodbot.site.writing`."""
