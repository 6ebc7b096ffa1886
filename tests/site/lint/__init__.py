"""Tests of goodbot.site.lint: rules, comments, settings."""
