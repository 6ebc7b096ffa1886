"""Tests of `goodbot.project`."""
