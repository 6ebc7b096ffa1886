"""`goodbot reconsider --apply` and `--replace`: what is written, and the numbers.

Scope: from options to new files; `goodbot.crawl.reconsidering` writes them.
"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer
from goodbot.crawl.reconsidering.archive_rewriting import ENDINGS, rewrite_archives
from goodbot.crawl.reconsidering.folder_rewriting import (
    LOG_NAME,
    RewrittenFolder,
    remove_in_place,
    write_folder,
)
from goodbot.crawl.reconsidering.holdings import ArchiveHoldings, FolderHoldings, FoundSources
from goodbot.crawl.reconsidering.removal_log import RemovalLog
from goodbot.http.amounts import counted

if TYPE_CHECKING:
    from goodbot.crawl.verbs.reconsider_view.asked import ReconsiderOptions

__all__ = ["apply_to_held", "log_path"]


def apply_to_held(held: ArchiveHoldings | FolderHoldings, asked: "ReconsiderOptions") -> ExitStatus:
    """Write what stays; print what was removed.

    Raises:
        MisuseError: A part of a file could not be read, or the new name is taken.
        StoreError: A file cannot be read or written.

    """
    printer = Printer(sys.stdout)
    if isinstance(held, ArchiveHoldings):
        return apply_to_archives(held, asked, printer)
    return apply_to_folder(held, asked, printer)


def apply_to_archives(
    held: ArchiveHoldings, asked: "ReconsiderOptions", printer: Printer
) -> ExitStatus:
    """Write archives anew."""
    new = None if asked.new is None else Path(asked.new)
    log = RemovalLog(log_path(held.found, asked), asked.now, asked.robot)
    done = rewrite_archives(held, new, log, asked.now, tombstones=asked.tombstones)
    if asked.as_json:
        printer.line(json.dumps({"new": asked.new, **done.as_dict()}))
        return ExitStatus.ALLOWED
    if done.copied:
        printer.line(f"{counted(done.copied, 'file')} copied as they were: nothing in them must go")
    printer.line(
        f"{asked.new or 'in place'}: {counted(done.removed, 'record')} removed, "
        f"{counted(done.files, 'file')} written anew"
    )
    if done.became:
        printer.line(
            f"{counted(done.became, 'revisit')} of other URLs kept their content, as responses"
        )
    tell_log(done.log, printer)
    return ExitStatus.ALLOWED


def log_path(found: FoundSources, asked: "ReconsiderOptions") -> Path:
    """Return the file of the log for archives and tables."""
    if asked.log is not None:
        return Path(asked.log)
    if asked.new is None:
        return (found.root or found.files[0].parent) / LOG_NAME
    new = Path(asked.new)
    is_file = len(found.files) == 1 and new.name.lower().endswith(ENDINGS)
    return new.with_name(f"{new.name}.{LOG_NAME}") if is_file else new / LOG_NAME


def apply_to_folder(
    held: FolderHoldings, asked: "ReconsiderOptions", printer: Printer
) -> ExitStatus:
    """Write a folder anew, or remove pages from it."""
    going, root = list(held.going), held.root
    held.close()
    if asked.new is None:
        log = RemovalLog(Path(asked.log or root / LOG_NAME), asked.now, asked.robot)
        done = remove_in_place(root, going, log, asked.now)
    else:
        own = None if asked.log is None else RemovalLog(Path(asked.log), asked.now, asked.robot)
        done = write_folder(root, Path(asked.new), going, own, asked.now, asked.robot)
    if asked.as_json:
        printer.line(json.dumps({"new": asked.new, **done.as_dict()}))
        return ExitStatus.ALLOWED
    printer.line(f"{asked.new or root}: {what_is_gone(done)}")
    tell_log(done.log, printer)
    return ExitStatus.ALLOWED


def what_is_gone(done: RewrittenFolder) -> str:
    """Return what was removed, as a clause."""
    from_index = (
        f", {counted(done.from_index, 'page')} taken out of the index" if done.from_index else ""
    )
    return f"{counted(done.pages, 'page')} removed{from_index}"


def tell_log(log: str, printer: Printer) -> None:
    """Print where the log is, if anything was removed."""
    if log:
        printer.line(f"What was removed by which statement: {log}")
