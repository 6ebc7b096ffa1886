"""Object storage: a folder of S3, Google Cloud Storage or Azure, or of this machine.

Scope: writing, reading, listing and removing objects by the API of obstore, and what its errors
mean. What objects are, `segments` knows.

- An object is one plain put of bytes, if there is none of its name: so it is there whole, or not
  at all. A copy or a multipart upload would overwrite on some servers, or leave parts behind.
- If the answer to a put is lost, the client repeats it and then finds the name taken, by its own
  object. So what is there is read back, and is right if it is the same.
- A missing object is Python's `FileNotFoundError`, which is outside of obstore's own exceptions.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from goodbot.errors import NotAStoreError, StoreError, StoreUnavailableError, WrongValueError
from goodbot.missing import needs
from goodbot.store.url_names import url_name

with needs("objects"):
    import obstore
    from obstore import exceptions
    from obstore.store import LocalStore, from_url

__all__ = ["ObjectStorage", "checked_storage", "checked_url"]

Result = TypeVar("Result")

SCHEMES = ("s3", "gs", "az", "file")
PASSING: tuple[type[Exception], ...] = (exceptions.GenericError, exceptions.JoinError)
"""Failures that may be over soon, after obstore's own repetitions."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds between attempts."""
LEFT_BEHIND = re.compile(r".*#\d+")
"""What a process that was killed while it wrote a file leaves beside it in a folder of this
machine. obstore neither lists nor deletes it, and other readers of the folder fail on it."""
LIST_BATCH = 1_000


def checked_url(url: str) -> str:
    """Return the URL of an object storage, checked.

    Raises:
        WrongValueError: It is none, or has credentials.

    >>> checked_url("s3://crawls/shops/")
    's3://crawls/shops'
    """
    parts = urlsplit(url)
    how = "write s3://bucket/folder, gs://bucket/folder, az://container/folder or file:///folder"
    is_place = bool(parts.path.strip("/")) if parts.scheme == "file" else bool(parts.netloc)
    if parts.scheme not in SCHEMES or not is_place or (parts.scheme == "file" and parts.netloc):
        message = f"{url_name(url)} names no object storage; {how}"
        raise WrongValueError(message)
    if parts.username or parts.password or parts.query or parts.fragment:
        message = (
            f"{url_name(url)} must have no credentials and no options, because all workers read "
            "it; set them in the environment of each worker, such as AWS_ACCESS_KEY_ID"
        )
        raise WrongValueError(message)
    return url.rstrip("/")


