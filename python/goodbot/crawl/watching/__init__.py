"""Crawls of one site again and again: what changed that matters, run by run."""
