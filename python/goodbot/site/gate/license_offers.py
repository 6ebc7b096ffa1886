"""What the owner of a site offers for what is reserved: prices in RSL, and a policy for TDMRep.

Scope: the records and their checks. `documents` writes them. An offer lifts no reservation: it says
on which terms a licence is available.
"""

import re
from typing import Literal

from goodbot.content_use.rsl_grammar import PAYMENTS
from goodbot.content_use.statement import Use
from goodbot.display import short_repr
from goodbot.errors import WrongTypeError
from goodbot.files.toml_input import wrong
from goodbot.lazy_dataclass import dataclass
from goodbot.site.gate.policy_checks import checked_url, texts

__all__ = ["OFFERED_PAYMENTS", "OFFERED_USES", "RslNotice", "RslOffer", "TdmOffer"]

OFFERED_USES: tuple[Use, ...] = ("train", "ground", "search")
"""The uses for which RSL has a word; `search` is also about previews (section 3.4.1.1)."""
OFFERED_PAYMENTS = tuple(sorted(PAYMENTS - {"free", "inference"}))
"""The kinds of payment; what is free is no offer, but an answer (RSL 1.0, section 3.7)."""
CURRENCY = re.compile(r"[A-Z]{3}")
AMOUNT = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,12})?")
EMAIL = re.compile(r"[^\s@<>\"]+@[^\s@<>\"]+")
TELEPHONE = re.compile(r"\+?[0-9][0-9().-]{2,30}")
PURPOSES = ("research", "non-research")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RslOffer:
    """A licence for uses that rules reserve; see RSL 1.0, sections 3.7 to 3.10.

    >>> RslOffer(uses=("train",), payment="crawl", amount="0.01", currency="USD").amount
    '0.01'
    """

    uses: tuple[Use, ...]
    """The uses that it licenses: `train`, `ground` or `search`, which includes `preview`."""
    payment: str
    """The kind of payment, one of `OFFERED_PAYMENTS`, such as `crawl` or `attribution`."""
    amount: str | None = None
    """The price, a decimal number such as `0.01`."""
    currency: str | None = None
    """The currency of the price, three letters of ISO 4217."""
    standard: str | None = None
    """The URL of standard terms."""
    custom: str | None = None
    """The URL where a licence is negotiated."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check every value."""
        place = "rsl.offer"
        object.__setattr__(self, "uses", texts("uses", self.uses, place))
        for use in self.uses:
            if use not in OFFERED_USES:
                message = f"RSL has no word for {use[:40]!r}; write {', '.join(OFFERED_USES)}"
                raise wrong(place, message)
        if not self.uses:
            raise wrong(place, 'it is for no use; write uses = ["train"]')
        if self.payment not in OFFERED_PAYMENTS:
            shown = str(self.payment)[:40]
            kinds = ", ".join(OFFERED_PAYMENTS)
            raise wrong(place, f"there is no payment {shown!r}; the kinds are {kinds}")
        check_price(self.amount, self.currency, place)
        for name in ("standard", "custom"):
            if getattr(self, name) is not None:
                checked_url(getattr(self, name), f"{place}: {name}")


def check_price(amount: object, currency: object, place: str) -> None:
    """Check a price: both of its parts, or neither.

    Raises:
        WrongValueError: It is none; the message says what to write.

    """
    if amount is None and currency is None:
        return
    cure = 'write amount = "0.01" and currency = "USD"'
    if not isinstance(amount, str) or not AMOUNT.fullmatch(amount):
        raise wrong(place, f"the amount must be a decimal number in quotation marks; {cure}")
    if not isinstance(currency, str) or not CURRENCY.fullmatch(currency):
        raise wrong(place, f"the currency must be three capital letters; {cure}")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RslNotice:
    """What the licences in RSL say beside uses; see RSL 1.0, sections 3.7, 3.14 and 3.15."""

    copyright: str | None = None
    """The holder of the rights."""
    terms: str | None = None
    """The URL of terms for people."""
    offers: tuple[RslOffer, ...] = ()
    """The licences for what rules reserve."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check every value."""
        if self.terms is not None:
            checked_url(self.terms, "rsl: terms")
        if self.copyright is not None:
            texts("copyright", (self.copyright,), "rsl")
        object.__setattr__(self, "offers", tuple(self.offers))
        if not all(isinstance(one, RslOffer) for one in self.offers):
            message = "rsl: offers must be RslOffer objects; write RslOffer(uses=('train',), …)"
            raise WrongTypeError(message)

    def offers_for(self, use: Use) -> tuple[RslOffer, ...]:
        """Return the offers for a use."""
        return tuple(one for one in self.offers if use in one.uses)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TdmOffer:
    """A policy for text and data mining that the gate writes: an offer in ODRL.

    >>> TdmOffer(holder="Example Media", email="rights@example.com").consent
    True

    Source: TDMRep, section Expressing a TDM Policy.
    """

    holder: str
    """The full name of the holder of the rights."""
    url: str | None = None
    """The URL of a page on how to acquire a licence."""
    email: str | None = None
    """The address of mail of the holder."""
    telephone: str | None = None
    """The telephone of the holder, with its country, such as `+33155555555`."""
    consent: bool = True
    """Whether consent must be obtained before mining."""
    compensate: bool = False
    """Whether mining must be paid for."""
    purpose: Literal["research", "non-research"] | None = None
    """The only purpose for which a licence is offered; the report marks both as experimental."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check every value."""
        place = "tdm"
        if not isinstance(self.holder, str):
            raise wrong(place, 'it names no holder; write holder = "Example Media"')
        texts("holder", (self.holder,), place)
        if self.url is not None:
            checked_url(self.url, "tdm: url")
        for name, form, example in (
            ("email", EMAIL, "rights@example.com"), ("telephone", TELEPHONE, "+33155555555"),
        ):  # fmt: skip
            value = getattr(self, name)
            if value is not None and not (isinstance(value, str) and form.fullmatch(value)):
                raise wrong(place, f'{name} cannot be read; write {name} = "{example}"')
        if not (self.url or self.email or self.telephone):
            raise wrong(place, "nobody can be asked; add url, email or telephone")
        for name in ("consent", "compensate"):
            if not isinstance(getattr(self, name), bool):
                raise wrong(place, f"{name} must be true or false")
        if not (self.consent or self.compensate):
            message = (
                "an offer without a condition beside a reservation contradicts itself; write "
                "consent = true or compensate = true, or uses.train = true in a rule"
            )
            raise wrong(place, message)
        if self.purpose not in {None, *PURPOSES}:
            raise wrong(place, f"purpose must be {' or '.join(PURPOSES)}")
