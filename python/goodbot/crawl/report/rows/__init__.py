"""The rows and counts of a report, read in one pass each and packed as they come."""
