"""What `goodbot page` shows of one document: each view prints one thing."""
