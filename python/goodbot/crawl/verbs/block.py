"""`goodbot robot block`: sites and URLs that a robot must never visit, and why."""

import getpass
import json
import sys
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import click

import goodbot
from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer, Styled
from goodbot.cli.shared.verb_groups import VerbGroup
from goodbot.http.amounts import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from goodbot.policy.holds import Hold, HoldKind
    from goodbot.store import HoldKeeper

__all__ = ["block"]

BY = click.option("--by", metavar="NAME", help="Who decided it; your user name by default.")


@click.group(cls=VerbGroup, no_args_is_help=True)
def block() -> None:
    """Block sites and URLs, so that the robot never visits them.

    \b
    Examples:
      goodbot robot block add shop https://a.example --why "they asked us by mail not to come"
      goodbot robot block add shop "https://b.example/members*" --why "a trap"
      goodbot robot block list shop
      goodbot robot block remove shop https://a.example

    A block and its reason are stored in the folder of a crawl, or in the store of a robot (--store
    of other commands). No request is made to a blocked site, not even for its robots.txt.
    """  # noqa: D301  click looks for the character that \b is


@block.command("add", no_args_is_help=True)
@click.argument("where", metavar="DIR|STORE")
@click.argument("place", metavar="URL|ORIGIN")
@click.option(
    "--why", required=True, metavar="TEXT", help="The reason, for the evidence and for colleagues."
)
@BY
def add(where: str, place: str, why: str, by: str | None) -> ExitStatus:
    """Block a site or a URL, and remove its pages from the crawl in DIR.

    \b
    Examples:
      goodbot robot block add shop https://a.example --why "they asked us by mail not to come"
      goodbot robot block add shop "https://b.example/members*" --why "a trap"

    An origin, or the URL of its first page, blocks the whole site. Another URL blocks that page,
    or with a * at its end, every URL that begins with it. The pages are removed from the index and
    the archive; the evidence is kept and names who decided. A running crawl obeys within a second.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.folder.orders import Order  # noqa: PLC0415
    from goodbot.crawl.run.ordering import (  # noqa: PLC0415  slow to load, and for this only
        carry_out,
        compact,
    )
    from goodbot.policy.holds import Hold  # noqa: PLC0415

    who = user_name() if by is None else by
    hold = Hold.of(place, "block", why=why, by=who, at=datetime.now(timezone.utc))
    printer = Printer(sys.stdout)
    if is_store(where):
        with opened_keeper(where) as store:
            store.keep_hold(hold)
        printer.prose(f"{hold}.")
        return ExitStatus.ALLOWED
    concerned = carry_out(where, Order("block", place, hold.at, why, who))
    compact(where)
    removed = "" if concerned is None else f" Removed from the crawl: {counted(concerned, 'URL')}."
    printer.prose(f"{hold}.{removed}")
    return ExitStatus.ALLOWED


@block.command("list", no_args_is_help=True)
@click.argument("where", metavar="DIR|STORE")
@options.as_json("one object per line")
def list_holds(where: str, *, as_json: bool) -> ExitStatus:
    """List blocked and paused sites and URLs: since when, by whom, and why.

    \b
    Example:
      goodbot robot block list shop
    """  # noqa: D301  click looks for the character that \b is
    printer = Printer(sys.stdout)
    found = holds_in(where)
    for hold in found:
        if as_json:
            printer.line(json.dumps(hold.as_dict()))
        else:
            printer.line(Styled(hold.scope, "heading"), str(hold).removeprefix(hold.scope))
    if not found and not as_json:
        printer.line("Nothing is blocked or paused.")
    return ExitStatus.ALLOWED


@block.command("remove", no_args_is_help=True)
@click.argument("where", metavar="DIR|STORE")
@click.argument("place", metavar="URL|ORIGIN")
def remove(where: str, place: str) -> ExitStatus:
    """Remove a block, so that the URLs are visited again.

    \b
    Example:
      goodbot robot block remove shop https://a.example

    Exit status: 0 the block is removed, 1 there was no such block.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.policy.holds import scope_of  # noqa: PLC0415  slow to load, and for this only

    return lift(where, scope_of(place)[1], "block")


def user_name() -> str:
    """Return the name of the user; empty if the system has none."""
    with suppress(OSError, KeyError, ImportError):
        return getpass.getuser()
    return ""


def lift(where: str, scope: str, kind: "HoldKind") -> ExitStatus:
    """Remove a block or a pause, and report it."""
    from goodbot.crawl.folder.orders import Order  # noqa: PLC0415
    from goodbot.crawl.run.ordering import carry_out  # noqa: PLC0415  slow to load

    printer = Printer(sys.stdout)
    state = {"block": "blocked", "pause": "paused"}[kind]
    if not any((hold.scope, hold.kind) == (scope, kind) for hold in holds_in(where)):
        command = suggest(where, verb="robot block list")
        printer.prose(f"{scope} is not {state}. To list blocks and pauses: {command}")
        return ExitStatus.DISALLOWED
    if is_store(where):
        with opened_keeper(where) as store:
            store.lift_hold(scope, kind)
    else:
        do = "unblock" if kind == "block" else "resume"
        carry_out(where, Order(do, scope, datetime.now(timezone.utc)))  # type: ignore[arg-type]
    printer.prose(f"{scope} is no longer {state}.")
    return ExitStatus.ALLOWED


def holds_in(where: str) -> "list[Hold]":
    """Return the blocks and pauses in a folder or a store."""
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415  slow to load

    if is_store(where):
        with opened_keeper(where) as store:
            return list(store.holds())
    with open_readonly(where) as database:
        return database.store.holds()


@contextmanager
def opened_keeper(where: str) -> "Iterator[HoldKeeper]":
    """Open a store that keeps decisions, and close it at the end.

    Raises:
        MisuseError: It keeps none.
        StoreError: It cannot be opened.

    """
    from goodbot.store import HoldKeeper  # noqa: PLC0415  slow to load
    from goodbot.store.opening import opened_store, store_name  # noqa: PLC0415  as above

    with opened_store(where) as store:
        if not isinstance(store, HoldKeeper):
            message = (
                f"the store {store_name(where)} keeps no decisions of an operator: it lacks the "
                "methods of goodbot.store.HoldKeeper; name another store, or the folder of a crawl"
            )
            raise goodbot.MisuseError(message)
        yield store


def is_store(where: str) -> bool:
    """Return whether a text names a store, not the folder of a crawl.

    Raises:
        MisuseError: It is a path that does not exist, or a store that ends with this command.

    """
    from goodbot.store.opening import is_lasting, store_file  # noqa: PLC0415  slow to load

    file = store_file(where)
    if not is_lasting(where):
        message = (
            f"{where} ends with this command; name the folder of a crawl, or a store that other "
            "programs use"
        )
        raise goodbot.MisuseError(message)
    if file is None:
        return True
    path = Path(file)
    if not path.exists():
        message = (
            f"{where} does not exist; name the folder of a crawl, or the file of a store that "
            "goodbot check --store created"
        )
        raise goodbot.MisuseError(message)
    return not path.is_dir()
