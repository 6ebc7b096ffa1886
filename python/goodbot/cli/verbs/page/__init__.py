"""The verbs that check a page, and those that write what a page says to robots."""
