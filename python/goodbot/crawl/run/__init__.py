"""A run of a crawl: the loop that takes URLs from the queue, fetches, reads and records them.

Only this folder uses all the others.
"""
