"""The frontier: which URLs belong to a crawl, in which order they are visited, and when again."""
