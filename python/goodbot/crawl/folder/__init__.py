"""The folder of a crawl: one SQLite file of whole changes, its lock, and how it is opened.

It imports no other room of the crawl. Every room keeps its rows in the database opened here.
"""
