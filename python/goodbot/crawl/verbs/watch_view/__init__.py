"""What `goodbot watch` prints, and the folder of a site that it watches."""
