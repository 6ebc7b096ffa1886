"""Tests of the middleware, on real servers."""
