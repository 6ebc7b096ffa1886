"""Tests of goodbot.logs."""