class ObjectStorage:
    """A folder of objects; see the module.

    Credentials and endpoints come from the environment, as obstore reads them: `AWS_…`, `GOOGLE_…`
    and `AZURE_…`.

    Args:
        url: `s3://bucket/folder`, `gs://…`, `az://…`, or `file:///folder`.
        patience: Seconds to wait for a server that fails, in each call.
        sleep: Waits some seconds; for tests.

    Raises:
        MissingExtraError: obstore is not installed.
        StoreError: It cannot be opened.
        WrongValueError: The URL is none of these.

    """

    def __init__(
        self,
        url: str,
        *,
        patience: float = 300.0,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        """Connect to nothing yet."""
        self.url = checked_url(url)
        self._patience, self._sleep = patience, sleep
        parts = urlsplit(self.url)
        self._folder = Path(unquote(parts.path)) if parts.scheme == "file" else None
        try:
            self._store = (
                from_url(self.url) if self._folder is None else LocalStore(self._folder, mkdir=True)
            )
        except (exceptions.BaseError, OSError) as error:
            raise self._failure(error) from error

    def put_new(self, name: str, content: bytes) -> None:
        """Write an object under a name that is not in use.

        Raises:
            StoreError: It cannot be written, or the name is in use by another object.
            StoreUnavailableError: There is no such bucket, or the server fails.

        """

        def put() -> None:
            try:
                obstore.put(self._store, name, content, mode="create", use_multipart=False)
            except exceptions.AlreadyExistsError:
                # A put whose answer was lost is repeated, and finds its own object.
                if bytes(obstore.get(self._store, name).bytes()) != content:
                    message = f"{self.url}/{name} is in use by another object; write a new name"
                    raise StoreError(message) from None
            except FileNotFoundError as error:
                # A put needs nothing else to exist.
                message = (
                    f"{self.url} is in a bucket or container that does not exist; create it, or "
                    "correct the URL"
                )
                raise StoreUnavailableError(message) from error

        self._patiently(name, put)

    def read(self, name: str) -> bytes:
        """Return an object.

        Raises:
            NotAStoreError: There is none.
            StoreUnavailableError: It cannot be read.

        """
        return self._patiently(name, lambda: bytes(obstore.get(self._store, name).bytes()))

    def names(self) -> Iterator[list[str]]:
        """Yield the names of all objects, in batches.

        Raises:
            StoreUnavailableError: They cannot be listed.

        """
        try:
            for batch in obstore.list(self._store, chunk_size=LIST_BATCH):
                yield [str(one["path"]) for one in batch]
        except (exceptions.BaseError, OSError) as error:
            raise self._failure(error) from error

    def left_behind(self) -> list[str]:
        """Return the names of files that killed processes left, which are no objects."""
        if self._folder is None:
            return []
        files = (one for one in self._folder.rglob("*") if LEFT_BEHIND.fullmatch(one.name))
        return sorted(one.relative_to(self._folder).as_posix() for one in files)

    def remove(self, names: Iterable[str]) -> None:
        """Remove objects, and files that were left behind; those that are gone count as removed.

        Raises:
            StoreUnavailableError: One cannot be removed.

        """
        names = list(names)
        for name in names:
            if self._folder is not None and LEFT_BEHIND.fullmatch(name):
                (self._folder / name).unlink(missing_ok=True)
                continue
            self._patiently(name, partial(delete, self._store, name))
        if self._folder is not None:
            self._remove_folders(names)

    def _remove_folders(self, names: Iterable[str]) -> None:
        """Remove the folders that are empty now; object storage has none."""
        if self._folder is None:
            return
        for name in names:
            folder = (self._folder / name).parent
            while folder != self._folder:
                try:
                    folder.rmdir()
                except OSError:
                    break
                folder = folder.parent

    def _patiently(self, name: str, work: Callable[[], Result]) -> Result:
        """Do some work, again and again if the server fails for a while."""
        ends, pause = time.monotonic() + self._patience, FIRST_PAUSE
        while True:
            try:
                return work()
            except PASSING as error:
                if time.monotonic() + pause > ends:
                    raise self._failure(error, name) from error
            except (exceptions.BaseError, OSError) as error:
                raise self._failure(error, name) from error
            self._sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _failure(self, error: Exception, name: str = "") -> StoreError:
        """Return the exception for an error of obstore."""
        where = f"{self.url}/{name}" if name else self.url
        if isinstance(error, FileNotFoundError):
            message = f"{where} is missing; restore it, or check its lifecycle rules"
            return NotAStoreError(message)
        said = " ".join(str(error).partition("\n\nDebug source")[0].split())[:300]
        message = (
            f"{where} cannot be read or written ({said}); check its URL, its rights, and the "
            "credentials and the endpoint in the environment"
        )
        return StoreUnavailableError(message)


def checked_storage(url: str) -> ObjectStorage:
    """Return an object storage that can be written, read and cleared.

    Raises:
        StoreError: It cannot.
        WrongValueError: The URL is none of an object storage.

    """
    storage = ObjectStorage(url, patience=0.0)
    name = f"check-{uuid4().hex}"
    storage.put_new(name, b"goodbot")
    storage.read(name)
    storage.remove([name])
    return storage


def delete(store: object, name: str) -> None:
    """Delete an object; one that is gone is deleted."""
    try:
        obstore.delete(store, name)  # type: ignore[arg-type]
    except FileNotFoundError:
        return
