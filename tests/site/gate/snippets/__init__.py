"""Tests of the snippets for web servers; tests/system has those on the servers themselves."""
