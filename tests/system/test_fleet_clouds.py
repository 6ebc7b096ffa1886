"""Fleets that publish to Azure and to Google Cloud Storage, by emulators: as to a folder."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import http.client
import json
import os
import shutil
import socket
import subprocess
import threading
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, NamedTuple

import pytest

from goodbot.errors import NotAStoreError, StoreError, StoreUnavailableError
from tests.crawl.fleet.test_object_storage import names_in
from tests.crawl.fleet.test_segments import (
    ROBOT,
    at_once,
    found_in,
    made_before,
    site,
    told,
    worker,
)
from tests.support.object_server import BUCKET
from tests.support.paths import ROOT
from tests.support.postgres import PostgresCluster, cluster
from tests.support.program import run
from tests.support.waiting import wait_until
from tests.system.nginx import free_port

pytest.importorskip("psycopg_pool", reason="needs the extra postgres")
pytest.importorskip("obstore", reason="needs the extra objects")

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from goodbot.crawl.fleet.object_storage import ObjectStorage

__all__ = ["at_once", "cluster"]

AZURITE = (
    ROOT / "build" / "azurite" / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"
)
FAKE_GCS = ROOT / "build" / "fake-gcs-server" / "fake-gcs-server"
ACCOUNT, KEY = "robot", base64.b64encode(b"of-tests-only").decode()
JSON = {"Content-Type": "application/json"}


@contextmanager
def running(
    words: list[str | Path], folder: Path, port: int, variables: dict[str, str]
) -> Iterator[None]:
    """Run an emulator until the block ends, and wait until it listens."""
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603  an installed program
            words, cwd=folder, stdout=log, stderr=log, env={**os.environ, **variables}
        )

    def listens() -> bool:
        assert process.poll() is None, (folder / "log").read_text("utf-8")
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", port)) == 0

    try:
        wait_until(listens)
        yield
    finally:
        process.kill()
        process.wait()


def ask(
    port: int,
    method: str,
    target: str,
    content: bytes | None = None,
    headers: dict[str, str] | None = None,
) -> tuple[int, dict[str, str], bytes]:
    """Send a request to a server of loopback; return the status, the headers and the content."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    try:
        connection.request(method, target, content, headers or {})
        answer = connection.getresponse()
        lines = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, lines, answer.read()
    finally:
        connection.close()


