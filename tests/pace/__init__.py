"""Tests of `goodbot.pace`."""
