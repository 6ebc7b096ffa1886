"""What `goodbot lint` reads, and its words for a terminal."""
