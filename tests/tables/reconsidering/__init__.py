"""Tests of tables of URLs reconsidered."""
