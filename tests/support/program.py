"""The program, run as a process of its own: forked quickly, or in a new interpreter.

A new interpreter needs a quarter of a second to load the program. `run` uses a server that has
loaded it already and forks (`program_server`), which takes a hundredth of a second. The result is a
process like any other, with its own descriptors, environment and folder. Tests of the start itself,
or of signals, pipes and terminals, start `GOODBOT` instead.
"""

import array
import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import IO

from tests.support.houses import skip_if_missing
from tests.support.json_output import check_done
from tests.support.paths import ROOT
from tests.support.waiting import HANGS

GOODBOT = [sys.executable, "-m", "goodbot"]
WHO_ASKS = {"GOODBOT_INFO_URL": "https://example.com/bot", "GOODBOT_CONTACT": "bot@example.com"}
STEERING = {"NO_COLOR", "FORCE_COLOR", "COLUMNS", *WHO_ASKS}
"""Variables that change what the program does; only the tests set them, not the developer."""
READ_AT_START = ("PYTHON", "LC_", "LANG")
"""The prefixes of variables that an interpreter reads when it starts."""

Word = str | bytes | Path
Done = subprocess.CompletedProcess[bytes]


def environment(**more: str) -> dict[str, str]:
    """Return an environment that names the robot and its contact."""
    return bare_environment(**{**WHO_ASKS, **more})


def bare_environment(**more: str) -> dict[str, str]:
    """Return an environment in which only the given variables affect the program."""
    kept = {name: value for name, value in os.environ.items() if name not in STEERING}
    return {**kept, **more}


def run(
    *words: Word,
    given: bytes = b"",
    env: Mapping[str, str] | None = None,
    cwd: Path | str | None = None,
    stdout: int | IO[bytes] | None = None,
    stderr: int | IO[bytes] | None = None,
    timeout: float = HANGS,
    waits: bool = True,
) -> Done:
    """Run the program to its end, and check any output of --json against its schema.

    Args:
        words: Its arguments.
        given: Its standard input.
        env: Its environment; by default that of `bare_environment`.
        cwd: The folder in which it runs.
        stdout: Where its output goes; by default it is returned.
        stderr: The same for standard error; `subprocess.STDOUT` combines both.
        timeout: The number of seconds after which it is killed.
        waits: Whether it keeps the pauses of sites. Otherwise its clock goes forward at once by the
            time that it would wait, if it is forked; what it says of times is then in the future.

    Raises:
        subprocess.TimeoutExpired: It was killed.

    """
    variables = dict(bare_environment() if env is None else env)
    command = [os.fsdecode(word) for word in words]
    if not hasattr(os, "fork") or starts_otherwise(variables):
        done = subprocess.run(  # noqa: S603  our own program
            [*GOODBOT, *command], input=given, stdout=subprocess.PIPE if stdout is None else stdout,
            stderr=subprocess.PIPE if stderr is None else stderr, check=False, env=variables,
            cwd=cwd, timeout=timeout,
        )  # fmt: skip
    else:
        done = run_forked(command, given, variables, cwd, stdout, stderr, timeout, waits=waits)
    skip_if_missing(done.stderr or b"")
    check_done(command, done.returncode, done.stdout or b"")
    return done


def run_forked(
    command: list[str],
    given: bytes,
    variables: Mapping[str, str],
    cwd: Path | str | None,
    stdout: int | IO[bytes] | None,
    stderr: int | IO[bytes] | None,
    timeout: float,
    *,
    waits: bool,
) -> Done:
    """Run the program by the server that has loaded it."""
    with contextlib.ExitStack() as files:
        put, out, err = (files.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        put.write(given)
        put.seek(0)
        output = descriptor(out if stdout is None else stdout)
        complaints = output if stderr == subprocess.STDOUT else descriptor(stderr or err)
        folder = os.fspath(cwd or os.getcwd())  # noqa: PTH109
        request = {"words": command, "env": variables, "cwd": folder, "waits": waits}
        status = connection().ask(request, (put.fileno(), output, complaints), timeout)
        return subprocess.CompletedProcess(command, status, *(content(one) for one in (out, err)))


def starts_otherwise(variables: Mapping[str, str]) -> bool:
    """Return whether an interpreter started with these variables would behave differently."""
    names = {name for name in {*variables, *os.environ} if name.startswith(READ_AT_START)}
    return any(variables.get(name) != os.environ.get(name) for name in names)


def descriptor(file: int | IO[bytes]) -> int:
    """Return the number of an open file."""
    return file if isinstance(file, int) else file.fileno()


def content(file: IO[bytes]) -> bytes:
    """Return everything that was written to a file."""
    file.seek(0)
    return file.read()


IN_LARGE_PAGES = {"PYTHONMALLOC": "malloc", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
"""Makes a process whose tables of memory are small, so that a fork takes a quarter of the time."""


class Server:
    """The process that forks; several processes of tests may use one."""

    def __init__(self) -> None:
        """Start the process."""
        self.folder = tempfile.TemporaryDirectory(prefix="goodbot-tests-")
        self.path = os.path.join(self.folder.name, "program")  # noqa: PTH118  of a socket
        self.life, theirs = socket.socketpair()
        with theirs, socket.socket(socket.AF_UNIX) as accepting:
            accepting.bind(self.path)
            accepting.listen()
            numbers = accepting.fileno(), theirs.fileno()
            words = [sys.executable, "-m", "tests.support.program_server", *map(str, numbers)]
            self.process = subprocess.Popen(  # noqa: S603  ours
                words, cwd=ROOT, pass_fds=numbers, env={**os.environ, **IN_LARGE_PAGES}
            )
        atexit.register(self.close)

    def close(self) -> None:
        """End the process."""
        self.life.close()
        self.process.wait()
        self.folder.cleanup()


class Connection:
    """A connection to the process that forks.

    Args:
        path: That of its socket.

    """

    def __init__(self, path: str) -> None:
        """Connect."""
        self.lock = threading.Lock()
        self.control = socket.socket(socket.AF_UNIX)
        self.control.connect(path)
        atexit.register(self.control.close)

    def ask(self, request: object, files: tuple[int, int, int], timeout: float) -> int:
        """Run the program, and return its exit status as `subprocess` states it."""
        answers, theirs = socket.socketpair()
        with answers:
            said = json.dumps(request).encode()
            with theirs, self.lock:
                passed = array.array("i", [theirs.fileno(), *files])
                rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, passed)]
                self.control.sendmsg([len(said).to_bytes(8, "big")], rights)
                self.control.sendall(said)
            answers.settimeout(timeout)
            with answers.makefile("r") as lines:
                pid = int(lines.readline())
                try:
                    return os.waitstatus_to_exitcode(int(lines.readline()))
                except TimeoutError:
                    os.kill(pid, signal.SIGKILL)
                    raise subprocess.TimeoutExpired(str(request), timeout) from None


shared: list[str] = []
"""The path of the server that the processes of a test run share, if there are several."""


@cache
def connection() -> Connection:
    """Return the single connection of this process; without others it has a server of its own."""
    return Connection(shared[0] if shared else Server().path)
