"""Crawls for tests: in memory, in processes, imported, archived, reported on."""
