"""Tests of the forms in which lint writes."""
