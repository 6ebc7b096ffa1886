"""Who visits a site: the robot's name, the page that explains it, and whom to write to."""

import shlex

import goodbot
from goodbot.bots import known
from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared.options import SiteOptions
from goodbot.robot.identity import Identity, identity_of, name_of, program_identity

__all__ = [
    "EXAMPLE_CONTACT",
    "EXAMPLE_URL",
    "asker_for",
    "identity_for_robots_txt",
    "identity_in",
    "names_no_operator",
]

EXAMPLE_URL = "https://example.com/bot"
EXAMPLE_CONTACT = "bot@example.com"

WHO_IS_VISITING = (
    "a site must be able to see who is visiting. Name a web page that explains your robot and an "
    "email address that you read. Set both once, and run your command again:"
)


def identity_for_robots_txt(robot: str, site_options: SiteOptions) -> Identity:
    """Return who requests robots.txt, and nothing else: that needs no operator.

    Args:
        robot: The robot that is asked about.
        site_options: The page that explains it, and whom to write to, if they are known.

    Raises:
        MisuseError: The page or the contact is empty or cannot be used.

    """
    given = (site_options.info_url, site_options.contact)
    if all(given) or "" in given:  # an empty one is a variable that was not set
        return identity_in(robot, site_options)
    return program_identity()


def names_no_operator(identity: Identity) -> str:
    """Return the note on an identity without an operator, which says how to name one."""
    return (
        f"robots.txt was requested as {identity.user_agent}, which names no operator. To visit "
        "under your own name, set GOODBOT_INFO_URL and GOODBOT_CONTACT, or add --info-url and "
        "--contact"
    )


def identity_in(robot: str, site_options: SiteOptions) -> Identity:
    """Return who visits sites.

    Args:
        robot: The robot that is asked about.
        site_options: The page that explains it, and whom to write to.

    Raises:
        MisuseError: The page or the contact is missing or cannot be used; the message has the
            commands to run.

    """
    if not site_options.info_url or not site_options.contact:
        raise goodbot.MisuseError(how_to_identify(site_options))
    return identity_of(asker_for(robot), site_options.info_url, site_options.contact)


def asker_for(robot: str) -> str:
    """Return the name to visit sites under: the robot's own, or else this program's.

    goodbot never visits a site under the name of a browser or of another company's robot. To check
    what such a robot may fetch, it visits the site under its own name.

    >>> asker_for("ExampleBot/1.0"), asker_for("ExampleBot/1.0 (+https://example.com/bot)")
    ('ExampleBot/1.0', 'ExampleBot/1.0')
    >>> asker_for("*") == asker_for("Googlebot") == f"goodbot/{goodbot.__version__}"
    True
    """
    own = f"goodbot/{goodbot.__version__}"
    name = robot.partition(" ")[0]
    try:
        name_of(name)
    except goodbot.RobotNameError:
        return own
    return name if known(robot) is None else own


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
