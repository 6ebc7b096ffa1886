"""Tests of `goodbot.crawl.archive`."""
