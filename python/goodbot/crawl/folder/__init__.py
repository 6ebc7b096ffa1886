"""The folder of a crawl: one SQLite file of whole changes, its lock, and how it is opened.

It knows no other room. Every room keeps its rows in the file that this one opens.
"""
