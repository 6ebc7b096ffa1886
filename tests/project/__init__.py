"""Tests of the project as a whole: its files, documents, examples and packaging."""
