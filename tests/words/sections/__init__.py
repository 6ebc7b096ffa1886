"""The sections of the snapshot: `lines()` of each module yields the lines of its file."""
