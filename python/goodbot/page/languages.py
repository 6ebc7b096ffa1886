"""Language tags of pages: whether the language and the region of a tag exist.

Scope: data, and one question. That versions name each other is for an inventory to see.
"""

__all__ = ["language_fault"]

ISO_639_1 = """
aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de
dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia
id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo
lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl
ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti
tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""
ISO_3166_1 = """
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS
BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE
EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM
HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC
LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW
SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO
TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
"""
LANGUAGES, REGIONS = frozenset(ISO_639_1.split()), frozenset(ISO_3166_1.split())
INSTEAD = {
    "UK": "GB", "EN": "GB", "EU": "a tag for each country",
    "jp": "ja", "cn": "zh", "cz": "cs", "dk": "da", "gr": "el", "kr": "ko", "ua": "uk", "vn": "vi",
    "iw": "he", "in": "id", "ji": "yi", "eg": "ar", "at": "de", "us": "en", "gb": "en",
}  # fmt: skip
"""What is meant by codes that do not exist: mostly that of a country for that of its language."""


TWO = 2
"""How many letters the codes of a language and a region have."""


def language_fault(tag: str) -> str:
    """Return what is wrong with a language tag; empty if its language and region exist.

    Args:
        tag: A tag such as `en-GB`, or `x-default`, which `hreflang` knows too.

    >>> language_fault("en-GB"), language_fault("zh-Hant-TW"), language_fault("es-419")
    ('', '', '')
    >>> language_fault("en-UK")
    'no region has the code UK; did you mean GB?'
    >>> language_fault("jp")
    'no language has the code jp; did you mean ja?'

    Source: Google, localized versions of your pages (ISO 639-1 and, optionally, ISO 3166-1
    alpha-2); RFC 5646 section 2.1, whose longer codes are not looked up.

    """
    if tag.lower() == "x-default":
        return ""
    if "_" in tag:
        return f"{tag} has an underscore; write {tag.replace('_', '-')}"
    language, *others = tag.split("-")
    if len(language) == TWO and language.lower() not in LANGUAGES:
        return f"no language has the code {language}{hint(language.lower())}"
    for part in others:
        if len(part) == 1:  # what follows is an extension or private
            break
        if len(part) == TWO and part.upper() not in REGIONS:
            return f"no region has the code {part}{hint(part.upper())}"
    return ""


def hint(code: str) -> str:
    """Return which code is probably meant, as the end of a sentence."""
    return f"; did you mean {INSTEAD[code]}?" if code in INSTEAD else ""
