"""Tests of `goodbot audit`."""
