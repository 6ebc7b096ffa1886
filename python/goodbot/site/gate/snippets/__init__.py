"""Snippets for web servers, written from the same policy: nginx, Apache and Caddy.

A snippet maps User-Agents to groups, and a group and a path to header fields; it serves the
files of `goodbot gate render --out`. It is for one host, and must be written again when a rule
begins or ends.
"""

from goodbot.site.gate.snippets.apache import apache
from goodbot.site.gate.snippets.caddy import caddy
from goodbot.site.gate.snippets.nginx import nginx
from goodbot.site.gate.snippets.server_rows import SnippetFiles

__all__ = ["SERVERS", "SnippetFiles", "apache", "caddy", "nginx"]

SERVERS = {"apache": apache, "caddy": caddy, "nginx": nginx}
"""The writer of each server's snippet, by its name."""
