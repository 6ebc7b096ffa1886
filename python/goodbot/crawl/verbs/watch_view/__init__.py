"""What `goodbot watch` prints."""
