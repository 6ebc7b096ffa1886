"""Tests of robots.txt over time."""
