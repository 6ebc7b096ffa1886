"""Tests of `goodbot.store`."""
