"""Tests of goodbot.audit.files: logs, robots.txt over time, lists, keys, files of requests."""
