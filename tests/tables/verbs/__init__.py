"""Tests of the verbs for tables."""
