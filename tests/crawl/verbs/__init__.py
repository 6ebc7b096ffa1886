"""Tests of the verbs of crawls."""
