"""The snippet for Caddy: maps to variables, and header fields from those.

Source: caddyserver.com, Caddyfile directives map, header, handle and file_server.
"""

from goodbot.errors import WrongValueError
from goodbot.site.gate.rendered import Rendered
from goodbot.site.gate.snippets.server_rows import (
    FIELDS,
    ServerRows,
    agent_regex,
    checked_folder,
    path_regex,
    quoted,
    server_rows,
)

__all__ = ["caddy"]


def caddy(said: Rendered, folder: str) -> dict[str, str]:
    """Return the snippet for Caddy, to import within the block of the site.

    Args:
        said: The rendered policy of a host.
        folder: The folder with its files, as the server sees it.

    Raises:
        WrongValueError: A configuration cannot name the folder, or two paths of equal length say
            different things, which Caddy's regular expressions cannot tell apart.

    """
    rows, root = server_rows(said), checked_folder(folder)
    refuse_both(rows)
    lines = ["# For the block of the site; written by goodbot gate.", "", *maps(rows)]
    for place, number in enumerate(rows.fields):
        name = f"{rows.prefix}_{number}"
        lines += [
            f'@{name} expression `{{{name}}} != ""`',
            f"header @{name} {{",
            f"    +{FIELDS[number]} {{{name}}}",
            "    defer",
            "}",
            *([] if place else vary(rows)),
        ]
    return {"gate.caddy": "\n".join([*lines, *files(said, root)]) + "\n"}


def vary(rows: ServerRows) -> list[str]:
    """Return the field Vary, where groups get different fields."""
    return ["header {", "    +Vary User-Agent", "    defer", "}"] if rows.vary else []


def maps(rows: ServerRows) -> list[str]:
    """Return the maps: from User-Agent to group, from group and path to all fields at once."""
    group = f"{{{rows.prefix}_group}}"
    lines = [f"map {{http.request.header.User-Agent}} {group} {{"]
    for agent in rows.agents:
        regex = agent_regex(agent.text).removeprefix("(?<!like )")
        lines += [f"    `~(?i)like {regex}` {rows.default}", f"    `~(?i){regex}` {agent.group}"]
    lines += [f"    default {rows.default}", "}"]
    if rows.fields:
        names = " ".join(f"{{{rows.prefix}_{number}}}" for number in rows.fields)
        lines.append(f'map "{group} {{http.request.orig_uri}}" {names} {{')
        for row in rows.paths:
            if len(row.paths) == 1:
                values = " ".join(quoted(row.values[number]) for number in rows.fields)
                lines.append(f"    `~^{row.group} {path_regex(row.paths[0])}` {values}")
        nothing = " ".join('""' for _ in rows.fields)
        lines += [f"    default {nothing}", "}"]
    return lines


def refuse_both(rows: ServerRows) -> None:
    """Refuse two paths of equal length that may match together and differ in what they say."""
    of_one = {(row.group, row.paths[0]): row.values for row in rows.paths if len(row.paths) == 1}
    for row in rows.paths:
        if len({of_one[row.group, path] for path in row.paths}) > 1:
            message = (
                f"{' and '.join(row.paths)} are equally long and may match the same URL, which a "
                "snippet for Caddy cannot tell; make one of them longer"
            )
            raise WrongValueError(message)


def files(said: Rendered, root: str) -> list[str]:
    """Return the files."""
    lines = []
    for path, file in said.files.items():
        lines += [
            f"handle {path} {{",
            f'    root * "{root}"',
            f'    header Cache-Control "public, max-age={said.policy.max_age}"',
            f'    header Content-Type "{file.content_type}"',
            "    file_server",
            "}",
        ]
    return lines
