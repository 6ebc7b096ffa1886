"""Who visits a site: the robot's name, the page that explains it, and whom to write to."""

import shlex

import goodbot
from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared.options import SiteOptions
from goodbot.robot.identity import Identity, identity_of, program_identity

__all__ = [
    "EXAMPLE_CONTACT",
    "EXAMPLE_URL",
    "identity_for_robots_txt",
    "identity_in",
    "names_no_operator",
    "visitor",
]

EXAMPLE_URL = "https://example.com/bot"
EXAMPLE_CONTACT = "bot@example.com"

WHO_IS_VISITING = (
    "a site must be able to see who is visiting. Name a web page that explains your robot and an "
    "email address that you read. Set both once, and run your command again:"
)


def identity_for_robots_txt(site_options: SiteOptions) -> Identity:
    """Return who requests only robots.txt, or a list for programs: that needs no operator.

    Args:
        site_options: The page that explains it, and whom to write to, if they are known.

    Raises:
        MisuseError: The page or the contact is empty or cannot be used.

    """
    given = (site_options.info_url, site_options.contact)
    if all(given) or "" in given:  # an empty one is a variable that was not set
        return visitor(site_options)
    return program_identity(*given)


MISSING = (
    ("contact", "an email address (From)", "GOODBOT_CONTACT", "--contact"),
    (
        "info_url",
        "a page that explains the robot (in User-Agent)",
        "GOODBOT_INFO_URL",
        "--info-url",
    ),
)
"""What a request may lack, the field in which it is sent, and how to set it."""


def names_no_operator(identity: Identity, what_was: str = "robots.txt was requested") -> str | None:
    """Return the note on what an identity lacks, and how to set it; `None` if it lacks nothing.

    Args:
        identity: Who requested it.
        what_was: What was requested, as the beginning of a sentence.

    """
    lacking = [row[1:] for row in MISSING if not getattr(identity, row[0])]
    if not lacking:
        return None
    what, variables, options = (" and ".join(column) for column in zip(*lacking, strict=True))
    return (
        f"{what_was} as {identity.user_agent}, without {what}. So that the site "
        f"can tell who asked, set {variables}, or add {options}"
    )


def visitor(site_options: SiteOptions) -> Identity:
    """Return who visits a site to answer a question: this program, for its operator.

    The robot that is asked about never sets what is sent: a name that is mistyped, or another
    company's, must not reach the site as that of its visitor.

    Raises:
        MisuseError: See `identity_in`.

    """
    return identity_in(program_identity().name, site_options)


def identity_in(robot: str, site_options: SiteOptions) -> Identity:
    """Return who visits sites as a robot of the user's own.

    Args:
        robot: Its name.
        site_options: The page that explains it, and whom to write to.

    Raises:
        MisuseError: The page or the contact is missing or cannot be used; the message has the
            commands to run.
        RobotNameError: The name belongs to another robot, or is malformed.

    """
    if not site_options.info_url or not site_options.contact:
        raise goodbot.MisuseError(how_to_identify(site_options))
    return identity_of(robot, site_options.info_url, site_options.contact)


def how_to_identify(site_options: SiteOptions) -> str:
    """Return that a site must be able to see who visits it, and commands that say so.

    Args:
        site_options: What was given.

    """
    info_url = shlex.quote(site_options.info_url or EXAMPLE_URL)
    contact = shlex.quote(site_options.contact or EXAMPLE_CONTACT)
    command = suggest(
        "--info-url",
        site_options.info_url or EXAMPLE_URL,
        "--contact",
        site_options.contact or EXAMPLE_CONTACT,
    )
    lines = [
        WHO_IS_VISITING,
        f"  export GOODBOT_INFO_URL={info_url} GOODBOT_CONTACT={contact}",
        "or name them in the command:",
        f"  {command}",
    ]
    return "\n".join(lines)
