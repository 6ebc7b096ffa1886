"""The forms in which findings of lint are written: one file each."""
