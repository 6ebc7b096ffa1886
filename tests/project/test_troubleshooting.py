"""goodbot reports each of the reasons that docs/how-to/troubleshooting.md explains."""

import re

from tests.support.paths import ROOT
from tests.support.sources import followed

PAGE = ROOT / "docs" / "how-to" / "troubleshooting.md"
ROWS = re.findall(
    r"^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE
)
SLUGS = sorted({slug for row in ROWS for slug in re.findall(r"[a-z-]+", row)})
CODE = "\n".join(
    (ROOT / path).read_text(encoding="utf-8")
    for path in followed()
    if path.parts[0] in {"python", "crates"} and path.suffix in {".py", ".rs"}
)


def test_there_are_reasons() -> None:
    """The page explains the twenty reasons that users meet most."""
    assert len(SLUGS) >= 20


def test_each_reason_is_in_the_code() -> None:
    """The page does not explain a reason that has been renamed."""
    assert [slug for slug in SLUGS if f'"{slug}"' not in CODE] == []
