"""What `goodbot diff` compares, and the forms in which it shows the result."""
