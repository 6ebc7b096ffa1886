"""Tests of goodbot.audit.identity.lookup: DNS, and its answers on disk."""
