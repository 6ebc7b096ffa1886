"""The key of an owner and the DNS of tests: neither is the developer's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from goodbot.crawl.verbs.own_site.txt_records import TxtRecords

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def txt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[str, ...]]:
    """Keep the key in the folder of the test; return the TXT records by name, `*` for all names."""
    found: dict[str, tuple[str, ...]] = {}

    async def values_of(_records: TxtRecords, name: str) -> tuple[str, ...]:
        return found.get(name) or found.get("*", ())

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(TxtRecords, "values_of", values_of)
    return found
