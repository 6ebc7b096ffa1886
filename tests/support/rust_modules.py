"""Read which modules of a Rust crate use which others, from the paths in their sources.

The tools that know more (cargo-modules) have to be built with all of rust-analyzer; the paths are
enough to find rings.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

Name = tuple[str, ...]
"""A module by the names that lead to it from the root of its crate, which itself is `()`."""

TOKEN = re.compile(
    r"""
      //[^\n]* | /\*.*?\*/                                      # comments
    | b?r(?P<hashes>\#*)".*?"(?P=hashes) | [bc]?"(?:\\.|[^"\\])*"   # strings
    | b?'(?:\\.[^']*|[^'\\])' | '\w+                            # characters, lifetimes
    | (?P<token> (?:r\#)?[A-Za-z_]\w* | :: | [^\s\w] )
    """,
    re.VERBOSE | re.DOTALL,
)
DEFINING = {"const", "enum", "fn", "macro_rules", "static", "struct", "trait", "type", "union"}
BRACKETS = {"{": "}", "[": "]", "(": ")"}


@dataclass
class Module:
    """What one module defines, imports and uses."""

    defined: set[str] = field(default_factory=set)
    imported: dict[str, Name] = field(default_factory=dict)
    """Local names of what it imports, and the absolute paths."""
    globs: list[Name] = field(default_factory=list)
    words: set[str] = field(default_factory=set)
    """All words in it: a macro may define items."""
    paths: set[Name] = field(default_factory=set)
    """The paths that it uses, as written."""


def uses(sources: Path) -> dict[Name, set[Name]]:
    """Return the modules of a crate, and the modules that define what each of them uses.

    An item that is exported again belongs to the module that defines it. Code of tests is skipped:
    a test may use whatever is near. Methods are called without a path, and so do not count.
    """
    modules = read_modules(sources)
    found: dict[Name, set[Name]] = {}
    for name, module in modules.items():
        absolute = {resolve(modules, name, path) for path in module.paths}
        absolute |= {locate(modules, path) for path in (*module.imported.values(), *module.globs)}
        found[name] = {other for other in absolute if other is not None and other != name}
    return found


def sibling_uses(of_modules: dict[Name, set[Name]]) -> dict[Name, dict[str, set[str]]]:
    """Return, for each module with children, which of these use which, with all that is in them."""
    found: dict[Name, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for name, others in of_modules.items():
        for other in others:
            shared = 0
            while name[shared : shared + 1] == other[shared : shared + 1] != ():
                shared += 1
            if len(name) > shared and len(other) > shared:
                found[name[:shared]][name[shared]].add(other[shared])
    return found


def read_modules(sources: Path) -> dict[Name, Module]:
    """Return the modules of a crate, those that are within a file too, without those of tests."""
    reader = Reader()
    for path in sorted(sources.rglob("*.rs")):
        parts = path.relative_to(sources).with_suffix("").parts
        name = parts[:-1] if parts[-1] in {"lib", "mod"} else parts
        words = [match["token"] for match in TOKEN.finditer(path.read_text(encoding="utf-8"))]
        reader.read(name, [word for word in words if word])
    return {
        name: module
        for name, module in reader.modules.items()
        if not any(name[: len(test)] == test for test in reader.tests)
    }


class Reader:
    """Reads modules from the words and signs of their sources."""

    def __init__(self) -> None:
        """Begin without modules."""
        self.modules: dict[Name, Module] = defaultdict(Module)
        self.tests: set[Name] = set()
        """Modules that only tests have."""

    def read(self, name: Name, words: list[str]) -> None:
        """Read one module, and those within it."""
        self.modules[name]
        at = 0
        while at < len(words):
            word = words[at]
            if words[at : at + 4] == ["#", "[", "cfg", "("]:
                at = self.read_condition(name, words, at)
            elif word == "mod" and words[at + 2 : at + 3] == ["{"]:
                end = closing(words, at + 2)
                self.read((*name, words[at + 1]), words[at + 3 : end])
                at = end + 1
            elif word == "use" and words[at + 1] != "<":
                at = self.read_use(name, words, at)
            elif is_word(word):
                at = self.read_path(name, words, at)
            else:
                at += 1

    def read_condition(self, name: Name, words: list[str], at: int) -> int:
        """Read an attribute with a condition, and skip tests; return what follows."""
        end = closing(words, at + 1)
        condition = words[at + 4 : end]
        at = end + 1
        if "test" not in condition or "not" in condition:
            return at
        while words[at] == "#":
            at = closing(words, at + 1) + 1
        item = at
        while words[at] not in {";", "{"}:
            at += 1
        if "mod" in words[item:at]:
            self.tests.add((*name, words[at - 1]))
        return (closing(words, at) if words[at] == "{" else at) + 1

    def read_use(self, name: Name, words: list[str], at: int) -> int:
        """Read a `use`; return what follows."""
        end = words.index(";", at)
        for path, alias in branches(words[at + 1 : end]):
            whole = absolute(name, path)
            if alias == "*":
                self.modules[name].globs.append(whole)
            else:
                self.modules[name].imported[alias] = whole
        return end + 1

    def read_path(self, name: Name, words: list[str], at: int) -> int:
        """Read a word with the path that it begins, and what it defines; return what follows."""
        module = self.modules[name]
        path = [words[at]]
        while words[at + 1 : at + 2] == ["::"] and is_word("".join(words[at + 2 : at + 3])):
            path.append(words[at + 2])
            at += 2
        if len(path) > 1:
            module.paths.add(tuple(path))
        if path[0] in DEFINING:
            module.defined.add(next(filter(is_word, words[at + 1 :]), ""))
        module.words |= set(path)
        return at + 1


def is_word(token: str) -> bool:
    """Whether a token is a name or a keyword."""
    return token[:1].isalpha() or token[:1] == "_"


def closing(words: list[str], at: int) -> int:
    """Return where the bracket closes that opens at a position."""
    depth = 0
    for place in range(at, len(words)):
        depth += (words[place] in BRACKETS) - (words[place] in BRACKETS.values())
        if depth == 0:
            return place
    message = f"a bracket is open: {' '.join(words[at : at + 9])}"
    raise AssertionError(message)


def branches(words: list[str], before: Name = ()) -> Iterator[tuple[Name, str]]:
    """Yield each path of the tree of a `use`, and its local name; `*` for all names."""
    path = list(before)
    at = 0
    while at < len(words):
        if words[at] == "{":
            start = place = at + 1
            end = closing(words, at)
            while place <= end:
                if words[place] == "{":
                    place = closing(words, place)
                elif words[place] == "," or place == end:
                    if place > start:
                        yield from branches(words[start:place], tuple(path))
                    start = place + 1
                place += 1
            return
        if words[at] == "*":
            yield tuple(path), "*"
            return
        if words[at] == "as":
            yield tuple(path), words[at + 1]
            return
        if words[at] != "::" and (words[at] != "self" or not path):
            path.append(words[at])
        at += 1
    yield tuple(path), path[-1]


def absolute(name: Name, path: Name) -> Name:
    """Return a path in a module as a path from the root of the crate.

    A first word that is neither `crate`, `self` nor `super` is looked up in the module itself:
    there it is a child, or another crate, which no module defines.
    """
    place = list(name)
    if path[0] == "crate":
        return path[1:]
    for count, word in enumerate(path):
        if word == "super":
            place.pop()
        elif word != "self":
            return (*place, *path[count:])
    return tuple(place)


def resolve(modules: dict[Name, Module], name: Name, path: Name) -> Name | None:
    """Return the module that defines what a path in a module leads to; `None` outside the crate."""
    if path[0] not in {"crate", "self", "super"} and path[0] in modules[name].imported:
        return locate(modules, (*modules[name].imported[path[0]], *path[1:]))
    return locate(modules, absolute(name, path))


def locate(
    modules: dict[Name, Module], path: Name, passed: frozenset[Name] = frozenset()
) -> Name | None:
    """Return the module that defines what a path from the root leads to, also by other names."""
    if path in passed:
        return None
    count = 0
    while count < len(path) and path[: count + 1] in modules:
        count += 1
    place, rest = path[:count], path[count:]
    if not rest or rest[0] in modules[place].defined:
        return place
    target = exported(modules, place, rest)
    if target is None:
        return place if rest[0] in modules[place].words else None
    # A path to itself is to another crate, not to a child of this name.
    is_other_crate = target[: count + 1] == path[: count + 1]
    return None if is_other_crate else locate(modules, target, passed | {path})


def exported(modules: dict[Name, Module], place: Name, rest: Name) -> Name | None:
    """Return the path of what a module imports by a name; `None` if it imports nothing by it."""
    word, *others = rest
    if word in modules[place].imported:
        return (*modules[place].imported[word], *others)
    for glob in modules[place].globs:
        if glob in modules and word in modules[glob].words:
            return (*glob, *rest)
    return None
