"""One crawl in several processes: its sites are shared out, and each process has its own part."""
