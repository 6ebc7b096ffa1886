"""Tests of goodbot.site.audit.identity: lists, DNS, signatures."""
