"""Tests of crawls and web archives reconsidered."""
