"""`goodbot.toml`: options of `goodbot crawl` that are read from a file.

Scope: which file is read, and which of its keys and values are accepted. The keys are the names of
the options in `option_rows`, without the dashes before them.
"""

import json
from collections.abc import Mapping
from typing import Any

import click

from goodbot.cli.advice.near_misses import did_you_mean
from goodbot.cli.shared.config_toml import (
    CONFIG_FILE,
    check_inside,
    config_here,
    read_table,
)
from goodbot.crawl.verbs.crawl_view.conversions import start_in
from goodbot.crawl.verbs.crawl_view.crawl_option import CrawlOption
from goodbot.crawl.verbs.crawl_view.option_kinds import NONE, OrNone
from goodbot.crawl.verbs.crawl_view.option_rows import OPTIONS, settings_in
from goodbot.errors import GoodbotError, MisuseError

__all__ = ["CONFIG", "START", "config_option", "config_text", "read_config", "unchanged_in"]

CONFIG = "goodbot.config"
"""The key under which click's context has what the file says."""

START = "start"
"""The key of the URLs at which the crawl starts, which are arguments of the command."""

OUT = "out"
STORE = "store"
"""The folder of the crawl."""

OUTSIDE = {
    "url": 'write start = ["https://example.com/"]',
    "urls": 'write start = ["https://example.com/"]',
    "config": "name the file in the command: --config FILE",
}
"""What belongs in the command, although it has no option or is about the file itself."""

ROW_BY_KEY: Mapping[str, CrawlOption] = {row.key: row for row in OPTIONS}


def config_option() -> click.Option:
    """Return `--config`, which is read before all other options."""
    return click.Option(
        ["--config", "config_file"],
        metavar=f"FILE|{NONE}",
        is_eager=True,
        callback=use_config,
        help="Read options from the table [crawl] of this TOML file; options in the command come "
        f"first. By default {CONFIG_FILE} in the current directory is read, if there is one.",
    )


def use_config(context: click.Context, _parameter: click.Parameter, path: str | None) -> str | None:
    """Read the file, and make what it says the defaults of the other options; return its path.

    Raises:
        MisuseError: It is not valid, or has a key or a value that is not accepted.
        OSError: It cannot be read.

    """
    if context.resilient_parsing or (path or "").casefold() == NONE:
        return path
    found = config_here() if path is None else path
    if found is None:
        return path
    values = read_config(found, context)
    context.meta[CONFIG] = values
    context.default_map = {
        ROW_BY_KEY[key].name: value for key, value in values.items() if key != START
    }
    return path


def read_config(path: str, context: click.Context) -> dict[str, Any]:
    """Return the table `[crawl]` of a file: a value for each key, in a form that click accepts.

    Raises:
        MisuseError: The file is not valid, or has a key or a value that is not accepted.
        OSError: It cannot be read.

    """
    table = read_table(path, (START, *ROW_BY_KEY))
    return {key: checked(path, key, value, context) for key, value in table.items()}


def start_urls(path: str, value: object) -> list[str]:
    """Return the URLs at which the crawl starts.

    Raises:
        MisuseError: They are not a list of URLs.

    """
    if not isinstance(value, list) or not value or not all(isinstance(one, str) for one in value):
        message = (
            f'{path}: {START} must be a list of URLs such as ["https://example.com/"], not '
            f"{json.dumps(value, default=str)[:80]}"
        )
        raise MisuseError(message)
    try:
        for one in value:
            start_in(one)
    except MisuseError as error:
        message = f"{path}: {START}: {error}"
        raise MisuseError(message) from error
    return value


