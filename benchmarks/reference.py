"""A simple, slow matcher for RFC 9309, to check answers against.

It supports what nearly every file contains: the field names of the standard and their common
misspellings, bytes that equal their escapes, `*` and `$`. The longest match decides, and Allow wins
a tie.
"""

import re
from dataclasses import dataclass, field

AGENT_NAMES = {b"user-agent", b"useragent", b"user agent", b"user_agent"}
ALLOW_NAMES = {b"allow"}
DISALLOW_NAMES = {
    b"disallow",
    b"dissallow",
    b"dissalow",
    b"disalow",
    b"diasllow",
    b"disallaw",
    b"disallows",
}
LINE = re.compile(rb"[ \t]*([^:#]*?)[ \t]*:[ \t]*([^#]*?)[ \t]*(?:#.*)?$", re.DOTALL)
WORDS = re.compile(rb"[ \t]*([^ \t:#]+)[ \t]+([^ \t#]+)[ \t]*(?:#.*)?$", re.DOTALL)
ESCAPE = re.compile(rb"%[0-9A-Fa-f]{2}")
LIMIT = 500 * 1024

# Characters that differ from their own escapes (RFC 9309 section 2.2.2 and its Figure 4).
KEPT = b"/?%*$"


@dataclass
class Group:
    """The agents of a group, in lower case, and its rules: (whether it allows, pattern)."""

    agents: set[bytes] = field(default_factory=set)
    rules: list[tuple[bool, bytes]] = field(default_factory=list)


def rules_for(content: bytes, robot: str) -> list[tuple[bool, bytes]]:
    """Collect the rules that a robot must obey, those of all its groups together."""
    groups = _groups(content)
    name = robot.lower().encode()
    named = [group for group in groups if any(_token(agent) == name for agent in group.agents)]
    chosen = named or [group for group in groups if b"*" in group.agents]
    return [rule for group in chosen for rule in group.rules]


def allows(rules: list[tuple[bool, bytes]], url: str) -> bool:
    """Whether the rules allow fetching a URL."""
    path = _path(url.encode("utf-8", "surrogatepass"))
    if path == b"/robots.txt":
        return True
    decision = (-1, True)
    for allowed, pattern in rules:
        if (len(pattern), allowed) > decision and _matches(pattern, path):
            decision = (len(pattern), allowed)
    return decision[1]


def _groups(content: bytes) -> list[Group]:
    groups: list[Group] = []
    in_rules = True
    if len(content) > LIMIT:
        content = content[: LIMIT + 1]
        content = content[: max(content.rfind(b"\n"), content.rfind(b"\r")) + 1]
    for line in re.split(rb"\r\n|\r|\n", content.removeprefix(b"\xef\xbb\xbf")):
        found = LINE.match(line) or WORDS.match(line)
        if not found:
            continue
        name, value = found[1].lower(), found[2]
        if name in AGENT_NAMES:
            if in_rules:
                groups.append(Group())
                in_rules = False
            groups[-1].agents.update(agent.strip().lower() for agent in value.split(b","))
        elif name in ALLOW_NAMES | DISALLOW_NAMES:
            in_rules = True
            if value and groups:
                groups[-1].rules.append((name in ALLOW_NAMES, value))
    return groups


def _token(agent: bytes) -> bytes:
    token = re.match(rb"[a-z_-]*", agent)
    return token[0] if token else b""


def _path(url: bytes) -> bytes:
    """Return the part of a URL after its host, without the fragment."""
    rest = re.sub(rb"^[A-Za-z][A-Za-z0-9+.-]*://[^/?#;]*", b"", url).partition(b"#")[0]
    return rest if rest.startswith(b"/") else b"/" + rest


def _matches(pattern: bytes, path: bytes) -> bool:
    """Whether a pattern matches; after the `?`, a slash may also be escaped."""
    whole = pattern.endswith(b"$")
    pattern = pattern.removesuffix(b"$")
    return any(
        _walk(
            _unescaped(pattern, is_url=False, query=query),
            _unescaped(path, is_url=True, query=query),
            whole=whole,
        )
        for query in ((False, True) if b"?" in path else (False,))
    )


def _walk(pattern: bytes, path: bytes, *, whole: bool) -> bool:
    """Whether a pattern matches, by the set of all places in the path that it can have reached."""
    if b"*" not in pattern:
        return path == pattern if whole else path.startswith(pattern)
    places = {0}
    for byte in pattern:
        if byte == ord("*"):
            places = set(range(min(places), len(path) + 1))
        else:
            places = {place + 1 for place in places if place < len(path) and path[place] == byte}
        if not places:
            return False
    return len(path) in places if whole else True


def _unescaped(text: bytes, *, is_url: bool, query: bool) -> bytes:
    """Return a text with every byte in one spelling: plain, unless it is one that stays escaped."""
    if is_url:
        text = text.replace(b"*", b"%2A")
    text = text.replace(b"$", b"%24")
    if b"%" not in text:
        return text
    head, mark, tail = text.partition(b"?")
    opened = KEPT if not query else b"%*$"
    return (
        ESCAPE.sub(lambda found: _one(found[0], KEPT), head)
        + mark
        + ESCAPE.sub(lambda found: _one(found[0], opened), tail)
    )


def _one(escape: bytes, kept: bytes) -> bytes:
    character = bytes([int(escape[1:], 16)])
    return escape.upper() if character in kept else character
