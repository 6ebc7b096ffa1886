"""Tests of goodbot.site.audit.identity.lookup: DNS, and its answers on disk."""
