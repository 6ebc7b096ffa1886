"""Tests of the core: `goodbot._core` and what the package exports from it."""
