"""`goodbot gate`: write, check and look at what a declared policy says to robots."""

import json
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import click

import goodbot
from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.options import OneRobotOption
from goodbot.cli.shared.printing import Printer, Styled
from goodbot.cli.shared.verb_groups import VerbGroup
from goodbot.files.file_input import read_input
from goodbot.http.amounts import counted

if TYPE_CHECKING:
    from goodbot.site.gate import GatePolicy, Rendered

__all__ = ["gate"]

host_option = click.option(
    "--host", metavar="HOST", help="One of the hosts of the policy; by default that of its site."
)
at_option = click.option(
    "--at",
    "at",
    metavar="TIME",
    help="The date or time, such as 2026-12-01, for rules with dates; by default now.",
)
PORT = 8765
ROBOTS_TXT = "/robots.txt"


@click.group(cls=VerbGroup, no_args_is_help=True)
def gate() -> None:
    """Write robots.txt, header fields and licences from one declared policy.

    \b
    Examples:
      goodbot gate render gate.toml
      goodbot gate render gate.toml --out site
      goodbot gate check gate.toml
      goodbot gate serve gate.toml

    The reference has the keys of a policy, on the page of the gate. Middleware for ASGI, WSGI and
    Django serves the same policy.
    """  # noqa: D301  click looks for the character that \b is


@gate.command(no_args_is_help=True)
@click.argument("policy", metavar="POLICY")
@host_option
@at_option
@click.option("--file", "path", metavar="PATH", help="Print this file, such as /license.xml.")
@click.option("--url", metavar="PATH", help="Print the header fields and META of a path.")
@click.option(
    "-r",
    "--robot",
    cls=OneRobotOption,
    metavar="NAME",
    default="*",
    help="The robot that asks for --url.",
)
@click.option("-o", "--out", metavar="FOLDER", help="Write all files below this folder.")
def render(
    policy: str,
    host: str | None,
    at: str | None,
    path: str | None,
    url: str | None,
    robot: str,
    out: str | None,
) -> ExitStatus:
    """Print robots.txt, or another document of a policy.

    \b
    Examples:
      goodbot gate render gate.toml
      goodbot gate render gate.toml --file /.well-known/tdmrep.json
      goodbot gate render gate.toml --url /articles/1 --robot GPTBot
      goodbot gate render gate.toml --at 2027-01-01 --out site

    POLICY is a file of TOML, or - for standard input.

    Exit status: 0 the document is printed or written, 2 there is no result.
    """  # noqa: D301  click looks for the character that \b is
    if sum(one is not None for one in (path, url, out)) > 1:
        message = "--file, --url and --out are three results; use one of them"
        raise goodbot.MisuseError(message)
    if url is not None and not url.startswith("/"):
        message = (
            f"--url {url[:80]} is not a path; write it as /articles/1, and name the host by --host"
        )
        raise goodbot.MisuseError(message)
    said = rendered(read_gate(policy), host, time_at(at))
    printer = Printer(sys.stdout)
    if out is not None:
        write_files(said, Path(out), printer)
    elif url is not None:
        print_page(said, url, robot, printer)
    else:
        print_file(said, path or ROBOTS_TXT, printer)
    return ExitStatus.ALLOWED


@gate.command(no_args_is_help=True)
@click.argument("policy", metavar="POLICY")
@host_option
@at_option
@options.as_json("one object per line, for each finding")
def check(policy: str, host: str | None, at: str | None, *, as_json: bool) -> ExitStatus:
    """Check a policy: is it valid, and which robots does it not reach?

    \b
    Examples:
      goodbot gate check gate.toml
      goodbot gate check gate.toml --at 2027-01-01 --json

    POLICY is a file of TOML, or - for standard input. Without --host, every host of the policy is
    checked. 'goodbot gate render' and 'goodbot lint' together check the robots.txt as well.

    Exit status: 0 there is no finding, 1 there are some, 2 the policy is not valid.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.site.gate import check_gate  # noqa: PLC0415  slow to load, and for this verb only

    read, now = read_gate(policy), time_at(at)
    found = check_gate(read, now=now, host=checked_host(read, host))
    printer = Printer(sys.stdout)
    for one in found:
        if as_json:
            printer.line(json.dumps(one.as_dict()))
        else:
            printer.prose(str(one))
    if not as_json:
        text = counted(len(found), "finding") if found else "The policy is valid, without findings."
        printer.line(Styled(text, "disallowed" if found else "allowed"))
    return ExitStatus.DISALLOWED if found else ExitStatus.ALLOWED


@gate.command(no_args_is_help=True)
@click.argument("policy", metavar="POLICY")
@click.argument("server", metavar="SERVER", type=click.Choice(["apache", "caddy", "nginx"]))
@click.option(
    "--files",
    metavar="FOLDER",
    required=True,
    help="The folder of 'goodbot gate render --out', as the server sees it.",
)
@host_option
@at_option
@click.option("-o", "--out", metavar="FOLDER", help="Write the snippet into this folder.")
def snippet(
    policy: str, server: str, files: str, host: str | None, at: str | None, out: str | None
) -> ExitStatus:
    """Write the configuration with which nginx, Apache or Caddy serves a policy.

    \b
    Examples:
      goodbot gate snippet gate.toml nginx --files /srv/gate
      goodbot gate snippet gate.toml caddy --files /srv/gate --out /etc/caddy

    POLICY is a file of TOML, or - for standard input; SERVER is apache, caddy or nginx. Write it
    again after each change of the policy and at each date of a rule.

    Exit status: 0 the snippet is printed or written, 2 there is no result.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.site.gate.snippets import SERVERS  # noqa: PLC0415  slow to load, and for this verb only

    written = SERVERS[server](rendered(read_gate(policy), host, time_at(at)), files)
    printer = Printer(sys.stdout)
    for name, text in written.items():
        if out is None:
            lines = (f"# {name}", *text.splitlines())
        else:
            lines = (write_whole(Path(out), name, text.encode("ascii")),)
        for line in lines:
            printer.line(line)
    return ExitStatus.ALLOWED


