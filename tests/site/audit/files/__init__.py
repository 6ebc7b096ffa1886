"""Tests of goodbot.site.audit.files: logs, robots.txt over time, lists, keys, files of requests."""
