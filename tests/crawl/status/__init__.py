"""Tests of `goodbot.crawl.fleet`."""
