"""Whether an identity is ready: its keys are published, and which form of signature a site accepts.

Scope: what is requested; `goodbot.key_sets` reads the keys, `goodbot.signatures` what a site asks.
"""

from dataclasses import replace

from goodbot.display import short_repr
from goodbot.errors import FetchError, WrongValueError
from goodbot.key_sets import fetch_key_set
from goodbot.key_sets.fetching import USER_AGENT
from goodbot.lazy_dataclass import dataclass
from goodbot.net import Clock, Fetcher, HeaderFields, Response
from goodbot.robot.signing_identity import SigningIdentity
from goodbot.signatures import PROFILES
from goodbot.signatures.key_cache import KeyAnswer

__all__ = ["FormAnswer", "IdentityCheck", "check_identity"]

FIRST_SUCCESS, FIRST_REDIRECT = 200, 300


@dataclass(frozen=True, slots=True, repr=False)
class FormAnswer:
    """What a site answered to one form of signature.

    >>> FormAnswer("key-set", 200).is_success
    True
    """

    form: str | None
    """The form, a key of `goodbot.signatures.PROFILES`; `None` for no signature."""
    status: int | None
    """The status; `None` if there was no answer."""
    failure: str = ""
    """Why there was no answer, in words."""
    is_as_asked: bool = False
    """Whether it is the answer to a second request, which was signed as the first answer asked."""

    __repr__ = short_repr

    @property
    def is_success(self) -> bool:
        """Whether the status is one of success."""
        return self.status is not None and FIRST_SUCCESS <= self.status < FIRST_REDIRECT


@dataclass(frozen=True, slots=True, repr=False)
class IdentityCheck:
    """Whether an identity is ready.

    >>> from goodbot.signatures.key_cache import KeyAnswer
    >>> answers = (FormAnswer(None, 403), FormAnswer("key-set", 403), FormAnswer("string", 200))
    >>> found = IdentityCheck(KeyAnswer(None, None, "the status is 404"), (), answers)
    >>> found.are_published, found.accepted, found.is_refused
    (False, ('string',), False)
    """

    keys: KeyAnswer
    """What the URL of the keys has."""
    missing: tuple[str, ...]
    """The thumbprints of the keys that it lacks."""
    answers: tuple[FormAnswer, ...] = ()
    """The answers of the site: to a request without a signature, then to each form; none if no site
    was asked."""

    __repr__ = short_repr

    @property
    def are_published(self) -> bool:
        """Whether every key is published."""
        return self.keys.keys is not None and not self.missing

    @property
    def serves_anyone(self) -> bool:
        """Whether the site serves the page without a signature, so that it shows nothing."""
        return any(one.form is None and one.is_success for one in self.answers)

    @property
    def accepted(self) -> tuple[str, ...]:
        """The forms that the site accepts: with them it serves what it refuses without."""
        if self.serves_anyone:
            return ()
        return tuple(one.form for one in self.answers if one.form is not None and one.is_success)

    @property
    def is_refused(self) -> bool:
        """Whether the site was asked, and served the page in no form."""
        return bool(self.answers) and not any(one.is_success for one in self.answers)


async def check_identity(
    identity: SigningIdentity,
    fetcher: Fetcher,
    clock: Clock,
    url: str | None = None,
    who: HeaderFields = (("User-Agent", USER_AGENT),),
) -> IdentityCheck:
    """Check that the keys of an identity are published, and which form a site accepts.

    The page is requested without a signature, and once in each form that fits the URL of the keys.
    If the answer to a signed request asks for another signature (Accept-Signature with 401 or 403),
    it is requested once more in that form, as a robot does.

    Args:
        identity: The identity.
        fetcher: What fetches, such as `goodbot.net.AiohttpFetcher`.
        clock: What time it is.
        url: A page of a site of your own, or of one that invites such requests; `None` for none.
        who: The header fields that identify who asks.

    >>> import asyncio
    >>> from goodbot.testing import FakeClock, FakeSite
    >>> clock = FakeClock()
    >>> mine = SigningIdentity.new("https://a.example/keys", clock.now())
    >>> site = FakeSite({"/keys": mine.published().decode()}, clock=clock)
    >>> asyncio.run(check_identity(mine, site, clock)).are_published
    True

    Source: draft-ietf-webbotauth-httpsig-protocol-01 sections 5.3 and 5.5.

    """
    answer = await fetch_key_set(identity.url, fetcher, clock, who)
    missing = [] if answer.keys is None else [
        one for one in identity.thumbprints if answer.keys.find(one) is None
    ]  # fmt: skip
    answers: list[FormAnswer] = []
    for form in (None, *PROFILES) if url is not None else ():
        try:
            signing = None if form is None else replace(identity, profile=form)
        except WrongValueError:
            continue  # the URL of the keys does not fit this form
        answers.append(await ask(signing, url or "", fetcher, clock, who))
    return IdentityCheck(answer, tuple(missing), tuple(answers))


async def ask(
    signing: SigningIdentity | None, url: str, fetcher: Fetcher, clock: Clock, who: HeaderFields
) -> FormAnswer:
    """Return what a site answers to one form."""
    form = None if signing is None else signing.profile
    try:
        if signing is None:
            return FormAnswer(None, (await fetcher.fetch(url, headers=who)).status)
        fields = signing.sign(url, clock.now(), lines=who)
        response: Response = await fetcher.fetch(url, headers=(*who, *fields))
        demand = signing.demanded(response.status, response.headers, url, lines=who)
        if demand is None:
            return FormAnswer(form, response.status)
        fields = signing.sign(url, clock.now(), lines=who, demand=demand)
        response = await fetcher.fetch(url, headers=(*who, *fields))
    except FetchError as error:
        return FormAnswer(form, None, str(error))
    return FormAnswer(form, response.status, is_as_asked=True)
