"""Tests of `goodbot.crawl.folder`."""
