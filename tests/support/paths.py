"""Paths of the project."""

from pathlib import Path

__all__ = ["FIXTURES", "ROOT", "SUPPORT"]

ROOT = Path(__file__).parents[2]
SUPPORT = Path(__file__).parent
FIXTURES = ROOT / "tests" / "fixtures"
