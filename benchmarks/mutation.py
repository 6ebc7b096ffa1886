"""Change one rule of a robots.txt, as an editor might."""

import random
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

RULE = re.compile(r"^[ \t]*(?:dis)?allow[ \t]*:.*/", re.IGNORECASE)


def mutant(content: bytes, chance: random.Random) -> bytes | None:
    """Return a file with one rule changed; `None` if it has none with a path."""
    lines = content.decode("utf-8", "replace").splitlines()
    places = [number for number, line in enumerate(lines) if RULE.match(line)]
    if not places:
        return None
    place, other = chance.choice(places), chance.choice(places)
    line = lines[place]
    is_allow = line.lstrip().lower().startswith("allow")
    turned = (
        line.replace("Allow", "Disallow", 1) if is_allow else line.replace("Disallow", "Allow", 1)
    )
    changes: list[Callable[[], str]] = [
        lambda: "",
        lambda: turned,
        lambda: f"{line}x",
        lambda: f"{line}*/y",
        lambda: f"{line}$",
        lambda: lines[other],
    ]
    lines[place] = chance.choice(changes)()
    return "\n".join(lines).encode()
