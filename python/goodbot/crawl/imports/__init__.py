"""The import of WARC files by others: captures of then, with the verdicts of today."""
