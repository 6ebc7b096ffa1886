"""Tests of goodbot.lint: rules, comments, settings."""
