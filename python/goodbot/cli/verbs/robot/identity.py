"""`goodbot robot identity`: the keys by which a robot proves who it is."""

import asyncio
import json
import shlex
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import click

from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.verb_groups import VerbGroup
from goodbot.errors import MisuseError

if TYPE_CHECKING:
    from goodbot.live.identity_check import IdentityCheck
    from goodbot.robot.signing_identity import SigningIdentity

__all__ = ["identity"]

FOLDER = click.argument("folder", metavar="FOLDER")


@click.group(cls=VerbGroup, no_args_is_help=True)
def identity() -> None:
    """Make and publish the keys by which your robot signs its requests.

    \b
    Examples:
      goodbot robot identity new me --url https://example.com/keys.json
      goodbot robot identity publish me --out keys.json
      goodbot robot identity check me
      goodbot crawl https://example.com/ --robot ExampleBot/1.0 --identity me --out shop

    Requires pip install 'goodbot[signatures]'. The private keys are in FOLDER, in files that only
    you may read. Sites verify signatures by the public keys, which you publish at the URL: Web Bot
    Auth (RFC 9421, draft-ietf-webbotauth-httpsig-protocol-01).
    """  # noqa: D301  click looks for the character that \b is


@identity.command("new", no_args_is_help=True)
@FOLDER
@click.option(
    "--url",
    required=True,
    cls=options.OnceOption,
    metavar="URL",
    help="The URL at which you will publish the keys, of https.",
)
@click.option(
    "--profile",
    type=click.Choice(("key-set", "origin", "string")),
    default="key-set",
    show_default=True,
    help="The form of Signature-Agent: of the newest draft, or one of the earlier ones, for which "
    "the keys are at /.well-known/http-message-signatures-directory.",
)
def new(folder: str, url: str, profile: str) -> ExitStatus:
    """Make an identity: two keys for requests, one of them for later, and one for archives.

    \b
    Example:
      goodbot robot identity new me --url https://example.com/keys.json

    All are published from the start, so that verifiers know the next key when it begins to sign.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.robot.signing_identity import SigningIdentity  # noqa: PLC0415  slow to load

    if Path(folder).exists():
        message = f"{folder} exists; name a new folder, or use 'goodbot robot identity rotate'"
        raise MisuseError(message)
    made = SigningIdentity.new(url, datetime.now(timezone.utc), profile)
    made.write(folder)
    printer = Printer(sys.stdout)
    printer.prose(
        f"The identity is in {folder}. Publish its keys at {url} before you use it: 'goodbot robot "
        f"identity publish {folder}' prints them."
    )
    return ExitStatus.ALLOWED


@identity.command("show", no_args_is_help=True)
@FOLDER
@options.as_json("one object")
def show(folder: str, *, as_json: bool) -> ExitStatus:
    """Show the URL and the keys of an identity; never a private key."""
    from goodbot.http.instants import format_time  # noqa: PLC0415  slow to load
    from goodbot.robot.signing_identity import STATES, SigningIdentity  # noqa: PLC0415  likewise

    found, printer = SigningIdentity.read(folder), Printer(sys.stdout)
    if as_json:
        rows = [
            {"key": one.key.thumbprint, "state": one.state, "since": one.since.isoformat()}
            for one in found.keys
        ]
        key = None if found.archive_key is None else found.archive_key.thumbprint
        shown = {"url": found.url, "profile": found.profile, "keys": rows, "archive_key": key}
        printer.line(json.dumps(shown))
        return ExitStatus.ALLOWED
    printer.line(f"{found.url} (profile {found.profile})")
    for one in found.keys:
        since = format_time(one.since)
        printer.line(f"{one.state:<8} {one.key.thumbprint}  since {since}: {STATES[one.state]}")
    if found.archive_key is not None:
        printer.line(f"{'archive':<8} {found.archive_key.thumbprint}  signs archives and records")
    return ExitStatus.ALLOWED


@identity.command("rotate", no_args_is_help=True)
@FOLDER
@click.option(
    "--at-once",
    is_flag=True,
    help="Let the next key sign although verifiers may not know it, and no longer publish the one "
    "that signed so far: for a key that is not safe.",
)
def rotate(folder: str, *, at_once: bool) -> ExitStatus:
    """Make the next key the one that signs, and make another next one. Publish the keys afterwards.

    The next key must have been published for a day, so that every verifier knows it; the one that
    signed so far stays published for a day.
    """
    from goodbot.robot.signing_identity import SigningIdentity  # noqa: PLC0415  slow to load

    found = SigningIdentity.read(folder).rotate(datetime.now(timezone.utc), at_once=at_once)
    found.write(folder)
    Printer(sys.stdout).prose(
        f"{found.signer.key.thumbprint} signs from now on. Publish the keys at {found.url}: "
        f"'goodbot robot identity publish {shlex.quote(folder)}' prints them."
    )
    return ExitStatus.ALLOWED


@identity.command("publish", no_args_is_help=True)
@FOLDER
@click.option(
    "--out", cls=options.OnceOption, metavar="FILE", help="Write the keys to FILE instead."
)
@click.option(
    "--fields",
    is_flag=True,
    help="Print the header fields to serve the keys with, among them the signatures that prove "
    "that you have them. They hold for a day.",
)
def publish(folder: str, out: str | None, *, fields: bool) -> ExitStatus:
    """Print the public keys as a JSON Web Key Set, to be served at the URL of the identity.

    \b
    Examples:
      goodbot robot identity publish me > keys.json
      goodbot robot identity publish me --fields

    Serve exactly these bytes, with status 200 and without a redirect.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.files.atomic_file import atomic_file  # noqa: PLC0415  slow to load
    from goodbot.robot.signing_identity import SigningIdentity  # noqa: PLC0415  likewise

    found = SigningIdentity.read(folder)
    if fields:
        for name, value in found.served(datetime.now(timezone.utc))[0]:
            click.echo(f"{name}: {value}")
    elif out is None:
        click.echo(found.published(), nl=False)
    else:
        with atomic_file(out) as file:
            file.write(found.published())
    return ExitStatus.ALLOWED


