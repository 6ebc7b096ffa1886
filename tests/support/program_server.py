"""A process that has loaded the program, and forks for each run of it; see `program`.

Its arguments are the numbers of two sockets: one at which it accepts connections, and one at whose
end it ends. Over a connection come requests: eight bytes with the length of a request, with four
descriptors (for answers, standard input, output and error), and the request.
"""

import array
import asyncio
import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, NoReturn

import goodbot.__main__
from goodbot.cli import main
from goodbot.net import SystemClock

LOADED = (
    "_strptime", "aiohttp", "encodings.utf_8_sig", "hmac", "pandas", "pyarrow.compute",
    "pyarrow.dataset", "pyarrow.pandas_compat", "pyarrow.parquet", "rich.table", "tomllib",
    "zipfile",
)  # fmt: skip
"""What the program loads from elsewhere while it runs."""
NOT_LOADED = (
    "goodbot.adapters", "goodbot.crawl.testing", "goodbot.tables.duckdb", "goodbot.tables.pandas",
    "goodbot.tables.polars", "goodbot.tables.pyarrow", "goodbot.tables.spark",
)  # fmt: skip
"""What the program does not load, but those who use the library beside another one."""
DESCRIPTORS = 4
LENGTH = 8
MOST_WOKEN = 4096
FLUSH_FAILED = 120
"""The exit status of an interpreter that cannot write its last output."""


def serve(accepting: socket.socket, life: socket.socket) -> None:
    """Fork for each request, and report the process and its status, until `life` is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the test run
    load_program()
    gc.freeze()
    woken, waking = socket.socketpair()
    waking.setblocking(False)  # noqa: FBT003  the standard library's
    signal.set_wakeup_fd(waking.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    running: dict[int, int] = {}
    """Where the exit status of a process is awaited."""
    connections: set[socket.socket] = set()
    while True:
        ready, _, _ = select.select([life, accepting, woken, *connections], [], [])
        if life in ready:
            return
        if woken in ready:
            woken.recv(MOST_WOKEN)
            report_ended(running)
        if accepting in ready:
            connections.add(accepting.accept()[0])
        for control in connections.intersection(ready):
            request = received(control)
            if request is None:
                connections.remove(control)
                control.close()
                continue
            said, (answers, *streams) = request
            child = os.fork()
            if child == 0:
                for file in (life, accepting, woken, waking, *connections):
                    file.close()
                for number in (answers, *running.values()):
                    os.close(number)
                become(said, streams)
            for number in streams:
                os.close(number)
            running[child] = answers
            tell(answers, child)


def report_ended(running: dict[int, int]) -> None:
    """Report the exit status of each process that has ended."""
    for child in list(running):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            answers = running.pop(child)
            tell(answers, status)
            os.close(answers)


def tell(answers: int, number: int) -> None:
    """Send a number to a test, unless it waits no longer."""
    with contextlib.suppress(OSError):
        os.write(answers, b"%d\n" % number)


def load_program() -> None:
    """Load what the program may need, so that no fork has to."""
    for name in (*LOADED, *modules()):
        # An extra may be absent; the fork that needs it says so.
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def modules() -> Iterator[str]:
    """Yield the modules of the package that the program may need."""
    for module in pkgutil.walk_packages(goodbot.__path__, "goodbot."):
        if not module.name.startswith(NOT_LOADED):
            yield module.name


def received(control: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Return the next request with its descriptors."""
    passed = array.array("i")
    room = socket.CMSG_SPACE(DESCRIPTORS * passed.itemsize)
    head, rights, _, _ = control.recvmsg(LENGTH, room)
    if not head:
        return None
    for _, _, content in rights:
        passed.frombytes(content)
    with control.makefile("rb", buffering=0) as stream:
        said = b""
        length = int.from_bytes(head, "big")
        while len(said) < length:
            said += stream.read(length - len(said)) or b""
    return json.loads(said), list(passed)


def become(request: dict[str, Any], streams: list[int]) -> None:
    """Become the program, as a new interpreter would."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, file in enumerate(streams):
        os.dup2(file, number)
        os.close(file)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        former = getattr(sys, name)
        stream = open(  # noqa: SIM115  standard streams stay open
            number, "w" if number else "r", encoding=former.encoding, errors=former.errors,
            buffering=1 if name == "stderr" else -1, closefd=False,
        )  # fmt: skip
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.argv = [goodbot.__main__.__file__, *request["words"]]
    if not request["waits"]:
        skip_waits()
    try:
        main()
    except SystemExit as leaving:
        leave(leaving.code)


def skip_waits() -> None:
    """Set the clock forward wherever the program would sleep until a site may be visited."""
    skipped = 0.0
    now, monotonic = SystemClock.now, SystemClock.monotonic

    async def sleep(self: SystemClock, seconds: float) -> None:  # noqa: ARG001  a method
        nonlocal skipped
        skipped += seconds
        await asyncio.sleep(0)

    def later(self: SystemClock) -> datetime:
        return now(self) + timedelta(seconds=skipped)

    SystemClock.sleep = sleep  # type: ignore[method-assign]
    SystemClock.now = later  # type: ignore[method-assign]
    SystemClock.monotonic = lambda self: monotonic(self) + skipped  # type: ignore[method-assign]


def leave(status: object) -> NoReturn:
    """End as an interpreter does, but for freeing everything loaded, which takes longest."""
    threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001  no public name
    atexit._run_exitfuncs()  # noqa: SLF001  the same
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        status = FLUSH_FAILED
    os._exit(status if isinstance(status, int) else int(status is not None))


if __name__ == "__main__":
    serve(*(socket.socket(fileno=int(number)) for number in sys.argv[1:]))
