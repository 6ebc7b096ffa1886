"""The snippet for nginx: maps for `http`, fields and files for `server`.

Source: nginx.org, ngx_http_map_module, ngx_http_headers_module.
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

__all__ = ["nginx"]


def nginx(said: Rendered, folder: str) -> dict[str, str]:
    """Return the snippet for nginx.

    Args:
        said: The rendered policy of a host.
        folder: The folder with its files, as the server sees it.

    Raises:
        WrongValueError: A configuration cannot name the folder.

    """
    rows, root = server_rows(said), checked_folder(folder)
    return {
        "gate-http.conf": "\n".join(maps(rows)) + "\n",
        "gate-server.conf": "\n".join(server(said, rows, root)) + "\n",
    }


def maps(rows: ServerRows) -> list[str]:
    """Return the maps: from User-Agent to group, from group and path to each field."""
    lines = [
        "# For the http block; written by goodbot gate. Paths are compared as they are written: a",
        "# request for /b/../a, //a or /%61 has the fields of that, and is served the page /a.",
        "",
    ]
    lines += [f"map $http_user_agent ${rows.prefix}_group {{", f"    default {rows.default};"]
    lines += [f'    "~*{agent_regex(row.text)}" {row.group};' for row in rows.agents]
    lines.append("}")
    for number in rows.fields:
        source, target = f"${rows.prefix}_group $request_uri", f"${rows.prefix}_{number}"
        lines += ["", f'map "{source}" {target} {{', '    default "";']
        lines += [f'    "~{row_regex(row)}" {quoted(row.values[number])};' for row in rows.paths]
        lines.append("}")
    return lines


def row_regex(row: PathRow) -> str:
    """Return the regular expression of a row: its group, a space, and all its paths."""
    *others, last = row.paths
    ahead = "".join(f"(?={path_regex(path)})" for path in others)
    return f"^{row.group} {ahead}{path_regex(last)}"


def server(said: Rendered, rows: ServerRows, root: str) -> list[str]:
    """Return the fields and the files.

    A location with an `add_header` of its own does not inherit those of its server.
    """
    lines = [
        "# For the server block, and for each location with an add_header of its own; written by",
        "# goodbot gate.",
        "",
    ]
    lines += [f"add_header {FIELDS[n]} ${rows.prefix}_{n} always;" for n in rows.fields]
    if rows.vary:
        lines.append("add_header Vary User-Agent always;")
    for path, file in said.files.items():
        lines += [
            f"location = {path} {{",
            f'    root "{root}";',
            "    types { }",
            f'    default_type "{file.content_type}";',
            f"    expires {said.policy.max_age}s;",  # both Expires and Cache-Control
            "}",
        ]
    return lines
