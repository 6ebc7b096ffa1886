"""Tests of `goodbot crawl --own-site`."""
