"""Tests of `goodbot.adapters`."""
