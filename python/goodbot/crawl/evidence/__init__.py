"""The evidence of a crawl: what was said on each act at each visit, written and read again."""
