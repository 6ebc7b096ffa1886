"""The page on the settings of a crawl: where a value comes from, and what happens to each later."""

from collections.abc import Iterator

from goodbot.crawl.verbs.crawl_view.config_file import accepted_by
from goodbot.crawl.verbs.crawl_view.crawl_option import CrawlOption
from goodbot.crawl.verbs.crawl_view.option_rows import OPTIONS, SECTIONS
from printing.as_markdown import code, table

SETTINGS = """\
# The settings of a crawl

For operators of `goodbot crawl`: where a setting comes from, what a later run keeps, and the config file.

## What a later run keeps

A crawl stores its settings in its folder. `goodbot crawl --resume --out DIR` continues with all of them, and so does `--due`. To change a setting, give its option again:

```console
goodbot crawl --resume --out shop --max-pages 500
goodbot crawl --resume --out shop --max-pages none --include none --sitemaps
```

- A number or a list replaces the one of before. Only `--origin` adds to the earlier ones.
- The word `none` removes a limit or a list.
- A switch has two forms, such as `--sitemaps` and `--no-sitemaps`.
- The robot cannot change, apart from its version: a folder is the evidence of one robot. Another name is refused; use another folder.
- Another start URL is refused without `--resume`, which adds it.

Options that hold for one run, such as `--workers` and `--allow-private`, are not stored. The command that a crawl suggests at its end repeats yours.

## The config file

`goodbot crawl` reads the table `[crawl]` of `goodbot.toml` in the current directory, if there is one, or of the file that `--config FILE` names. `--config none` reads no file.

```toml
[crawl]
start = ["https://example.com/"]
robot = "ExampleBot/1.0"
info-url = "https://example.com/bot"
contact = "bot@example.com"
out = "shop"
max-pages = 1000
exclude = ["/cart", "/search"]
sitemaps = false
hours = ["22:00-06:00"]
max-depth = "none"
```

With this file, `goodbot crawl` alone crawls the site into `shop`, and `goodbot crawl --due` continues there. The verbs that read a crawl need no folder either: `goodbot links --broken`, `goodbot report`, `goodbot search lamp`,
and so on read the folder that the file names, and say so on standard error.

A key is the name of an option without the dashes before it, and means the same. `start` has the URLs, which are used if the command has none; a URL that you add there later is visited by
`goodbot crawl --resume`. A switch is `true` or `false`; an option that can be repeated, or that separates values by commas, is a list.
An unknown key or a value of the wrong type is refused, and nothing is visited.

A setting comes from the first of these that has it:

1. the command,
2. the environment (`GOODBOT_INFO_URL`, `GOODBOT_CONTACT`),
3. the config file, when a crawl begins or the file has changed since the last run,
4. the folder,
5. the default.

So what you set in a command holds in later runs, although the file still says something else; and what you change in the file holds from the next run on. A key that is removed from the file
changes nothing; write `"none"`, or the value that you want.

Some options are never read from a file. Anyone who gives you a folder could have put a `goodbot.toml` into it, so the file gives no permission and runs no program: `--allow-private`,
`--allow-network` and `--alert` are refused there. `--resume`, `--due`, `--again` and `--remove` say what one run does; write them in the command. The file is read from the current directory
only, never from the folders above it, and has at most 1 MiB.

In Python, settings are arguments of `Crawl`, which reads no file.

## Every option

*Stored* options hold in later runs. `goodbot crawl --help` says what each one does.
"""


def settings_page() -> Iterator[str]:
    """Yield the page on the settings of a crawl, with a table of all options."""
    yield from SETTINGS.splitlines()
    yield ""
    for title in SECTIONS:
        yield f"### {title}"
        yield ""
        rows = [row_of(row) for row in OPTIONS if row.section == title]
        yield from table(["option", "in a file", "in a later run", "is removed by"], rows)


def row_of(row: CrawlOption) -> list[str]:
    """Return the row of an option."""
    in_file = "never" if row.never_in_file else f"{code(row.key)}: {accepted_by(row)}"
    return [code(row.flag), in_file, "stored" if row.setting else "given again", removed_by(row)]


def removed_by(row: CrawlOption) -> str:
    """Return how an option is taken back."""
    if row.accepts_none:
        return code(f"{row.flag} none")
    if row.is_switch and row.setting:
        return code(f"--no-{row.key}")
    return "—"
