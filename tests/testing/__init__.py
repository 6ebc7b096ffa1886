"""Tests of `goodbot.testing`."""
