"""Sitemaps and feeds of sitemaps: their entries and what is wrong with them."""
