"""`goodbot crawl --own-site`: pages of one's own site that robots.txt disallows."""