def checked(path: str, key: str, value: object, context: click.Context) -> Any:  # noqa: ANN401
    """Return the value of a key, in a form that click accepts.

    Raises:
        MisuseError: The key or the value is not accepted.

    """
    # Slow to load, and every crawl needs it.
    from goodbot.crawl.run.settings import CrawlSettings, GivenSettings  # noqa: PLC0415

    if key == START:
        return start_urls(path, value)
    row = ROW_BY_KEY.get(key)
    if row is None:
        message = f"{path}: {of_unknown_key(key)}"
        raise MisuseError(message)
    if row.never_in_file:
        message = f"{path}: {key} is not read from a file, {row.never_in_file}; add {row.flag}"
        raise MisuseError(message)
    accepted = accepted_by(row)
    plain = plain_value(row, value)
    if plain is None:
        message = f"{path}: {key} must be {accepted}, not {json.dumps(value, default=str)[:80]}"
        raise MisuseError(message)
    if key == OUT:
        check_inside(path, plain)
    try:
        if key == STORE:
            check_store(path, plain)
        settings = settings_in({row.name: row.option.type_cast_value(context, plain)})
        CrawlSettings().merged(GivenSettings(**settings))
    except click.BadParameter as error:
        message = f"{path}: {key} must be {accepted}: {error.message}"
        raise MisuseError(message) from error
    except GoodbotError as error:
        message = f"{path}: {key}: {error.message_with({row.setting: key})}"
        raise MisuseError(message) from error
    return plain


def check_store(path: str, text: str) -> None:
    """Refuse a store that a file names outside the current directory, such as on a server.

    Raises:
        MisuseError: It lies outside, or the text means no store.

    """
    from goodbot.store.opening import is_lasting, store_file, store_name  # noqa: PLC0415  slow to load

    file = store_file(text)
    if file is not None:
        check_inside(path, file, STORE)
    elif is_lasting(text):
        message = (
            f"{path}: {STORE} = {json.dumps(store_name(text))} names a server, which only a "
            "command may do; add --store to the command"
        )
        raise MisuseError(message)


def of_unknown_key(key: str) -> str:
    """Return that there is no such key, and which one was probably meant."""
    positive = key.replace("_", "-").removeprefix("no-")
    row = ROW_BY_KEY.get(positive)
    if row is not None and row.is_switch and positive != key:
        return f"there is no key {key}; write {positive} = false"
    if key in OUTSIDE:
        return f"there is no key {key}; {OUTSIDE[key]}"
    return f"there is no key {key}.{did_you_mean(key.replace('_', '-'), (START, *ROW_BY_KEY))}"


def accepted_by(row: CrawlOption) -> str:
    """Return which values a key accepts, in words."""
    kind = row.option.type
    inner = kind.kind if isinstance(kind, OrNone) else kind
    if row.is_switch:
        words = "true or false"
    elif row.option.multiple:
        words = "a list of strings"
    elif isinstance(inner, click.types.IntParamType):
        words = "a whole number"
    elif isinstance(inner, click.types.FloatParamType):
        words = "a number"
    else:
        words = "a string"
    return f'{words} or "{NONE}"' if row.accepts_none else words


def plain_value(row: CrawlOption, value: object) -> Any:  # noqa: ANN401  as TOML has it
    """Return a value in the form that click accepts; `None` if its type is wrong."""
    kind = row.option.type
    inner = kind.kind if isinstance(kind, OrNone) else kind
    if row.accepts_none and value == NONE:
        return [NONE] if row.option.multiple else NONE
    if row.is_switch:
        return value if isinstance(value, bool) else None
    if row.option.multiple:
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            return None
        return value or [NONE]
    if isinstance(inner, click.types.IntParamType):
        is_right = isinstance(value, int)
    elif isinstance(inner, click.types.FloatParamType):
        is_right = isinstance(value, (int, float))
    else:
        is_right = isinstance(value, str)
    return value if is_right and not isinstance(value, bool) else None


def config_text(values: Mapping[str, Any]) -> str:
    """Return what a file says of the settings that a folder stores, to be compared later."""
    stored = {
        key: value for key, value in values.items() if key != START and ROW_BY_KEY[key].setting
    }
    return json.dumps(stored, sort_keys=True)


def unchanged_in(values: Mapping[str, Any], before: str) -> set[str]:
    """Return the names of options of which a file says what it said before.

    Args:
        values: What the file says.
        before: What it said, as `config_text` returned it.

    >>> sorted(unchanged_in({"max-pages": 9, "pause": 2}, '{"max-pages": 9, "pause": 1}'))
    ['max_pages']
    """
    try:
        stored = json.loads(before or "{}")
    except ValueError:
        return set()
    if not isinstance(stored, dict):
        return set()
    return {
        ROW_BY_KEY[key].name
        for key, value in values.items()
        if key in stored and stored[key] == value
    }
