"""Tests of `goodbot.crawl.inventory`."""
