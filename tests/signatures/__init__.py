"""Tests of goodbot.signatures."""
