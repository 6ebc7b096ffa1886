"""Tests of what owners of a site use."""
