"""The JSON that the command prints: JSON Schemas, and the page that explains every key.

Scope: from json_output.toml, which describes each output, to JSON Schema (2020-12) and Markdown.
"""

import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from printing.as_markdown import code, table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DESCRIPTION = Path(__file__).parent / "json_output.toml"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
SIMPLE: dict[str, dict[str, Any]] = {
    "any": {"description": "Anything."},
    "time": {"type": "string", "format": "date-time"},
}
"""The types that JSON Schema has under another name."""

PAGE = """\
# JSON output

For programs that read what `goodbot` prints with `--json`: every key, and a JSON Schema of every output.

Looking for a verb? Its row has its objects and its schema. Looking for the columns of `evidence --export`? See [Evidence](evidence.md#columns-of-the-export).

Every object stands on a line of its own (JSON lines), in ASCII. Times are ISO 8601 in UTC. Keys may be added in a new version; none goes away or changes its
meaning. The schemas state exactly what this version prints: they allow no other key. If your program must survive new versions, ignore keys that
you do not know.

## Verbs
"""


class Key(NamedTuple):
    """A key of an object."""

    name: str
    kind: str
    """Its type, as the description writes it."""
    meaning: str
    is_optional: bool


@cache
def described() -> dict[str, Any]:
    """Return the description of every output."""
    return tomllib.loads(DESCRIPTION.read_text(encoding="utf-8"))


def keys(name: str) -> list[Key]:
    """Return the keys of an object: of those that it includes, then its own."""
    described_as = described()["object"][name]
    found = [key for other in described_as.get("with", []) for key in keys(other)]
    for written, text in described_as.get("keys", {}).items():
        kind, _, meaning = text.partition(": ")
        found.append(Key(written.rstrip("?"), kind, meaning, written.endswith("?")))
    return found


def schema_of_type(kind: str) -> dict[str, Any]:
    """Return the schema of a type."""
    if " | " in kind:
        choices = [schema_of_type(one) for one in kind.split(" | ")]
        plain = all(list(one) == ["type"] for one in choices)
        return {"type": [one["type"] for one in choices]} if plain else {"anyOf": choices}
    if kind[0] == "[":
        return {"type": "array", "items": schema_of_type(kind[1:-1])}
    if kind[0] == "{":
        return {"type": "object", "additionalProperties": schema_of_type(kind[1:-1])}
    if kind[0] == "'":
        return {"const": kind.strip("'")}
    if kind[0].isupper():
        return {"$ref": f"#/$defs/{kind}"}
    return SIMPLE.get(kind) or {"type": kind}


def schema_of_object(name: str) -> dict[str, Any]:
    """Return the schema of an object: its keys, and no others."""
    about = described()["object"][name]["about"]
    if "of" in described()["object"][name]:
        return {"description": about, **schema_of_type(f"{{{described()['object'][name]['of']}}}")}
    members = keys(name)
    return {
        "description": about,
        "type": "object",
        "properties": {
            key.name: {"description": key.meaning, **schema_of_type(key.kind)} for key in members
        },
        "required": [key.name for key in members if not key.is_optional],
        "additionalProperties": False,
    }


def needed(name: str) -> Iterator[str]:
    """Yield the name of an object, and of those that it contains."""
    yield name
    kinds = [key.kind for key in keys(name)]
    for kind in re.findall(r"[A-Z]\w+", " ".join(kind for kind in kinds if kind[0] != "'")):
        yield from needed(kind)


def schema(verb: str) -> dict[str, Any]:
    """Return the schema of each line that a verb prints."""
    output = described()["output"][verb]
    names = [name for one in output["objects"] for name in needed(one)]
    choices: list[dict[str, Any]] = [{"$ref": f"#/$defs/{name}"} for name in output["objects"]]
    return {
        "$schema": DRAFT,
        "title": f"A line of goodbot {verb} --json",
        "description": output["prints"],
        **(choices[0] if len(choices) == 1 else {"oneOf": choices}),
        "$defs": {name: schema_of_object(name) for name in dict.fromkeys(names)},
    }


def file_name(verb: str) -> str:
    """Return the name of the file with the schema of a verb."""
    return f"{verb.replace(' ', '-')}.json"


def schemas() -> Iterator[tuple[str, str]]:
    """Yield each file of a schema with its text."""
    for verb in described()["output"]:
        yield file_name(verb), json.dumps(schema(verb), indent=2) + "\n"


def json_page() -> Iterator[str]:
    """Yield the page of all outputs, with the keys of every object."""
    yield from PAGE.splitlines()
    yield ""
    rows = []
    for verb, output in described()["output"].items():
        objects = ", ".join(linked(name) for name in output["objects"])
        name = file_name(verb)
        rows.append(
            [code(f"goodbot {verb}"), output["prints"], objects, f"[{name}](schemas/{name})"]
        )
    yield from table(["command", "`--json` prints", "objects", "schema"], rows)
    yield "## Objects"
    yield ""
    for name, about in described()["object"].items():
        yield f"### {name}"
        yield ""
        yield about["about"]
        yield ""
        rows = [
            [code(key.name) + (", optional" if key.is_optional else ""), kind(key), key.meaning]
            for key in keys(name)
        ]
        if rows:
            yield from table(["key", "type", "meaning"], rows)


def linked(name: str) -> str:
    """Return the name of an object as a link to its keys."""
    return f"[{name}](#{name.lower()})"


def kind(key: Key) -> str:
    """Return the type of a key in words, with links to objects."""
    if key.kind.startswith("'"):
        return code(key.kind.strip("'"))
    text = re.sub(r"\[(.+)\]", r"array of \1", re.sub(r"\[(.+)\]", r"array of \1", key.kind))
    named = re.sub(r"\{(.+)\}", r"names to \1", re.sub(r"\{(.+)\}", r"names to \1", text))
    text = named.replace(" | ", " or ")
    return re.sub(r"\b[A-Z]\w+", lambda name: linked(name[0]), text)
