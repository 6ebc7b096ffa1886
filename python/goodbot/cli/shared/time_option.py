"""The option for a time."""

from datetime import datetime, timezone

import click

__all__ = ["TIME", "in_utc"]

FORMS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S%z")


class Time(click.DateTime):
    """A time, whose message shows how one is written and not what a program calls it."""

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        """Read a time."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            forms = "2026-11-01, 2026-11-01T09:30 or 2026-11-01T09:30:00+0100"
            self.fail(f"{value!r} is not a time; write one such as {forms}", param, ctx)


TIME = Time(FORMS)


def in_utc(time: datetime | None) -> datetime | None:
    """Return a time that was given; without a zone it is in UTC."""
    if time is None or time.tzinfo is not None:
        return time
    return time.replace(tzinfo=timezone.utc)
