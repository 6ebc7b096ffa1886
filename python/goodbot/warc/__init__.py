"""WARC and ARC files by anyone: the files, their records, and what was captured."""
