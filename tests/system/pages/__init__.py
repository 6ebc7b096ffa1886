"""Tests of the pages that commands write, in a real browser."""
