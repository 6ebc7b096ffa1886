"""The snippet for Apache: expressions that set variables, and header fields from those.

Source: httpd.apache.org 2.4, mod_setenvif (SetEnvIfExpr), mod_headers, Expressions.
"""

from goodbot.site.gate.rendered import Rendered
from goodbot.site.gate.snippets.server_rows import (
    FIELDS,
    PathRow,
    ServerRows,
    agent_regex,
    checked_folder,
    path_regex,
    quoted,
    server_rows,
)

__all__ = ["apache"]

TARGET = "%{THE_REQUEST} =~ m#^[^ ]+ (?:https?://[^/ ]*)?"
"""The path with its query as it was sent: between the method and the version."""


def apache(said: Rendered, folder: str) -> dict[str, str]:
    """Return the snippet for Apache 2.4, with mod_alias, mod_headers and mod_setenvif.

    Args:
        said: The rendered policy of a host.
        folder: The folder with its files, as the server sees it.

    Raises:
        WrongValueError: A configuration cannot name the folder.

    """
    rows, root = server_rows(said), checked_folder(folder)
    lines = ["# For the VirtualHost; written by goodbot gate.", "", *variables(rows)]
    for number in rows.fields:
        name = f"{rows.prefix}_{number}"
        condition = f"\"expr=-n reqenv('{name}')\""
        lines.append(f'Header always add {FIELDS[number]} "%{{{name}}}e" {condition}')
    if rows.vary:
        lines.append("Header always merge Vary User-Agent")
    return {"gate-apache.conf": "\n".join([*lines, *files(said, root)]) + "\n"}


def variables(rows: ServerRows) -> list[str]:
    """Return what sets the group and the fields; of several that match, the last counts."""
    group = f"{rows.prefix}_group"
    lines = [f'SetEnvIfExpr "true" {group}={rows.default}']
    for agent in reversed(rows.agents):
        regex = f"m#{agent_regex(agent.text)}#i"
        lines.append(f'SetEnvIfExpr "%{{HTTP_USER_AGENT}} =~ {regex}" {group}={agent.group}')
    for row in reversed(rows.paths):
        given = " ".join(setting(f"{rows.prefix}_{n}", row.values[n]) for n in rows.fields)
        if given:
            lines.append(f'SetEnvIfExpr "{condition_of(row, group)}" {given}')
    return lines


def setting(name: str, value: str) -> str:
    """Return what sets a variable; an empty value would be read as 1, and `!` removes it."""
    return quoted(f"{name}={value}") if value else f"!{name}"


def condition_of(row: PathRow, group: str) -> str:
    """Return the condition of a row; a `$` of a path is the space before the version."""
    regexes = (f"{path_regex(path).removesuffix('$')}{end_of(path)}" for path in row.paths)
    matches = (f"{TARGET}{regex.replace('.*', '[^ ]*')}#" for regex in regexes)
    return " && ".join([f"reqenv('{group}') == '{row.group}'", *matches])


def end_of(path: str) -> str:
    """Return what stands behind the end of a path in the first line of a request."""
    return "(?= )" if path.endswith("$") else ""


def files(said: Rendered, root: str) -> list[str]:
    """Return the files; before a ProxyPass of the whole site, exclude them with `!`."""
    lines = [f'<Directory "{root}">', "    Require all granted", "</Directory>"]
    for path, file in said.files.items():
        lines += [
            f'Alias "{path}" "{root}{path}"',
            f'<Location "{path}">',
            f'    ForceType "{file.content_type}"',
            "    <IfModule mod_expires.c>",
            "        ExpiresActive On",
            f'        ExpiresDefault "access plus {said.policy.max_age} seconds"',
            "    </IfModule>",
            f'    Header set Cache-Control "public, max-age={said.policy.max_age}"',
            "</Location>",
        ]
    return lines
