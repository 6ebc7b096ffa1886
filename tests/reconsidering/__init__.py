"""Tests of what is decided about what is held."""
