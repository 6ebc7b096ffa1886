"""Tests of `goodbot.crawl.processes`."""
