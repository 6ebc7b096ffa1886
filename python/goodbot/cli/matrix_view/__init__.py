"""`goodbot check` with several robots: a matrix of robots and URLs, in several forms."""
