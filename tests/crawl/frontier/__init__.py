"""Tests of `goodbot.crawl.frontier`."""
