"""Tests of `goodbot.crawl.evidence`."""