@gate.command(no_args_is_help=True)
@click.argument("policy", metavar="POLICY")
@click.option(
    "--bind", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="Listen here."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=PORT,
    show_default=True,
    help="Listen on this port; 0 picks a free one.",
)
def serve(policy: str, bind: str, port: int) -> ExitStatus:
    """Serve the files of a policy, to look at them in a browser.

    \b
    Examples:
      goodbot gate serve gate.toml
      goodbot gate serve gate.toml --port 9000

    The Host of a request chooses the host of the policy; every other one is that of the site. Stop
    it with Ctrl-C. It is not made for the public: use a middleware or your web server for that.

    Exit status: 2 it cannot be served, 130 it was stopped.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.site.gate.serving import gate_server  # noqa: PLC0415  for this verb only

    read = read_gate(policy)
    try:
        listening = gate_server(read, bind, port)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        message = (
            f"it is not possible to listen on {bind}, port {port} ({reason}); choose another one "
            "with --port or --bind"
        )
        raise goodbot.MisuseError(message) from error
    with listening as server:
        shown = f"[{bind}]" if ":" in bind else bind
        at = f"http://{shown}:{server.server_address[1]}{ROBOTS_TXT}"
        warnings.note(f"serving {at} until you press Ctrl-C")
        server.serve_forever()
    return ExitStatus.ALLOWED


def read_gate(source: str) -> "GatePolicy":
    """Return the policy of a file, or of standard input."""
    from goodbot.site.gate import read_policy  # noqa: PLC0415  slow to load, and for this verb only

    return read_policy(read_input(source), source)


def rendered(policy: "GatePolicy", host: str | None, now: datetime) -> "Rendered":
    """Return what a host says at a time."""
    from goodbot.site.gate import render as render_policy  # noqa: PLC0415  slow to load, for this verb

    return render_policy(policy, now=now, host=checked_host(policy, host))


def checked_host(policy: "GatePolicy", host: str | None) -> str | None:
    """Return a host that the policy is about.

    Raises:
        MisuseError: It is about others.

    """
    if host is not None and host not in policy.hosts:
        message = f"the policy has no host {host[:80]}; it has {', '.join(policy.hosts)}"
        raise goodbot.MisuseError(message)
    return host


def time_at(text: str | None) -> datetime:
    """Return the time of --at; now, if it is absent. A time without a zone is in UTC."""
    if text is None:
        return datetime.now(timezone.utc)
    try:
        time = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError as error:
        message = f"--at {text[:40]} is no time; write 2026-12-01 or 2026-12-01T12:00:00Z"
        raise goodbot.MisuseError(message) from error
    return time if time.tzinfo is not None else time.replace(tzinfo=timezone.utc)


def print_file(said: "Rendered", path: str, printer: Printer) -> None:
    """Print one file."""
    file = said.files.get(path)
    if file is None:
        message = f"the policy has no file {path}; it has {', '.join(said.files)}"
        raise goodbot.MisuseError(message)
    for line in file.body.decode().splitlines():
        printer.line(line)


def print_page(said: "Rendered", path: str, robot: str, printer: Printer) -> None:
    """Print the header fields and the META element of a page."""
    for name, value in said.headers(path, robot):
        printer.line(f"{name}: {value}")
    meta = said.meta(path, robot)
    if meta:
        printer.line(meta)


def write_files(said: "Rendered", folder: Path, printer: Printer) -> None:
    """Write every file below a folder."""
    for path, file in said.files.items():
        printer.line(write_whole(folder, path.lstrip("/"), file.body))


def write_whole(folder: Path, name: str, content: bytes) -> str:
    """Write a file, and return its path. Half a robots.txt would allow what the other half forbids.

    The user names the folder, which may be a link. Links below it are not followed: one that stands
    for the file is replaced.

    Raises:
        MisuseError: A folder is a file, or one below that of the user is a link.
        StoreError: It cannot be written; what was there stays.

    """
    from goodbot.files.atomic_file import atomic_file  # noqa: PLC0415  slow to load

    path = folder / name
    for parent in path.parents:
        if parent == folder:
            break
        if parent.is_symlink():
            message = f"{parent} is a link, which is not followed; remove it, or name another --out"
            raise goodbot.MisuseError(message)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        message = f"{path.parent} is a file; name a folder with --out"
        raise goodbot.MisuseError(message) from error
    with atomic_file(path, follow=False) as file:
        file.write(content)
    return str(path)
