"""Tests of `goodbot.crawl.report`."""
