"""Tests of `goodbot.policy_tables`."""
