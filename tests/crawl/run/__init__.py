"""Tests of `goodbot.crawl.run`."""
