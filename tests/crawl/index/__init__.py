"""Tests of `goodbot.crawl.index`."""
