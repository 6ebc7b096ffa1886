"""Tests of `goodbot.robot`."""
