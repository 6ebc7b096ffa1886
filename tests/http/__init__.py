"""Tests of `goodbot.http`."""
