"""Tests of goodbot.key_sets."""
