"""Tables of policies and columns of URLs, for tests of `goodbot.columns` and its engines."""
