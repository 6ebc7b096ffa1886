"""The index of a crawl: what may be indexed, and how it is searched (SQLite FTS5)."""
