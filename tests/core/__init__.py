"""Tests of `goodbot.core`."""
