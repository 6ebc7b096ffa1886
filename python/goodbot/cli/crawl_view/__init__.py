"""What `goodbot crawl` shows while it works and when it ends."""
