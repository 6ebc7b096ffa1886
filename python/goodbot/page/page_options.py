"""How pages are read beside their dialect: what robots, crawls and adapters hand on to `Page`."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from goodbot.display import short_repr
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.page.inputs import checked, checked_bytes, checked_uris

__all__ = ["PageOptions"]

LARGEST_NAMES_PAGE = 1024 * 1024
"""The most bytes of a page of names that is kept with the settings of a crawl."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOptions:
    """Options of `goodbot.Page` for every page; `None` stands for what `Page` does itself.

    Args:
        marks: The names of the marks on parts that count, of those in `goodbot.page.MARKS`.
        profile_uris: The URIs by which a document names the Robot Exclusion Profile.
        profile_links: Whether `link rel=profile` and the HTTP Link header name profiles, too.
        names_page: The bytes of the page that holds the names of robots, for every document.
        lenient: Whether the robots processing instruction may have white space before `?>`.

    Raises:
        WrongTypeError: `profile_uris` is a `str` or has something else in it, `names_page` has no
            bytes, or `profile_links` or `lenient` is no `bool`.
        WrongValueError: A mark is not in the table, or `names_page` is over 1 MiB.

    >>> options = PageOptions(profile_uris=["https://example.com/profile"])
    >>> options.as_arguments()
    {'profile_uris': ('https://example.com/profile',)}
    """

    marks: Collection[str] | None = None
    profile_uris: Iterable[str] | None = None
    profile_links: bool | None = None
    names_page: bytes | str | None = None
    lenient: bool | None = None

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check the values."""
        if self.marks is not None:
            object.__setattr__(self, "marks", checked(self.marks))
        if self.profile_uris is not None:
            object.__setattr__(self, "profile_uris", checked_uris(self.profile_uris))
        if self.names_page is not None:
            octets = checked_bytes(self.names_page, "names_page")
            if len(octets) > LARGEST_NAMES_PAGE:
                message = f"names_page has {len(octets)} bytes; give one of at most 1 MiB"
                raise WrongValueError(message)
            object.__setattr__(self, "names_page", octets)
        for name in ("profile_links", "lenient"):
            value = getattr(self, name)
            if not isinstance(value, bool | None):
                message = f"{name} must be True, False or None, not {type(value).__name__}"
                raise WrongTypeError(message)

    @classmethod
    def of(cls, named: object) -> "PageOptions":
        """Return the options that a mapping names; `None` names none.

        Raises:
            WrongTypeError: It is neither a mapping nor `PageOptions`.
            WrongValueError: There is no such option.

        >>> PageOptions.of({"lenient": True}).lenient
        True

        """
        if isinstance(named, PageOptions):
            return named
        return cls().merged(named)

    def merged(self, named: object) -> "PageOptions":
        """Return these options with those that a mapping names in their place.

        Raises:
            WrongTypeError: It is neither a mapping nor `PageOptions` nor `None`.
            WrongValueError: There is no such option.

        """
        if isinstance(named, PageOptions):
            return named
        if named is None:
            return self
        if not isinstance(named, Mapping):
            given = type(named).__name__
            message = f"page_options must be PageOptions or a mapping of some of them, not {given}"
            raise WrongTypeError(message)
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        unknown = [name for name in named if name not in values]
        if unknown:
            message = f"page_options has no {unknown[0]!r}; it has {', '.join(values)}"
            raise WrongValueError(message)
        return PageOptions(**(values | dict(named)))

    def as_arguments(self) -> dict[str, Any]:
        """Return the arguments of `Page` that are named here."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: value for name, value in values.items() if value is not None}

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON; `from_dict` reads them.

        >>> options = PageOptions(names_page=b"<p>", marks=["ugc"])
        >>> PageOptions.from_dict(options.as_dict()) == options
        True
        """
        values = self.as_arguments()
        if "marks" in values:
            values["marks"] = sorted(values["marks"])
        if "profile_uris" in values:
            values["profile_uris"] = list(values["profile_uris"])
        if "names_page" in values:
            # Each character a byte, whatever the encoding of the page.
            values["names_page"] = values["names_page"].decode("latin-1")
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "PageOptions":
        """Read what `as_dict` wrote.

        Raises:
            MisuseError: It is something else.

        """
        values = dict(values)
        if isinstance(values.get("names_page"), str):
            values["names_page"] = values["names_page"].encode("latin-1")
        return cls.of(values)
