"""Fetching the key sets of operators, by which their signatures are verified.

>>> from goodbot.key_sets import fetch_key_set
"""

from goodbot.key_sets.fetching import fetch_key_set, refresh_keys

__all__ = ["fetch_key_set", "refresh_keys"]
