"""Tests of the readers of documents."""
