"""Tests of `goodbot.content_use`."""
