"""Tests of `goodbot.html_page`."""
