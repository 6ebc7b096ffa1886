"""Content-Encoding decoded within a limit, piece by piece: a bomb is never unpacked.

Worst case: one step returns at most the bytes for which there is room, whatever the ratio, so that
other tasks of an event loop can run between two steps. A stream of gzip or zstd may have at most
100 members or frames. The time is linear in the bytes read and returned. In addition to the
content, a decoder holds its window: 32 KiB for gzip and deflate, at most 16 MiB for br (RFC 7932
section 9.1) and 8 MiB for zstd (RFC 9659).

Source: RFC 9110 section 8.4.1; RFC 1950, RFC 1951, RFC 1952; RFC 7932; RFC 8878, RFC 9659.
"""

import zlib
from abc import ABC, abstractmethod
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol

__all__ = [
    "ACCEPT_ENCODING",
    "Decoder",
    "DecodingError",
    "NoCoding",
    "decoder_of",
    "needs_content",
]

SUCCESS = 2
MOST_MEMBERS = 100
GZIP_MAGIC = b"\x1f\x8b"
GZIP, ZLIB, RAW = 31, 15, -15
"""What `zlib` calls the three frames around the same compression (`wbits`)."""
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
ZSTD_SKIPPED, ZSTD_SKIPPED_FIRST = b"\x2a\x4d\x18", 0x5
"""A frame to be skipped begins with 0x50 to 0x5F and these bytes (RFC 8878 section 3.1.2)."""
ZSTD_WINDOW_LOG = 23
"""Of 8 MiB (RFC 9659)."""


class DecodingError(Exception):
    """The content is not what its Content-Encoding says; becomes a `bad-encoding`."""


def needs_content(status: int) -> bool:
    """Return whether a response says nothing without its content: only a success does not.

    What a redirect or an error means is in its status and its header. Firewalls and error pages
    often name a coding that their content does not have.

    >>> needs_content(200), needs_content(301), needs_content(403)
    (True, False, False)

    Source: RFC 9110 section 15; RFC 9309 section 2.3.1.

    """
    return status // 100 == SUCCESS


class Decoder(Protocol):
    """A decoder for one coding."""

    def feed(self, data: bytes, room: int) -> bytes:
        """Return further content decoded from these bytes, at most `room` bytes of it.

        While `has_more` is true, feed `b""` to get the rest.
        """
        ...

    @property
    def has_more(self) -> bool:
        """Whether there may be more content in the bytes that were fed."""
        ...

    def is_complete(self) -> bool:
        """Whether the content has come to its end."""
        ...


class NoCoding:
    """No coding."""

    has_more = False

    def feed(self, data: bytes, room: int) -> bytes:
        """Return the bytes unchanged; those beyond `room` are dropped."""
        return data[:room]

    def is_complete(self) -> bool:
        """Return `True`: the connection decides where the content ends."""
        return True


class Frames(ABC):
    """Codings whose streams are frames, each of which can be recognised by its beginning."""

    needed: int
    """How many bytes are needed to recognise a frame."""
    error: type[Exception]
    """What the library raises for a frame that is broken."""

    def __init__(self) -> None:
        """Begin before the first frame."""
        self._held = b""  # bytes for which there was no room, or too few to tell what begins
        self._stream: Any = None
        self._frames = 0
        self._is_over = False
        self._is_full = False  # the stream may have more to give without more data

    @property
    def has_more(self) -> bool:
        """Whether there was not enough room."""
        return self._is_full or (len(self._held) >= self.needed and not self._is_over)

    def feed(self, data: bytes, room: int) -> bytes:
        """Return further content, at most `room` bytes of it."""
        data, self._held = self._held + data, b""
        pieces: list[bytes] = []
        while (data or self._is_full) and room > 0 and not self._is_over:
            if self._stream is None:
                if len(data) < self.needed:
                    break
                self._begin(data)
                continue
            piece, data = self._piece(data, room)
            pieces.append(piece)
            room -= len(piece)
        self._held = data
        return b"".join(pieces)

    def _piece(self, data: bytes, room: int) -> tuple[bytes, bytes]:
        """Decompress what there is room for; return it and the remaining data."""
        stream = self._stream
        try:
            piece = stream.decompress(data, room)
        except self.error as error:
            raise DecodingError(str(error)) from error
        self._is_full = len(piece) == room and not stream.eof
        if stream.eof:
            self._stream = None
            return piece, stream.unused_data
        # zlib returns the data that it did not reach; the others keep it.
        return piece, getattr(stream, "unconsumed_tail", b"")

    def _begin(self, data: bytes) -> None:
        """Begin a frame, if there is one."""
        if self._frames == MOST_MEMBERS:
            message = f"more than {MOST_MEMBERS} members"
            raise DecodingError(message)
        # Anything after the last frame is ignored, as browsers do for gzip.
        self._is_over = self._frames > 0 and not self.follows(data)
        if not self._is_over:
            self._frames += 1
            self._stream = self.begun(data)

    @abstractmethod
    def follows(self, data: bytes) -> bool:
        """Return whether another frame begins with these bytes."""

    @abstractmethod
    def begun(self, data: bytes) -> Any:  # noqa: ANN401  each library has its own
        """Return what decompresses the frame that begins with these bytes."""

    def is_complete(self) -> bool:
        """Whether the last frame came to its end."""
        return self._is_over or (self._frames > 0 and self._stream is None)


