"""Tests of WARC files by anyone."""
