"""The archive of a crawl: copies of responses, as far as they may be kept, in WARC files."""