class Relay(BaseHTTPRequestHandler):
    """Passes requests on to an emulator, and may lose the answers."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: RelayServer

    def pass_on(self) -> None:
        """Answer a request by what the emulator answers."""
        length = self.headers.get("Content-Length")
        content = None if length is None else self.rfile.read(int(length))
        status, lines, said = self.ask_behind(content)
        if self.command == "PUT" and self.server.losing:
            self.server.losing -= 1
            self.close_connection = True
            return
        self.send_response_only(status)
        for name, value in {**lines, "content-length": str(len(said))}.items():
            if name not in {"connection", "keep-alive", "transfer-encoding"}:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(said)

    do_GET = do_PUT = do_POST = do_DELETE = pass_on  # noqa: N815  as `http.server` names them

    def ask_behind(self, content: bytes | None) -> tuple[int, dict[str, str], bytes]:
        """Return what the emulator answers."""
        return ask(self.server.behind, self.command, self.path, content, dict(self.headers))


class GoogleRelay(Relay):
    """Passes requests on to fake-gcs-server, which does not have all of the XML API.

    fake-gcs-server 1.56 refuses a put of the XML API, which obstore makes, unless its URL is
    signed, and then ignores its condition. So a put becomes an upload of the JSON API, whose
    condition counts.
    """

    def ask_behind(self, content: bytes | None) -> tuple[int, dict[str, str], bytes]:
        """Return what the emulator answers."""
        if self.command != "PUT":
            return super().ask_behind(content)
        bucket, _, name = self.path.removeprefix("/").partition("/")
        options = f"uploadType=media&name={name}"
        if (generation := self.headers["x-goog-if-generation-match"]) is not None:
            options += f"&ifGenerationMatch={generation}"
        target = f"/upload/storage/v1/b/{bucket}/o?{options}"
        status, lines, said = ask(self.server.behind, "POST", target, content)
        if status != http.HTTPStatus.OK:
            return status, lines, said
        made = json.loads(said)
        return status, {"etag": made["etag"], "x-goog-generation": made["generation"]}, b""


class RelayServer(ThreadingHTTPServer):
    """A relay on a free port."""

    daemon_threads = True

    def __init__(self, relay: type[Relay]) -> None:
        """Listen."""
        super().__init__(("127.0.0.1", 0), relay)
        self.port, self.behind = self.server_port, free_port()
        self.losing = 0
        """The answers to so many puts are lost after the object is written."""


class Cloud(NamedTuple):
    """An object storage that runs."""

    scheme: str
    server: RelayServer

    def url(self, folder: str, bucket: str = BUCKET) -> str:
        """Return the URL of a folder."""
        return f"{self.scheme}://{bucket}/{folder}"


@contextmanager
def azure(folder: Path, port: int, behind: int) -> Iterator[dict[str, str]]:
    """Run Azurite with a container; yield what a worker has in its environment."""
    if shutil.which("node") is None or not AZURITE.exists():
        pytest.skip("node or Azurite is missing: run tests/system/install")
    address = ["--blobHost", "127.0.0.1", "--blobPort", str(behind)]
    options = ["--inMemoryPersistence", "--disableTelemetry", "--silent"]
    accounts = {"AZURITE_ACCOUNTS": f"{ACCOUNT}:{KEY}"}
    with running(["node", AZURITE, *address, *options], folder, behind, accounts):
        make_container(behind)
        yield {
            "AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT,
            "AZURE_STORAGE_ACCOUNT_KEY": KEY,
            "AZURE_STORAGE_ENDPOINT": f"http://127.0.0.1:{port}/{ACCOUNT}",
            "AZURE_ALLOW_HTTP": "true",
        }


def make_container(port: int) -> None:
    """Make the container by a request that is signed with the key: obstore makes none."""
    headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-08-06"}
    signed = "PUT" + "\n" * 12 + "".join(f"{name}:{value}\n" for name, value in headers.items())
    signed += f"/{ACCOUNT}/{ACCOUNT}/{BUCKET}\nrestype:container"
    digest = hmac.digest(base64.b64decode(KEY), signed.encode(), "sha256")
    headers["Authorization"] = f"SharedKey {ACCOUNT}:{base64.b64encode(digest).decode()}"
    target = f"/{ACCOUNT}/{BUCKET}?restype=container"
    status, _, said = ask(port, "PUT", target, headers=headers)
    assert status == http.HTTPStatus.CREATED, said


@contextmanager
def google(folder: Path, port: int, behind: int) -> Iterator[dict[str, str]]:
    """Run fake-gcs-server with a bucket; yield what a worker has in its environment."""
    found = shutil.which("fake-gcs-server") or (str(FAKE_GCS) if FAKE_GCS.exists() else None)
    if found is None:
        pytest.skip("fake-gcs-server is missing: install Go, and run tests/system/install")
    address = ["-scheme", "http", "-host", "127.0.0.1", "-port", str(behind)]
    # It tells requests of the XML API by the name of the host.
    options = ["-public-host", f"127.0.0.1:{port}", "-backend", "memory"]
    with running([found, *address, *options], folder, behind, {}):
        bucket = json.dumps({"name": BUCKET}).encode()
        status, _, said = ask(behind, "POST", "/storage/v1/b", bucket, JSON)
        assert status == http.HTTPStatus.OK, said
        yield {
            "GOOGLE_BASE_URL": f"http://127.0.0.1:{port}",
            # Without a token, obstore asks Google's metadata server for one, also if
            # GOOGLE_SKIP_SIGNATURE is set: that holds for reading only.
            "GOOGLE_BEARER_TOKEN": "of-tests-only",
            "GOOGLE_ALLOW_HTTP": "true",
        }


CLOUDS = {"az": (azure, Relay), "gs": (google, GoogleRelay)}


@pytest.fixture(scope="module", params=CLOUDS)
def cloud(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cloud]:
    """Run an emulator behind a relay, with the environment of a worker."""
    emulator, relay = CLOUDS[request.param]
    folder = tmp_path_factory.mktemp(request.param)
    with (
        RelayServer(relay) as server,
        emulator(folder, server.port, server.behind) as variables,
        pytest.MonkeyPatch.context() as patch,
    ):
        for name, value in variables.items():
            patch.setenv(name, value)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Cloud(request.param, server)
        server.shutdown()


def opened(url: str) -> ObjectStorage:
    """Open an object storage."""
    from goodbot.crawl.fleet.object_storage import ObjectStorage  # noqa: PLC0415  needs the extra

    return ObjectStorage(url, patience=5.0)


def test_a_name_is_used_once(cloud: Cloud) -> None:
    """A put is refused if there is another object, also an empty one; what is gone is missing."""
    storage = opened(cloud.url("names"))
    assert names_in(storage) == []
    large = bytes(6_000_000)
    objects = {"a/empty": b"", "a/one": b"1", "a b/ü=+%2F": b"2", "large": large}
    for name, content in objects.items():
        storage.put_new(name, content)
        storage.put_new(name, content)
        with pytest.raises(StoreError, match="in use by another object"):
            storage.put_new(name, b"another")
        assert storage.read(name) == content
    assert names_in(storage) == sorted(objects)
    storage.remove(["a/empty", "a/never"])
    assert names_in(storage) == sorted(set(objects) - {"a/empty"})
    with pytest.raises(NotAStoreError, match="names/a/empty is missing"):
        storage.read("a/empty")
    storage.put_new("a/empty", b"anew")
    assert storage.read("a/empty") == b"anew"
    storage.remove(objects)
    assert names_in(storage) == []


def test_a_lost_answer_is_no_failure(cloud: Cloud) -> None:
    """The put is repeated, and finds that the name is in use: by its own object, or another."""
    storage = opened(cloud.url("lost"))
    for content in (b"mine", b"another writer's"):
        cloud.server.losing = 1
        if content == b"mine":
            storage.put_new("a", content)
        else:
            with pytest.raises(StoreError, match="in use by another object"):
                storage.put_new("a", content)
        assert cloud.server.losing == 0
        assert storage.read("a") == b"mine"


def test_a_bucket_that_does_not_exist_is_told(cloud: Cloud, cluster: PostgresCluster) -> None:
    """Neither can it be written, nor is a fleet made with it."""
    url = cloud.url("x", f"no-{BUCKET}")
    with pytest.raises(StoreUnavailableError, match="container that does not exist; create it"):
        opened(url).put_new("a", b"1")
    with pytest.raises(NotAStoreError, match="is missing"):
        opened(url).read("a")
    done = init(cluster.new_url(), url)
    assert done.returncode == 2
    assert f"{url} is in a bucket or container that does not exist" in done.stderr.decode()


def init(url: str, objects: str) -> subprocess.CompletedProcess[bytes]:
    """Make a fleet by the program."""
    pace = ("--pause", str(ROBOT["manners"]["default"]))
    me = ("--robot", ROBOT["robot"], "--info-url", ROBOT["info_url"], "--contact", ROBOT["contact"])
    return run("fleet", "init", url, "--objects", objects, *me, *pace)


@pytest.mark.usefixtures("at_once")
def test_a_fleet_ends_as_with_a_folder(
    cloud: Cloud, cluster: PostgresCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is gathered is the same; and what was not settled is swept, and nothing else."""
    from goodbot.crawl.fleet import segment_publisher  # noqa: PLC0415  needs the extra

    folder, objects = (tmp_path / "objects").as_uri(), cloud.url("shops")
    urls = {name: cluster.new_url() for name in ("file", "cloud")}
    publisher = segment_publisher.SegmentPublisher
    settle = publisher.settle

    def fail(*_: object) -> None:
        message = "the database is gone"
        raise StoreUnavailableError(message)

    async def main() -> None:
        async with site() as one:
            for name, url in urls.items():
                done = init(url, folder if name == "file" else objects)
                assert done.returncode == 0, done.stderr
                with made_before(url) as fleet:
                    await asyncio.to_thread(fleet.add, [(one.origin, f"{one.origin}/")])
                    words = ("--out", tmp_path / f"worker-{name}", "--allow-private")
                    done = await asyncio.to_thread(run, "fleet", "work", url, *words)
                    assert done.returncode == 0, done.stderr
                    done = await asyncio.to_thread(run, "fleet", "gather", url, tmp_path / name)
                    assert done.returncode == 0, done.stderr
            folders = (told(tmp_path / name, one.origin) for name in urls)
            for (what, expected), (_, found) in zip(*folders, strict=True):
                assert found == expected, what
                assert found, what
            with made_before(urls["cloud"]) as fleet:
                await asyncio.to_thread(fleet.add, [(one.origin, f"{one.origin}/lamps?again")])
            monkeypatch.setattr(publisher, "settle", fail)
            with pytest.raises(StoreUnavailableError, match="is gone"):
                await worker(urls["cloud"], tmp_path / "a").run()
            monkeypatch.setattr(publisher, "settle", settle)
            await worker(urls["cloud"], tmp_path / "a").run()

    asyncio.run(main())
    storage, found = opened(objects), found_in(urls["cloud"])
    named = {f"{one.name}/{file.name}": file.sha256 for one in found for file in one.files}
    assert len(found) > 1
    garbage = set(names_in(storage)) - named.keys()
    swept = json.loads(run("fleet", "sweep", urls["cloud"], "--json").stdout)
    assert swept == {"segments": 1, "objects": len(garbage), "left_behind": 0}
    assert names_in(storage) == sorted(named)
    for name, digest in named.items():
        assert hashlib.sha256(storage.read(name)).hexdigest() == digest
