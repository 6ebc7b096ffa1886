"""Content-Encoding undone within a bound, piece by piece: a bomb is never unpacked.

Worst case: a decoder gives at most the octets for which there is room, whatever the ratio, and a
gzip stream may have at most 100 members. The time is linear in the octets read and given.

Source: RFC 9110 section 8.4.1; RFC 1950, RFC 1951, RFC 1952; RFC 7932.
"""

import zlib
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol

__all__ = ["ACCEPT_ENCODING", "Decoder", "DecodingError", "Plain", "decoder_of"]

MOST_MEMBERS = 100
GZIP_MAGIC = b"\x1f\x8b"
GZIP, ZLIB, RAW = 31, 15, -15
"""What `zlib` calls the three frames around the same compression (`wbits`)."""


class DecodingError(Exception):
    """The content is not what its Content-Encoding says; becomes a `bad-encoding`."""


class Decoder(Protocol):
    """What undoes one coding."""

    def feed(self, data: bytes, room: int) -> bytes:
        """Give what more content there is with these octets, and not much more than `room` of it.

        When as much as `room` came, feed no more: it was too much.
        """
        ...

    def is_complete(self) -> bool:
        """Whether the content has come to its end."""
        ...


class Plain:
    """No coding."""

    def feed(self, data: bytes, room: int) -> bytes:
        """Give the octets themselves."""
        return data[:room]

    def is_complete(self) -> bool:
        """Nothing tells; the connection does."""
        return True


class Inflater:
    """The codings gzip, of one or more members, and deflate.

    >>> import gzip
    >>> inflater = Inflater("gzip")
    >>> inflater.feed(gzip.compress(b"Disallow: /" * 1000), room=9), inflater.is_complete()
    (b'Disallow:', False)
    """

    def __init__(self, coding: str) -> None:
        """Begin before the first member."""
        self._is_gzip = coding == "gzip"
        self._held = b""  # an octet that is too few to tell what begins
        self._stream: Any = None
        self._members = 0
        self._is_over = False

    def feed(self, data: bytes, room: int) -> bytes:
        """Give what more content there is, at most `room` octets of it."""
        data, self._held = self._held + data, b""
        pieces: list[bytes] = []
        while data and room > 0 and not self._is_over:
            if self._stream is None:
                if len(data) < len(GZIP_MAGIC):
                    self._held = data
                    break
                self._begin(data)
                continue
            try:
                piece = self._stream.decompress(data, room)
            except zlib.error as error:
                raise DecodingError(str(error)) from error
            pieces.append(piece)
            room -= len(piece)
            if not self._stream.eof:
                break
            data, self._stream = self._stream.unused_data, None
        return b"".join(pieces)

    def _begin(self, data: bytes) -> None:
        """Begin a member, or see that there is none."""
        if self._members == MOST_MEMBERS:
            message = f"more than {MOST_MEMBERS} members"
            raise DecodingError(message)
        # What stands behind the last member is left alone, as browsers do.
        is_member = data.startswith(GZIP_MAGIC) if self._is_gzip else not self._members
        self._is_over = self._members > 0 and not is_member
        if not self._is_over:
            self._members += 1
            self._stream = zlib.decompressobj(GZIP if self._is_gzip else frame_of(data))

    def is_complete(self) -> bool:
        """Whether the last member came to its end."""
        return self._is_over or (self._members > 0 and self._stream is None)


def frame_of(data: bytes) -> int:
    """Tell whether a deflate has its frame; many servers leave it out, and all clients bear it.

    Source: RFC 1950 section 2.2; RFC 9110 section 8.4.1.2, note.
    """
    is_zlib = data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0  # noqa: PLR2004
    return ZLIB if is_zlib else RAW


def bounded_brotli() -> ModuleType | None:
    """Give the module `brotli`, if it is there and can be held within a bound (1.2 or later)."""
    try:
        module = import_module("brotli")
    except ImportError:
        return None
    has_bound = hasattr(getattr(module, "Decompressor", None), "can_accept_more_data")
    return module if has_bound else None


BROTLI = bounded_brotli()


class Unbrotli:
    """The coding br."""

    def __init__(self, coding: str) -> None:
        """Begin."""
        del coding  # there is one
        module: Any = BROTLI
        self._error: type[Exception] = module.error
        self._stream = module.Decompressor()

    def feed(self, data: bytes, room: int) -> bytes:
        """Give what more content there is."""
        if self._stream.is_finished():
            return b""
        try:
            piece: bytes = self._stream.process(data, output_buffer_limit=room)
        except self._error as error:
            raise DecodingError(str(error)) from error
        return piece[:room]

    def is_complete(self) -> bool:
        """Whether the content came to its end."""
        return bool(self._stream.is_finished())


DECODERS: dict[str, type[Inflater] | type[Unbrotli]] = {
    "gzip": Inflater,
    "x-gzip": Inflater,
    "deflate": Inflater,
    **({"br": Unbrotli} if BROTLI else {}),
}
"""The codings that can be undone within a bound, and so the only ones that are asked for."""

ACCEPT_ENCODING = ", ".join(name for name in DECODERS if name != "x-gzip")


def decoder_of(codings: list[str]) -> Decoder:
    """Give the decoder for the values of Content-Encoding.

    Raises:
        DecodingError: There is a coding that is not known, or one on top of another, for which
            nobody asked.

    >>> type(decoder_of(["identity", "GZIP"])).__name__
    'Inflater'

    """
    if not codings:
        return Plain()
    names = [name.strip().lower() for value in codings for name in value.split(",")]
    names = [name for name in names if name not in {"", "identity"}]
    if not names:
        return Plain()
    if len(names) > 1 or names[0] not in DECODERS:
        message = f"Content-Encoding: {', '.join(names)}; asked for was {ACCEPT_ENCODING}"
        raise DecodingError(message)
    return DECODERS[names[0]](names[0].removeprefix("x-"))
