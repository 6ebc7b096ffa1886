"""Tests of sitemaps."""
