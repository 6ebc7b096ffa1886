"""Tests of the table of knowledge."""
