"""The output of `goodbot page` of one document: each view prints one thing."""
