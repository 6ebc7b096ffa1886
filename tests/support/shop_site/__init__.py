"""A shop of some 130 pages, with all that goes wrong on real sites, and what a crawl must find.

Scope: data. `pages` has the ordinary pages, `answers` those whose answers are odd, `markup` those
whose HTML is odd; the field `why` of each says what it is for. `expected` has what a crawl must
find. `page` has the form of a row, `rendering` turns rows into answers, and `serving` serves them:
in memory by a fake clock, or by sockets on loopback. `crawled` has one crawl, for tests to copy.
"""
