"""Tests of the import of WARC files."""
