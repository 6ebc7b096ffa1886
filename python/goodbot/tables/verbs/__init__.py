"""The verbs for tables of policies and of URLs."""
