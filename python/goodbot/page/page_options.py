"""Options of `Page` that robots, crawls and adapters pass on for every page that they read."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from operator import attrgetter
from typing import Any

from goodbot.display import short_repr
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.lazy_dataclass import dataclass
from goodbot.page.inputs import checked, checked_bytes, checked_uris

__all__ = ["PageOptions"]

LARGEST_NAMES_PAGE = 1024 * 1024
"""The most bytes of a page of names, which is stored with the settings of a crawl."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PageOptions:
    """Options of `goodbot.Page` for every page; `None` stands for the default of `Page`.

    Args:
        marks: The names of the marks on parts that count, from `goodbot.page.MARKS`.
        profile_uris: The URIs by which a document names the Robot Exclusion Profile.
        profile_links: Whether `link rel=profile` and the HTTP Link header name profiles, too.
        names_page: The content of the page of robots' names, for every document.
        lenient: Whether to accept white space before the `?>` of the robots processing instruction.

    Raises:
        WrongTypeError: `marks` or `profile_uris` is not a list of `str`, `names_page` is neither
            `str` nor a buffer, or `profile_links` or `lenient` is not a `bool`.
        WrongValueError: There is no mark of one of the names, or `names_page` is over 1 MiB.

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
            content = checked_bytes(self.names_page, "names_page")
            if len(content) > LARGEST_NAMES_PAGE:
                message = f"names_page has {len(content):,} bytes; pass at most 1 MiB"
                raise WrongValueError(message)
            object.__setattr__(self, "names_page", content)
        for name in ("profile_links", "lenient"):
            value = getattr(self, name)
            if not isinstance(value, bool | None):
                message = f"{name} must be True, False or None, not {type(value).__name__}"
                raise WrongTypeError(message)

    @classmethod
    def of(cls, named: object) -> "PageOptions":
        """Return the options in a mapping; `None` stands for no options.

        Raises:
            WrongTypeError: `named` is neither a mapping nor `PageOptions` nor `None`.
            WrongValueError: There is no such option.

        >>> PageOptions.of({"lenient": True}).lenient
        True

        """
        if isinstance(named, PageOptions):
            return named
        return cls().merged(named)

    def merged(self, named: object) -> "PageOptions":
        """Return these options, replaced by those that a mapping names.

        Raises:
            WrongTypeError: `named` is neither a mapping nor `PageOptions` nor `None`.
            WrongValueError: There is no such option.

        """
        if isinstance(named, PageOptions):
            return named
        if named is None:
            return self
        if not isinstance(named, Mapping):
            given = type(named).__name__
            message = f"page_options must be PageOptions or a mapping of options, not {given}"
            raise WrongTypeError(message)
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        unknown = [name for name in named if name not in values]
        if unknown:
            message = f"page_options has no {unknown[0]!r}; it has {', '.join(values)}"
            raise WrongValueError(message)
        return PageOptions(**(values | dict(named)))

    def as_arguments(self) -> dict[str, Any]:
        """Return the options that are set, as arguments of `Page`."""
        values = option_values(self)
        if values == NONE_SET:
            return {}
        return {name: one for name, one in zip(OPTIONS, values, strict=True) if one is not None}

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
            # Latin-1 has one character for each byte, so any encoding of the page survives.
            values["names_page"] = values["names_page"].decode("latin-1")
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "PageOptions":
        """Return the options that `as_dict` wrote.

        Raises:
            MisuseError: The values are not those of `as_dict`.

        """
        values = dict(values)
        if isinstance(values.get("names_page"), str):
            values["names_page"] = values["names_page"].encode("latin-1")
        return cls.of(values)


OPTIONS = tuple(one.name for one in fields(PageOptions))
"""The names of the options."""
option_values = attrgetter(*OPTIONS)
"""The values of options, in that order."""
NONE_SET = (None,) * len(OPTIONS)
"""The values of options that are all those of `Page`."""
