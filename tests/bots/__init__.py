"""Tests of goodbot.bots: the table, User-Agents, families, lists of addresses."""
