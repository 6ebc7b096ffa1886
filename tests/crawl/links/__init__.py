"""Tests of `goodbot.crawl.links`."""
