"""Tests of `goodbot.policy`."""
