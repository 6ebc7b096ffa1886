"""Tests of `goodbot.net`."""
