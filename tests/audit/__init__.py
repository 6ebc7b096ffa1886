"""Tests of goodbot.audit."""
