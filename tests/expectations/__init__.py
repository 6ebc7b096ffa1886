"""Tests of goodbot.expectations: files of cases, and what robots.txt says to them."""
