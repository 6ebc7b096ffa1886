"""Tests of answers about live sites."""
