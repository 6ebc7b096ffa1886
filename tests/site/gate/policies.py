"""Random policies, and the paths and robots that they are asked about."""

from hypothesis import strategies as st

from goodbot.content_use.statement import USES
from goodbot.errors import WrongValueError
from goodbot.site.gate import GatePolicy, GateRule, RslNotice, RslOffer, TdmOffer

NAMES = (
    *("GPTBot", "Googlebot", "Googlebot-News", "Applebot", "bingbot", "CCBot", "YandexBot"),
    *("YandexImages", "Yandex", "coccocbot", "coccocbot-image", "MyBot", "AdsBot-Google"),
)
PLAIN = ("/", "/a", "/a/", "/a/b", "/ab", "/b", "/b/c.pdf", "/caf\u00e9", "/a%2Fb")
WILD = (*PLAIN, "/*.pdf", "/*.pdf$", "/a*c", "/a$", "/*?x=")
PATHS = (
    *("/", "/a", "/a/", "/a/b", "/a/bc", "/ab", "/abc", "/b", "/b/c.pdf", "/b/c.pdfx"),
    *("/caf%C3%A9/x", "/a%2Fb", "/a/x.pdf", "/z?x=1", "/a/b?x=1", "/A"),
)


def rules(paths: tuple[str, ...], *, uses: bool = True) -> st.SearchStrategy[GateRule]:
    """Return rules for some robots about some paths."""
    who: st.SearchStrategy[dict[str, list[str]]] = st.one_of(
        st.just({}),
        st.fixed_dictionaries({"robots": st.lists(st.sampled_from(NAMES), min_size=1, max_size=3)}),
        st.sampled_from([
            {"purposes": ["ai-training"]}, {"purposes": ["search"]},
            {"operators": ["Google"]}, {"operators": ["OpenAI"]}, {"operators": ["Yandex"]},
        ]),
    )  # fmt: skip
    where = st.lists(st.sampled_from(paths), max_size=3)
    answers = st.dictionaries(st.sampled_from(list(USES)), st.booleans(), max_size=4)
    says = st.tuples(st.none() | st.booleans(), answers if uses else st.just({}))
    return st.builds(built, who, where, says, st.none() | st.sampled_from([0.5, 1, 10]))


def built(
    who: dict[str, list[str]],
    paths: list[str],
    says: tuple[bool | None, dict[str, bool]],
    delay: float | None,
) -> GateRule:
    """Return a rule; one that would say nothing says that everything may be fetched."""
    fetch, answers = says
    delay = None if paths else delay
    if fetch is None and not answers and delay is None:
        fetch = True
    return GateRule(**who, paths=paths, fetch=fetch, uses=answers, delay=delay)  # type: ignore[arg-type]


def policy_of(found: list[GateRule]) -> GatePolicy:
    """Return a policy, with licences where RSL can say what is declared, and offers for training.

    An offer lifts no reservation, so that everything else holds as without it.
    """
    offer = RslOffer(uses=("train",), payment="crawl", amount="0.01", currency="USD")
    tdm = TdmOffer(holder="Example", url="https://example.com/rights")
    reserves = any(rule.uses.get("train") is False for rule in found)
    notice, mining = (RslNotice(offers=(offer,)), tdm) if reserves else (RslNotice(), None)
    rules = tuple(found)
    try:
        return GatePolicy(site="https://example.com", rules=rules, rsl=notice, tdm=mining)
    except WrongValueError:
        return GatePolicy(site="https://example.com", rules=rules, tdm=mining)


def policies(paths: tuple[str, ...] = WILD, *, uses: bool = True) -> st.SearchStrategy[GatePolicy]:
    """Return policies of a few rules."""
    return st.lists(rules(paths, uses=uses), max_size=5).map(policy_of)
