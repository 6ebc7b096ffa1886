"""Tests of tables of URLs and of policies."""
