"""The sentences that goodbot prints, kept as text files that are reviewed."""
