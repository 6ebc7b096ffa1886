"""Tests of goodbot.site.audit."""
