"""Tests of goodbot, in folders named after the parts of the package that they test."""
