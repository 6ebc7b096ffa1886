"""Who asks a site: under which name, where that is explained, and whom to write to."""

import shlex

import goodbot
from goodbot.cli.shared.options import SiteOptions
from goodbot.robot.identity import Identity, identity_of, name_of

__all__ = ["asker_for", "identity_in"]

EXAMPLE_URL = "https://example.com/bot"
EXAMPLE_CONTACT = "bot@example.com"


def identity_in(verb: str, robot: str, site_options: SiteOptions, about: str) -> Identity:
    """Say who asks.

    Raises:
        MisuseError: It is not said, or cannot be so.

    """
    if not site_options.info_url or not site_options.contact:
        raise goodbot.MisuseError(how_to_ask(verb, robot, site_options, about))
    try:
        return identity_of(asker_for(robot), site_options.info_url, site_options.contact)
    except goodbot.WrongValueError as error:
        # It begins with what is wrong: `info_url` or `contact`.
        message = f"--{error}".replace("info_url", "info-url", 1)
        raise goodbot.MisuseError(message) from error


def asker_for(robot: str) -> str:
    """Give the name to ask under: the robot's if it can be one's own, else the program's.

    Nobody asks under the name of a browser or of another's robot; who wants to know what such a one
    may fetch asks as who it is.

    >>> asker_for("ExampleBot/1.0"), asker_for("ExampleBot/1.0 (+https://example.com/bot)")
    ('ExampleBot/1.0', 'ExampleBot/1.0')
    >>> asker_for("*") == asker_for("Googlebot") == f"goodbot/{goodbot.__version__}"
    True
    """
    name = robot.partition(" ")[0]
    try:
        name_of(name)
    except goodbot.RobotNameError:
        return f"goodbot/{goodbot.__version__}"
    return name


def how_to_ask(verb: str, robot: str, site_options: SiteOptions, about: str) -> str:
    """Say that a site must be able to see who asks, and what to type."""
    info_url, contact = (
        site_options.info_url or EXAMPLE_URL,
        site_options.contact or EXAMPLE_CONTACT,
    )
    named = [] if robot == "*" else ["--robot", robot]
    words = ["goodbot", verb, "--info-url", info_url, "--contact", contact, *named]
    words += [about] if about else []
    once = f"GOODBOT_INFO_URL={shlex.quote(info_url)} GOODBOT_CONTACT={shlex.quote(contact)}"
    needed = (
        "a site must be able to see who asks: say where your robot is explained and at which "
        "address somebody reads mail, here or once for all:"
    )
    lines = [needed, shlex.join(words), f"export {once}"]
    if verb == "check":
        lines += ["or save the file by other means, and name it:", *hint_of_file(about, named)]
    return "\n".join(lines)


def hint_of_file(about: str, words: list[str]) -> list[str]:
    """Give the commands that save a robots.txt and ask it."""
    robots_txt = shlex.quote(goodbot.robots_txt_url(about))
    asked = shlex.join(["goodbot", "check", "--robots-txt", "robots.txt", *words, about])
    return [f"curl -sSfL -o robots.txt {robots_txt}", asked]
