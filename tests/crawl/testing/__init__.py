"""Tests of the suites for parts of a crawl."""
