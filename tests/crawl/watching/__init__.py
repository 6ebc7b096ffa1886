"""Tests of crawls that are repeated."""
