"""The output of `goodbot crawl`: while it runs, and when it ends."""
