"""Print the licences of every crate that is compiled into the wheels.

    python release/third_party.py

Each wheel has its own THIRD_PARTY_LICENSES.txt. The texts come from the sources of the crates, as
cargo has them. A test compares the names and versions with Cargo.lock, so run this after every
change of a dependency.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

ROOT = Path(__file__).parents[1]
FILE = "THIRD_PARTY_LICENSES.txt"
WHEELS = {ROOT: "goodbot-python", ROOT / "plugins" / "polars": "goodbot-polars"}
"""The crate that becomes each wheel, by the folder of its workspace."""
NAMES = ("licen", "copying", "copyright", "unlicense", "notice")
"""What the names of files with licences begin with, in lower case."""
LINE = "=" * 80

Package: TypeAlias = dict[str, Any]


def metadata(folder: Path) -> dict[str, Any]:
    """Return what cargo knows of all crates in the Cargo.lock of a folder."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True)  # noqa: S603  ours
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def is_macro(package: Package) -> bool:
    """Whether a crate runs in the compiler alone."""
    return any("proc-macro" in target["kind"] for target in package["targets"])


def linked(found: dict[str, Any], wheel: str) -> set[str]:
    """Return the crates that a wheel can contain, on any platform."""
    packages = {one["id"]: one for one in found["packages"]}
    nodes = {one["id"]: one for one in found["resolve"]["nodes"]}
    waiting = [one["id"] for one in found["packages"] if one["name"] == wheel]
    reached: set[str] = set()
    while waiting:
        current = waiting.pop()
        if current in reached or is_macro(packages[current]):
            continue
        reached.add(current)
        waiting += [
            one["pkg"]
            for one in nodes[current]["deps"]
            if any(kind["kind"] is None for kind in one["dep_kinds"])
        ]
    return reached


def texts(package: Package) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file with a licence."""
    for path in sorted(Path(package["manifest_path"]).parent.iterdir()):
        if path.is_file() and path.name.lower().startswith(NAMES):
            text = path.read_text(encoding="utf-8", errors="replace")
            yield path.name, "\n".join(line.rstrip() for line in text.strip().splitlines())


def named(packages: list[Package]) -> Iterator[str]:
    """Yield a line for each crate: its name, its version and its licence."""
    for one in sorted(packages, key=lambda one: (one["name"], one["version"])):
        yield f"{one['name']} {one['version']}: {one['license'] or 'see its text below'}"


def printed(found: dict[str, Any], wheel: str) -> Iterator[str]:
    """Yield the lines of the file."""
    within = linked(found, wheel)
    foreign = [one for one in found["packages"] if one["source"]]
    inside = [one for one in foreign if one["id"] in within]
    product = wheel.removesuffix("-python")
    yield f"The compiled part of {product} contains these crates, on one platform or another:"
    yield ""
    yield from named(inside)
    yield ""
    yield "These are used to build or test it, and are not in it:"
    yield ""
    yield from named([one for one in foreign if one["id"] not in within])
    by_text: dict[str, list[str]] = {}
    for one in sorted(inside, key=lambda one: (one["name"], one["version"])):
        for file, text in texts(one):
            by_text.setdefault(text, []).append(f"{one['name']} {one['version']}: {file}")
    for text, names in by_text.items():
        yield from ["", LINE, *names, LINE, "", text]


if __name__ == "__main__":
    for folder, wheel in WHEELS.items():
        text = "\n".join(printed(metadata(folder), wheel)) + "\n"
        (folder / FILE).write_text(text, encoding="utf-8", newline="\n")
        sys.stdout.write(f"{(folder / FILE).relative_to(ROOT)} is written.\n")
