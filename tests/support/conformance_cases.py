"""The conformance cases, loaded for Python; nothing is judged here."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

from tests.support import paths

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = paths.ROOT / "conformance"

Case = dict[str, Any]


class Check(NamedTuple):
    """One question, with the answer that the specifications give."""

    case: Case
    content: bytes
    robot: str
    url: str
    allowed: bool


def cases(folder: str) -> list[Case]:
    """Return every case of a folder, with the texts of its file filled in."""
    found: list[Case] = []
    for path in sorted((ROOT / folder).glob("*.toml")):
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        texts = document.get("files", {})
        found += [case | {"content": content(case, texts)} for case in document["case"]]
    return found


def read_table(name: str) -> dict[str, Any]:
    """Return a file of cases as it is."""
    return tomllib.loads((ROOT / name).read_text(encoding="utf-8"))


def texts(folder: str) -> dict[str, str]:
    """Return the texts that several cases of a folder share, by name."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / folder).glob("*.toml")):
        found |= tomllib.loads(path.read_text(encoding="utf-8")).get("files", {})
    return found


def content(case: Case, texts: dict[str, str]) -> bytes:
    """Return the bytes of a case's robots.txt, which can be written in any of four ways."""
    if "file" in case:
        return texts[case["file"]].encode()
    if "robots_txt_hex" in case:
        return bytes.fromhex(case["robots_txt_hex"])
    if "parts" in case:
        return "".join(text * times for text, times in case["parts"]).encode()
    return str(case.get("robots_txt", "")).encode()


def checks(case: Case) -> list[Check]:
    """Return the questions of a case: its own, a list of them, or both."""
    rows = case.get("checks", [])
    if "url" in case:
        rows = [[case["robot"], case["url"], case["allowed"]], *rows]
    return [Check(case, case["content"], *row) for row in rows]
