"""Tests of goodbot, in the rooms of the package that they test."""
