"""Tables of policies and columns of URLs, for tests of `goodbot.tables.columns` and its engines."""
