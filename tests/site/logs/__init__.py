"""Tests of goodbot.site.logs."""
