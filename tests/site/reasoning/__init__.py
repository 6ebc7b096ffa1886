"""Tests of exact reasoning about rules."""
