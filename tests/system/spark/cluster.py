"""A cluster of Spark on this machine: a master and two workers as processes of their own."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.waiting import HANGS

HOST = "127.0.0.1"
PLACE = "org.apache.spark.deploy"
OPTIONS = {
    "spark.driver.host": HOST,
    "spark.driver.bindAddress": HOST,
    "spark.ui.enabled": "false",
    "spark.executor.cores": "1",
}


class Cluster(NamedTuple):
    """A cluster that runs."""

    master: str
    """The URL of its master."""
    workers: tuple[int, ...]
    """The processes of its workers, which start those of the executors."""


@contextmanager
def cluster(folder: Path, memory: str = "1g") -> Iterator[Cluster]:
    """Start a master and two workers with one core each, and stop them at the end.

    Args:
        folder: Where they work, and write their log.
        memory: How much memory each worker has for executors.

    """
    import pyspark  # noqa: PLC0415  only to find its programs

    os.environ.update(
        SPARK_LOCAL_IP=HOST,
        PYSPARK_PYTHON=sys.executable,
        SPARK_WORKER_DIR=str(folder),
        SPARK_LOCAL_DIRS=str(folder),
    )
    program = Path(pyspark.__file__).parent / "bin" / "spark-class"
    port = str(free_port())
    master = f"spark://{HOST}:{port}"
    worker = [f"{PLACE}.worker.Worker", "-h", HOST, "--webui-port", "0"]
    commands = [
        [f"{PLACE}.master.Master", "--host", HOST, "--port", port, "--webui-port", "0"],
        *[[*worker, "-c", "1", "-m", memory, master]] * 2,
    ]
    with (folder / "log").open("wb") as log:
        running = [
            subprocess.Popen([str(program), *words], stdout=log, stderr=log)  # noqa: S603  ours
            for words in commands
        ]
        try:
            yield Cluster(master, tuple(one.pid for one in running[1:]))
        finally:
            for one in running:
                one.terminate()
            for one in running:
                one.wait(timeout=HANGS)


@contextmanager
def session(master: str, options: Mapping[str, str]) -> Iterator[Any]:
    """Open a session of a master, and stop it at the end."""
    from pyspark.sql import SparkSession  # noqa: PLC0415  an extra

    builder: Any = SparkSession.builder
    builder = builder.master(master).appName("goodbot")
    for name, value in (OPTIONS | dict(options)).items():
        builder = builder.config(name, value)
    opened = builder.getOrCreate()
    opened.sparkContext.setLogLevel("ERROR")
    try:
        yield opened
    finally:
        opened.stop()


def free_port() -> int:
    """Return a port on which nothing listens."""
    with socket.create_server((HOST, 0)) as server:
        return int(server.getsockname()[1])
