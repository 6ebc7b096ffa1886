"""The frontier: which URLs belong to a crawl, in what order they are visited, and when again."""
