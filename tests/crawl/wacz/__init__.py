"""Tests of the export for web archives."""
