"""A crawl: visit, index, archive, and be able to prove that one obeyed.

It acts. Everything of one crawl is in one folder: the queue, policies, visits, the index and the
evidence in one SQLite file, and WARC files beside it.
"""
