"""Tests of the reports on who may index a page."""
