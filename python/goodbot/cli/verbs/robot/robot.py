"""`goodbot robot`: what you need to run a robot, beside a crawl."""

import click

from goodbot.cli.shared.verb_groups import LazyVerb, VerbGroup

__all__ = ["robot"]

LAZY = {
    "page": LazyVerb(
        "cli.verbs.robot.page", "Print a web page that explains your robot to site owners."
    ),
    "mcp": LazyVerb(
        "cli.verbs.robot.mcp", "Serve a tool that fetches pages politely to an AI assistant."
    ),
    "identity": LazyVerb(
        "cli.verbs.robot.identity",
        "Make and publish the keys by which your robot signs its requests.",
    ),
    "block": LazyVerb(
        "crawl.verbs.block", "Block sites and URLs, so that the robot never visits them."
    ),
    "pause": LazyVerb("crawl.verbs.pause", "Pause the visits to one site of a crawl."),
    "resume": LazyVerb("crawl.verbs.resume", "Resume the visits to a site that was paused."),
    "forget": LazyVerb(
        "crawl.verbs.forget", "Remove one URL from the index and the archive of a crawl."
    ),
}


@click.group(cls=VerbGroup, lazy=LAZY, no_args_is_help=True)
def robot() -> None:
    """Explain your robot to site owners, keep it away from sites, or lend it to an assistant.

    \b
    Examples:
      goodbot robot page -r ExampleBot/1.0 --info-url https://example.com/bot \\
        --contact bot@example.com > bot.html
      goodbot robot identity new me --url https://example.com/keys.json
      goodbot robot block add shop https://a.example --why "they asked us by mail not to come"
      goodbot robot pause shop https://a.example
    """  # noqa: D301  click looks for the character that \b is
