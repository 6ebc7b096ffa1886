"""What a crawl and web archives hold, reconsidered by what sites say today, and rewritten by it."""