class Inflater(Frames):
    """The codings gzip, of one or more members, and deflate.

    >>> import gzip
    >>> inflater = Inflater("gzip")
    >>> inflater.feed(gzip.compress(b"Disallow: /" * 1000), room=9), inflater.is_complete()
    (b'Disallow:', False)
    """

    needed = len(GZIP_MAGIC)
    error = zlib.error

    def __init__(self, coding: str) -> None:
        """Begin before the first member."""
        super().__init__()
        self._is_gzip = coding == "gzip"

    def follows(self, data: bytes) -> bool:
        """Return whether another member begins; a deflate has one."""
        return self._is_gzip and data.startswith(GZIP_MAGIC)

    def begun(self, data: bytes) -> Any:  # noqa: ANN401  the type has no public name
        """Return what inflates the member."""
        return zlib.decompressobj(GZIP if self._is_gzip else frame_of(data))


def frame_of(data: bytes) -> int:
    """Return the `wbits` of a deflate, with its frame or without, as many servers send it.

    Source: RFC 1950 section 2.2; RFC 9110 section 8.4.1.2, note.
    """
    is_zlib = data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0  # noqa: PLR2004
    return ZLIB if is_zlib else RAW


def bounded_brotli() -> ModuleType | None:
    """Return the module `brotli`, if it is installed and can limit its output (1.2 or later)."""
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
        self._held = b""  # data that it did not accept yet
        self._left = b""  # content beyond the room: brotli returns up to twice as much

    @property
    def has_more(self) -> bool:
        """Whether there was not enough room."""
        stream = self._stream
        is_full = bool(self._held) or not stream.can_accept_more_data()
        return bool(self._left) or (is_full and not stream.is_finished())

    def feed(self, data: bytes, room: int) -> bytes:
        """Return further content, at most `room` bytes of it."""
        data, self._held = self._held + data, b""
        if room > len(self._left) and not self._stream.is_finished():
            if not self._stream.can_accept_more_data():
                data, self._held = b"", data
            try:
                self._left += self._stream.process(data, output_buffer_limit=room - len(self._left))
            except self._error as error:
                raise DecodingError(str(error)) from error
        else:
            self._held = data
        piece, self._left = self._left[:room], self._left[room:]
        return piece

    def is_complete(self) -> bool:
        """Whether the content came to its end."""
        return bool(self._stream.is_finished())


def bounded_zstd() -> ModuleType | None:
    """Return Python 3.14's module for Zstandard, or its backport, if one is installed."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return import_module(name)
        except ImportError:  # noqa: PERF203  there are two
            continue
    return None


ZSTD = bounded_zstd()


class Unzstd(Frames):
    """The coding zstd, of one or more frames, none with a window of more than 8 MiB.

    Source: RFC 8878 section 3.1 (frames, also those to be skipped); RFC 9659 (the window).
    """

    needed = len(ZSTD_MAGIC)

    def __init__(self, coding: str) -> None:
        """Begin before the first frame."""
        super().__init__()
        del coding  # there is one
        module: Any = ZSTD
        self.error = module.ZstdError
        self._new = module.ZstdDecompressor
        self._options = {module.DecompressionParameter.window_log_max: ZSTD_WINDOW_LOG}

    def follows(self, data: bytes) -> bool:
        """Return whether another frame begins."""
        is_skipped = data[1:4] == ZSTD_SKIPPED and data[0] >> 4 == ZSTD_SKIPPED_FIRST
        return is_skipped or data.startswith(ZSTD_MAGIC)

    def begun(self, data: bytes) -> Any:  # noqa: ANN401  of whichever module is there
        """Return what decompresses the frame."""
        del data
        return self._new(options=self._options)


OF_THE_EXTRA = ("br", "zstd")
"""The codings that need the extra `encodings`."""

DECODERS: dict[str, type[Inflater] | type[Unbrotli] | type[Unzstd]] = {
    "gzip": Inflater,
    "x-gzip": Inflater,
    "deflate": Inflater,
    **({"br": Unbrotli} if BROTLI else {}),
    **({"zstd": Unzstd} if ZSTD else {}),
}
"""The codings that can be decoded within a limit, and so the only ones that are requested."""

ACCEPT_ENCODING = ", ".join(name for name in DECODERS if name != "x-gzip")


def decoder_of(codings: list[str]) -> Decoder:
    """Return the decoder for the values of Content-Encoding.

    Raises:
        DecodingError: There is an unknown coding, or several, which were not requested.

    >>> type(decoder_of(["identity", "GZIP"])).__name__
    'Inflater'

    """
    if not codings:
        return NoCoding()
    names = [name.strip().lower() for value in codings for name in value.split(",")]
    names = [name for name in names if name not in {"", "identity"}]
    if not names:
        return NoCoding()
    if len(names) > 1 or names[0] not in DECODERS:
        message = f"Content-Encoding: {', '.join(names)}; requested was {ACCEPT_ENCODING}"
        if len(names) == 1 and names[0] in OF_THE_EXTRA:
            message = f"{message}; pip install 'goodbot[encodings]' decodes br and zstd"
        raise DecodingError(message)
    return DECODERS[names[0]](names[0].removeprefix("x-"))
