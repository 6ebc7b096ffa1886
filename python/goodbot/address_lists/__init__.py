"""Lists of the addresses of robots: fetched from their operators, and kept in the user's cache.

>>> from goodbot import bots
>>> from goodbot.address_lists import lists_of
>>> [one.url for one in lists_of([bots.get("GPTBot")])]
['https://openai.com/gptbot.json']

`refresh` fetches what is due, through any `goodbot.net.Fetcher`; `ListFolder` keeps the copies.
Nothing needs them to answer: without a network, what is in the cache is used, with its age.
What a list may say and how long it is used is decided in `goodbot.bots`.
"""

from goodbot.address_lists.list_folder import ListFolder
from goodbot.address_lists.refreshing import Refreshed, lists_of, refresh
from goodbot.bots.list_copy import ListCopy, copy_after
from goodbot.bots.published_addresses import PREFIX_PROBLEMS, PublishedAddresses, read_addresses
from goodbot.files.user_folders import cache_folder

__all__ = [
    "PREFIX_PROBLEMS",
    "ListCopy",
    "ListFolder",
    "PublishedAddresses",
    "Refreshed",
    "cache_folder",
    "copy_after",
    "lists_of",
    "read_addresses",
    "refresh",
]
