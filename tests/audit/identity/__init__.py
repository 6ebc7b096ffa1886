"""Tests of goodbot.audit.identity: lists, DNS, signatures."""
