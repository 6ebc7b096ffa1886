"""Object storage: on this machine, and by the protocol of S3 with answers that are lost."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from goodbot.errors import NotAStoreError, StoreError, StoreUnavailableError, WrongValueError
from tests.support.object_server import BUCKET, ObjectServer, object_server
from tests.support.paths import ROOT

pytest.importorskip("obstore", reason="needs the extra objects")

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from goodbot.crawl.fleet.object_storage import ObjectStorage


def opened(url: str) -> ObjectStorage:
    """Open an object storage, which waits for nothing."""
    from goodbot.crawl.fleet.object_storage import ObjectStorage  # noqa: PLC0415  needs the extra

    return ObjectStorage(url, patience=5.0, sleep=lambda _: None)


@pytest.fixture(scope="module")
def server() -> Iterator[ObjectServer]:
    """Run a server for all tests."""
    with object_server() as running:
        yield running


@pytest.fixture(params=["file", "s3"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStorage:
    """Return an empty object storage of each kind."""
    if request.param == "file":
        return opened((tmp_path / "objects").as_uri())
    request.getfixturevalue("server")
    return opened(f"s3://{BUCKET}/{tmp_path.name}")


def names_in(storage: ObjectStorage) -> list[str]:
    """Return the names of all objects."""
    return sorted(name for batch in storage.names() for name in batch)


def test_an_object_is_written_once_and_read_back(storage: ObjectStorage) -> None:
    """A name is used for one object; writing the same one again changes nothing."""
    storage.put_new("a/b.bin", b"first")
    storage.put_new("a/b.bin", b"first")
    storage.put_new("a/empty", b"")
    with pytest.raises(StoreError, match="in use by another object"):
        storage.put_new("a/b.bin", b"second")
    assert (storage.read("a/b.bin"), storage.read("a/empty")) == (b"first", b"")
    assert names_in(storage) == ["a/b.bin", "a/empty"]
    storage.remove(["a/b.bin", "a/never"])
    assert names_in(storage) == ["a/empty"]
    with pytest.raises(NotAStoreError, match="is missing"):
        storage.read("a/b.bin")


def test_a_lost_answer_is_no_failure(server: ObjectServer) -> None:
    """The client repeats the put by itself, and finds that the name is taken: by its own object."""
    storage = opened(f"s3://{BUCKET}/lost")
    before, server.losing = len(server.puts()), 1
    storage.put_new("a.bin", b"mine")
    puts = server.puts()[before:]
    assert [one.path for one in puts] == [f"/{BUCKET}/lost/a.bin"] * 2
    assert storage.read("a.bin") == b"mine"
    server.losing = 1
    with pytest.raises(StoreError, match="in use by another object"):
        storage.put_new("a.bin", b"another writer's")
    assert storage.read("a.bin") == b"mine"


def test_a_server_that_fails_is_waited_for(server: ObjectServer) -> None:
    """A few failures are over soon; what is written then is there."""
    storage = opened(f"s3://{BUCKET}/slow")
    server.failing = 2
    storage.put_new("a.bin", b"late")
    assert storage.read("a.bin") == b"late"
    assert server.failing == 0


def test_a_put_is_one_plain_request_on_a_condition(server: ObjectServer) -> None:
    """Never a copy, which overwrites on some servers, and no upload in parts, also of nothing."""
    storage = opened(f"s3://{BUCKET}/plain")
    before = len(server.requests)
    for name, content in {"empty": b"", "large": b"x" * 6_000_000}.items():
        storage.put_new(name, content)
    found = server.requests[before:]
    assert [(one.method, one.query, one.if_none_match, one.copies) for one in found] == [
        ("PUT", "", "*", False)
    ] * 2


def test_a_conditional_copy_overwrites_here(server: ObjectServer) -> None:
    """Why nothing is published by a copy: the condition of a copy means nothing to this server."""
    obstore = pytest.importorskip("obstore")
    from obstore.store import from_url  # noqa: PLC0415

    assert server.endpoint
    store = from_url(f"s3://{BUCKET}/copies", copy_if_not_exists="header: x-amz-copy-if-absent: 1")
    obstore.put(store, "from", b"new", use_multipart=False)
    obstore.put(store, "to", b"old", use_multipart=False)
    obstore.copy(store, "from", "to", overwrite=False)
    assert bytes(obstore.get(store, "to").bytes()) == b"new"


def test_what_a_killed_writer_leaves_in_a_folder_is_found(tmp_path: Path) -> None:
    """Obstore hides `NAME#1` and refuses to delete it; other readers of the folder fail on it."""
    storage = opened(tmp_path.as_uri())
    storage.put_new("a/b.parquet", b"whole")
    (tmp_path / "a" / "b.parquet#1").write_bytes(b"half")
    assert names_in(storage) == ["a/b.parquet"]
    assert storage.left_behind() == ["a/b.parquet#1"]
    storage.remove(["a/b.parquet#1"])
    assert [one.name for one in (tmp_path / "a").iterdir()] == ["b.parquet"]
    storage.remove(["a/b.parquet"])
    assert list(tmp_path.iterdir()) == []


def test_a_server_without_the_bucket_is_an_error(server: ObjectServer) -> None:
    """Neither is it empty, nor is it written."""
    storage = opened(f"s3://no-{BUCKET}/x")
    assert server.endpoint
    with pytest.raises(StoreUnavailableError, match="does not exist; create it"):
        storage.put_new("a", b"1")
    with pytest.raises(StoreUnavailableError):
        names_in(storage)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://a.example/x",
        "s3://",
        "file://",
        "file://host/x",
        "folder/x",
        "s3://key:secret@bucket/x",
        "s3://bucket/x?secret=1",
    ],
)
def test_a_url_names_a_place_and_no_secret(url: str) -> None:
    """All workers read it from the database."""
    with pytest.raises(WrongValueError) as caught:
        opened(url)
    assert "secret" not in str(caught.value)


def test_a_storage_is_checked_before_a_fleet_is_made(tmp_path: Path) -> None:
    """It can be written, read and cleared, and nothing is left."""
    from goodbot.crawl.fleet.object_storage import checked_storage  # noqa: PLC0415

    assert checked_storage(f"{tmp_path.as_uri()}/").url == tmp_path.as_uri()
    assert list(tmp_path.iterdir()) == []


def test_pyarrow_takes_the_files_of_obstore_for_closed_ones(tmp_path: Path) -> None:
    """Why tables are written to memory first."""
    obstore = pytest.importorskip("obstore")
    parquet = pytest.importorskip("pyarrow.parquet")
    pyarrow = pytest.importorskip("pyarrow")
    from obstore.store import LocalStore  # noqa: PLC0415

    table = pyarrow.table({"url": ["https://a.example/"]})
    file = obstore.open_writer(LocalStore(tmp_path), "a.parquet")
    with file, pytest.raises(ValueError, match="closed"):
        parquet.write_table(table, file)


def test_the_bucket_takes_the_rule_of_the_page(server: ObjectServer) -> None:
    """Uploads in parts, which other programs leave, end by themselves; nothing else is removed."""
    boto3 = pytest.importorskip("boto3")
    page = (ROOT / "docs" / "how-to" / "publish-a-crawl-to-object-storage.md").read_text("utf-8")
    (block,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    rules = json.loads(block)
    client = boto3.client("s3", endpoint_url=server.endpoint)
    client.put_bucket_lifecycle_configuration(Bucket=BUCKET, LifecycleConfiguration=rules)
    (rule,) = client.get_bucket_lifecycle_configuration(Bucket=BUCKET)["Rules"]
    client.close()
    assert rule["AbortIncompleteMultipartUpload"] == {"DaysAfterInitiation": 1}
    assert "Expiration" not in rule
