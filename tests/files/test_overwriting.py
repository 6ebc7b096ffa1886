"""What is refused before anything is written."""

from pathlib import Path

import pytest

from goodbot.errors import MisuseError
from goodbot.files.overwriting import refuse_existing


def test_what_exists_is_refused(tmp_path: Path) -> None:
    """An empty folder may be written to as a folder; nothing else that is there may be."""
    refuse_existing(tmp_path / "new", "folder")
    refuse_existing(tmp_path / "new")
    (tmp_path / "new").mkdir()
    refuse_existing(tmp_path / "new", "folder")
    with pytest.raises(MisuseError, match="new exists; name a file that does not"):
        refuse_existing(tmp_path / "new")
    (tmp_path / "new" / "a").write_text("")
    for path, what in ((tmp_path / "new", "folder"), (tmp_path / "new" / "a", "folder")):
        with pytest.raises(MisuseError, match="exists; name a folder that does not"):
            refuse_existing(path, what)
