"""The keys of operators that the user names, to verify signatures.

Scope: it reads files.
"""

from collections.abc import Sequence

from goodbot.bots import every, known
from goodbot.errors import MisuseError, WrongValueError
from goodbot.files.file_input import read_input
from goodbot.site.audit.identity.operator_keys import OperatorKeys

IN_PYTHON = {"keys": "keys="}
"""What messages say of the setting in Python."""


def read_own_keys(files: Sequence[str]) -> dict[str, OperatorKeys]:
    """Return the keys that the user names, by robot.

    Args:
        files: Which file has the keys of which robot: `ROBOT=FILE`.

    Raises:
        MisuseError: They are not of a robot whose operator publishes keys.
        OSError: A file cannot be read.
        WrongValueError: A file has no key that can be used.

    """
    found = {}
    for given in files:
        name, equals, path = given.partition("=")
        if not (equals and name and path):
            message = f"{{keys}} {given}: write ROBOT=FILE, such as 'ChatGPT Agent=keys.json'"
            raise MisuseError(message, IN_PYTHON)
        robot = known(name)
        if robot is None or robot.keys is None:
            fault = "no robot is known by this name" if robot is None else "it publishes no keys"
            signing = ", ".join(known.name for known in every() if known.keys is not None)
            message = f"{{keys}} {given}: {fault}; robots that publish keys are {signing}"
            raise MisuseError(message, IN_PYTHON)
        content = read_input(path)
        try:
            found[robot.name] = OperatorKeys.of(content)
        except WrongValueError as error:
            message = f"{{keys}} {given}: {error}"
            raise WrongValueError(message, IN_PYTHON) from error
    return found
