"""Tests of goodbot.address_lists."""
