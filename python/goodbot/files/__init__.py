"""Files and folders: read as bytes, written whole or not at all."""
