"""A run of a crawl: the loop that takes a URL, asks, waits, fetches, reads and records.

Only this room knows all the others.
"""
