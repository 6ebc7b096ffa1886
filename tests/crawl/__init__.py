"""Tests of `goodbot.crawl`."""
