"""The archive of a crawl: what may be kept of each answer, in WARC files."""