@identity.command("check", no_args_is_help=True)
@FOLDER
@click.argument("url", metavar="[URL]", required=False)
@click.option(
    "--allow-private",
    is_flag=True,
    help="Allow requests to this computer and to private networks, for your own servers.",
)
def check(folder: str, url: str | None, *, allow_private: bool) -> ExitStatus:
    """Check that the keys are published, and which form of signature a site accepts.

    \b
    Examples:
      goodbot robot identity check me
      goodbot robot identity check me https://example.com/

    The keys are fetched from the URL of the identity, as a verifier does. With URL, that page is
    requested without a signature and once in each form that fits the identity, and the statuses are
    shown: it is for a site of your own, or one that invites such requests. A form is accepted if
    the site serves with it what it refuses without a signature.

    Exit status: 0 the keys are published, 1 they are not, or the site refused every form, 2 there
    is no result.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.robot.signing_identity import SigningIdentity  # noqa: PLC0415  slow to load

    mine, printer = SigningIdentity.read(folder), Printer(sys.stdout)
    found = asyncio.run(checked(mine, url, private=allow_private))
    if found.keys.keys is None:
        printer.prose(f"{mine.url}: {found.keys.why}. Publish the keys there.")
    elif found.missing:
        names = ", ".join(f"{one} ({mine.thumbprints[one]})" for one in found.missing)
        printer.prose(f"{mine.url} lacks {names}. Publish the keys again.")
    else:
        printer.prose(f"{mine.url} has every key.")
    for one in found.answers:
        asked = " (signed as the site asked)" if one.is_as_asked else ""
        printer.line(f"{one.form or 'unsigned':<12} {one.status or one.failure}{asked}")
    if found.serves_anyone:
        printer.prose(
            f"{url} is served without a signature, too, so that it does not show which forms the "
            "site accepts."
        )
    elif found.answers:
        accepted = ", ".join(found.accepted) or "no form"
        printer.prose(f"The site accepts {accepted}.")
    is_ready = found.are_published and not found.is_refused
    return ExitStatus.ALLOWED if is_ready else ExitStatus.DISALLOWED


async def checked(mine: "SigningIdentity", url: str | None, *, private: bool) -> "IdentityCheck":
    """Return what the URL of the keys has, and what a site answers to each form."""
    from goodbot.live.identity_check import check_identity  # noqa: PLC0415  slow to load
    from goodbot.net import AiohttpFetcher, SystemClock  # noqa: PLC0415  an extra

    async with AiohttpFetcher(allow_private=private) as fetcher:
        return await check_identity(mine, fetcher, SystemClock(), url)
