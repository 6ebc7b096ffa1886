"""`goodbot serve`: answers to programs in any language."""

import asyncio
import gc
import ipaddress
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

import goodbot
from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.options import SiteOptions
from goodbot.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from goodbot.robot import Store
    from goodbot.service import Service

__all__ = ["serve"]

PORT = 8470
NEXT_TRY = 0.01
"""Seconds until it is tried again whether the server listens."""
OBJECTS = 10_000
"""How many objects more than before make Python search for cycles among the new ones."""
PATIENCE = 5.0
"""Seconds that a call waits for a store that is locked or gone; then the answer is 503, and the
client repeats its request."""
LONGEST_HEADER = 10
"""Seconds in which the header of a request must have arrived."""
LARGEST_HEADER = 48 * 1024
"""The most bytes of a header. That of a gateway has a URL and a robot of 16 KiB each."""
CONNECTIONS = 2_048
"""How many connections are served at once; their headers have 96 MiB together at most."""
LONGEST_END = 10
"""Seconds in which requests that are under way may end when the service is stopped."""
TOKEN = "GOODBOT_SERVE_TOKEN"  # noqa: S105  the name of a variable
TOKEN_FILE_BYTES = 4_096


@click.command()
@click.option(
    "-r",
    "--robot",
    cls=options.OneRobotOption,
    default="*",
    metavar="NAME",
    help="The robot that is asked about if a question names none; by default *, any robot that has "
    "no group of its own.",
)
@options.dialect
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="The address to listen on. One that other machines can reach needs --token-file "
    "or --client-ca.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=PORT,
    show_default=True,
    metavar="NUMBER",
    help="The port to listen on; 0 chooses one.",
)
@click.option(
    "--host-name",
    "host_names",
    multiple=True,
    metavar="NAME",
    help="A further host name by which the service may be addressed. Requests with any "
    "other in their field Host are refused. Repeatable.",
)
@click.option(
    "--token-file",
    metavar="FILE",
    help="Require the secret in this file, of at least 16 characters, in each request "
    f"(Authorization: Bearer SECRET). The variable {TOKEN} does the same.",
)
@click.option("--cert", metavar="FILE", help="Serve https with this certificate (PEM).")
@click.option("--key", metavar="FILE", help="The private key of --cert (PEM, PKCS #8).")
@click.option(
    "--client-ca",
    metavar="FILE",
    help="Require a client certificate that is signed by these authorities (PEM).",
)
@click.option(
    "--mcp",
    "assistants",
    is_flag=True,
    help="Serve tools for AI assistants at /mcp, too (Model Context Protocol, Streamable HTTP): "
    "may_fetch, and, if --robot, --info-url and --contact name a robot of your own, fetch.",
)
@options.site_options
@options.signing_option
def serve(
    robot: str,
    dialect: str,
    host: str,
    port: int,
    host_names: tuple[str, ...],
    token_file: str | None,
    cert: str | None,
    key: str | None,
    client_ca: str | None,
    identity: str | None,
    *,
    assistants: bool,
    **site: Any,  # noqa: ANN401  those of `options.site_options`
) -> ExitStatus:
    """Answer "may I fetch?" over HTTP, for programs in any language.

    \b
    Examples:
      goodbot serve --store robots.db
      curl 'http://127.0.0.1:8470/v1/verdicts?robot=ExampleBot&url=https%3A%2F%2Fexample.com%2Fa'

    A verdict comes with its reason, the line that decides, and until when it holds. robots.txt is
    fetched once for each site, however many ask; nothing else is fetched. With --store, answers
    outlast the service, and everything that uses the store shares one pace for each site.

    Only this machine can reach the service, and no web page that a browser on it shows.

    Exit status: 0 it was stopped, 2 it could not start.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.missing import needs  # noqa: PLC0415  only this verb needs it

    with needs("serve"):
        import granian  # noqa: PLC0415  slow to load, and an extra
        from granian.constants import HTTPModes, Interfaces  # noqa: PLC0415
        from granian.http import HTTP1Settings  # noqa: PLC0415  as above
        from granian.log import LogLevels  # noqa: PLC0415

    token = read_token(token_file)
    check_exposure(host, is_guarded=token is not None or client_ca is not None)
    check_certificates(cert, key, client_ca)
    scheme = "http" if cert is None else "https"
    shown = f"[{host}]" if ":" in host else host
    names = (*names_of(host), *host_names)
    with reserved_port(host, port) as reserved:
        maker = ServiceMaker(
            robot,
            dialect,
            SiteOptions(**site),
            names,
            token,
            f"{scheme}://{shown}:{reserved}",
            identity,
            assistants=assistants,
        )
        server = granian.Granian(
            "goodbot.service",
            address=host,
            port=reserved,
            interface=Interfaces.ASGI,
            http=HTTPModes.http1,
            http1_settings=HTTP1Settings(
                header_read_timeout=LONGEST_HEADER * 1_000, max_buffer_size=LARGEST_HEADER
            ),
            websockets=False,
            backpressure=CONNECTIONS,
            backlog=2_048,
            log_level=LogLevels.error,
            workers_kill_timeout=LONGEST_END,
            ssl_cert=None if cert is None else Path(cert),
            ssl_key=None if key is None else Path(key),
            ssl_ca=None if client_ca is None else Path(client_ca),
            ssl_client_verify=client_ca is not None,
        )
        with TemporaryDirectory(prefix="goodbot-serve-") as folder:
            maker = replace(maker, folder=folder)
            with ExitStack() as files:
                maker.make(files)  # raises here, not in the process that serves
            server.serve(target_loader=maker)
    return ExitStatus.ALLOWED


def collect_seldom() -> None:
    """Make Python search for cycles seldom, and not in what is loaded already.

    What requests leave behind has few: searching as often as usual takes a tenth of the time.
    """
    gc.freeze()
    gc.set_threshold(OBJECTS, 20, 20)


@dataclass(frozen=True)
class ServiceMaker:
    """Makes the service in the process that serves."""

    robot: str
    dialect: str
    site_options: SiteOptions
    names: tuple[str, ...]
    token: str | None
    address: str
    signing: str | None = None
    """The folder of the identity by which its requests are signed."""
    folder: str = ""
    """Where the store is if none is named: on disk, so that memory has a bound."""
    assistants: bool = False
    """Whether AI assistants find tools."""
    _files: ExitStack = field(default_factory=ExitStack, compare=False)
    """Keeps its store open."""
    _announcing: "list[asyncio.Future[None]]" = field(default_factory=list, compare=False)
    """Keeps the task that announces it."""

    def __call__(self, *_arguments: object, **_options: object) -> "Service":
        """Return the service, whose store stays open until the process ends."""
        service = self.make(self._files)
        collect_seldom()
        return service

    def make(self, files: ExitStack) -> "Service":
        """Return the service; what it opens is closed with `files`.

        Raises:
            MisuseError: An option is wrong.
            MissingExtraError: A library is not installed.
            StoreError: The store cannot be opened.

        """
        from goodbot.cli.shared.identity import identity_for_robots_txt  # noqa: PLC0415  slow to load
        from goodbot.robot import Robot, RobotsTxtReader  # noqa: PLC0415  as above
        from goodbot.service import Service  # noqa: PLC0415  as above
        from goodbot.store import SQLiteStore  # noqa: PLC0415  as above
        from goodbot.store.opening import opened_store  # noqa: PLC0415  as above

        given = self.site_options
        warnings.of_name(
            [options.obeyed_rules(goodbot.RobotsTxt(b"", dialect=self.dialect), self.robot)]
        )
        if given.store is None:
            own = SQLiteStore(Path(self.folder) / "robots.db", durable=False)
            store: Store = files.enter_context(own)
        else:
            store = files.enter_context(opened_store(given.store, patience=PATIENCE))
        identity = identity_for_robots_txt(given)
        has_robot = self.assistants and self.robot != "*" and all((given.info_url, given.contact))
        make_reader = partial(Robot, self.robot) if has_robot else RobotsTxtReader
        reader = make_reader(
            info_url=identity.info_url,
            contact=identity.contact,
            store=store,
            dialect=self.dialect,
            allow_private=given.allow_private,
            allow_networks=given.allow_network,
            timeout=given.seconds,
            identity=self.signing,
        )
        return Service(
            reader,
            name=self.robot,
            hosts=self.names,
            token=self.token,
            on_open=self.announce,
            assistants=self.assistants,
        )

    def announce(self) -> None:
        """Print where the service is, once it listens there."""
        self._announcing.append(asyncio.ensure_future(self._announce()))

    async def _announce(self) -> None:
        """Connect until the server accepts: it opens the service before it listens."""
        parts = urlsplit(self.address)
        while True:
            try:
                _, writer = await asyncio.open_connection(parts.hostname, parts.port)
            except OSError:
                await asyncio.sleep(NEXT_TRY)
                continue
            writer.close()
            sys.stdout.write(f"Listening on {self.address}\n")
            sys.stdout.flush()
            return


def read_token(file: str | None) -> str | None:
    """Return the secret that each request must have; `None` if there is none.

    Raises:
        MisuseError: The file cannot be read.

    """
    if file is None:
        return os.environ.get(TOKEN) or None
    try:
        with Path(file).open(encoding="ascii") as text:
            return text.read(TOKEN_FILE_BYTES).strip()
    except (OSError, ValueError) as error:
        message = f"the token cannot be read from {file} ({error}); name a readable file of ASCII"
        raise goodbot.MisuseError(message) from error


def check_exposure(host: str, *, is_guarded: bool) -> None:
    """Refuse to let other machines in without a secret or a certificate.

    Raises:
        MisuseError: They could come in; or the address is none.

    """
    try:
        is_loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        message = f"--host is an address such as 127.0.0.1, and {host} is none; write its address"
        raise goodbot.MisuseError(message) from None
    if not is_loopback and not is_guarded:
        message = (
            f"other machines can reach {host}; add --token-file FILE, or --cert, --key and "
            "--client-ca for client certificates"
        )
        raise goodbot.MisuseError(message)


def check_certificates(cert: str | None, key: str | None, client_ca: str | None) -> None:
    """Refuse half a set of certificates.

    Raises:
        MisuseError: One is missing, or a file cannot be read.

    """
    if (cert is None) != (key is None) or (client_ca is not None and cert is None):
        message = "https needs both --cert and --key, also for --client-ca; add what is missing"
        raise goodbot.MisuseError(message)
    for file in (cert, key, client_ca):
        if file is not None and not os.access(file, os.R_OK):
            message = f"{file} cannot be read; name a file in PEM that this user may read"
            raise goodbot.MisuseError(message)


@contextmanager
def reserved_port(host: str, port: int) -> Iterator[int]:
    """Yield the port; one that is free for 0, which no other program gets meanwhile.

    On Linux, granian's sockets share their port (SO_REUSEPORT), so one of ours may keep it.

    Raises:
        MisuseError: It cannot be listened on.

    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    keeps = port == 0 and sys.platform == "linux"
    with socket.socket(family) as probe:
        option = socket.SO_REUSEPORT if keeps else socket.SO_REUSEADDR
        probe.setsockopt(socket.SOL_SOCKET, option, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            message = (
                f"{host} port {port} cannot be listened on ({error.strerror}); end what uses it, "
                "or choose another --port"
            )
            raise goodbot.MisuseError(message) from error
        found: int = probe.getsockname()[1]
        if not keeps:
            probe.close()
        yield found


def names_of(host: str) -> tuple[str, ...]:
    """Return the names in Host by which an address is meant.

    >>> names_of("127.0.0.1")
    ('127.0.0.1', 'localhost')
    >>> names_of("::1"), names_of("192.0.2.1")
    (('[::1]', 'localhost'), ('192.0.2.1',))
    """
    shown = f"[{host}]" if ":" in host else host
    return (shown, "localhost") if ipaddress.ip_address(host).is_loopback else (shown,)
