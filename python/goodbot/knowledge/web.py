"""Documents of the web that are not about robots: HTTP, URLs, markup, archives.

Scope: rows, as far as a case cites the document.
"""

from goodbot.knowledge.known_document import KnownDocument

__all__ = ["WEB"]

FIRST_READ = "2026-11-21"


def rfc(number: int, title: str, date: str, implements: str, *vectors: str) -> KnownDocument:
    """Return the row of an RFC; cases cite it by its number.

    `vectors` are files in conformance/.
    """
    return KnownDocument(
        f"rfc{number}", "specification", f"RFC {number}, {title}", "", date, FIRST_READ,
        f"https://www.rfc-editor.org/rfc/rfc{number}", implements, in_conformance(vectors),
        (f"RFC {number}",),
    )  # fmt: skip


def standard(
    key: str,
    title: str,
    date: str,
    url: str,
    implements: str,
    *cites: str,
    vectors: tuple[str, ...],
    version: str = "",
) -> KnownDocument:
    """Return the row of another standard; `vectors` are files in conformance/."""
    return KnownDocument(
        key, "specification", title, version, date, FIRST_READ, url, implements,
        in_conformance(vectors), cites,
    )  # fmt: skip


def in_conformance(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the paths of files in conformance/."""
    return tuple(f"conformance/{name}" for name in names)


LIVING = "living standard"

WEB: tuple[KnownDocument, ...] = (
    rfc(9110, "HTTP Semantics", "2022-06", "Statuses, fields, dates, conditional requests, Retry-After.", "http/statuses.toml", "crawl/due.toml"),
    rfc(9111, "HTTP Caching", "2022-06", "How long an answer is fresh, and what a 304 changes.", "freshness/rfc9111.toml", "freshness/lives.toml"),
    rfc(9112, "HTTP/1.1", "2022-06", "Messages in archives and in logs.", "audit/copies.toml", "audit/robots.toml"),
    rfc(9651, "Structured Field Values for HTTP", "2024-09", "Dictionaries of Content-Usage, lists of Robots-Tag.", "usage/content_usage.toml", "page/usage.toml"),
    rfc(9421, "HTTP Message Signatures", "2024-02", "Signatures of requests: made, and verified in logs and by a gate.", "signatures/rfc9421.toml", "signatures/components.toml"),
    rfc(5861, "HTTP Cache-Control Extensions for Stale Content", "2010-05", "stale-if-error.", "freshness/rfc9111.toml"),
    rfc(6585, "Additional HTTP Status Codes", "2012-04", "428, 429, 431 and 511.", "http/statuses.toml", "status/rfc9309.toml"),
    rfc(7725, "An HTTP Status Code to Report Legal Obstacles", "2016-02", "451.", "http/statuses.toml"),
    rfc(8470, "Using Early Data in HTTP", "2018-09", "425.", "http/statuses.toml"),
    rfc(3229, "Delta encoding in HTTP", "2002-01", "226.", "http/statuses.toml", "status/content.toml"),
    rfc(4918, "HTTP Extensions for Web Distributed Authoring and Versioning", "2007-06", "207, 422 to 424 and 507.", "http/statuses.toml"),
    rfc(7239, "Forwarded HTTP Extension", "2014-06", "Addresses behind proxies, in logs.", "logs/lines.toml"),
    rfc(9293, "Transmission Control Protocol", "2022-08", "The range of ports.", "url/origin.toml"),
    rfc(3986, "Uniform Resource Identifier: Generic Syntax", "2005-01", "URLs: reading, resolving, comparing.", "address/resolving.toml", "url/origin.toml"),
    rfc(3987, "Internationalized Resource Identifiers", "2005-01", "URLs that are not ASCII.", "robots_txt/urls.toml"),
    rfc(1738, "Uniform Resource Locators", "1994-12", "What URLs of the founding documents are.", "robots_txt/urls.toml", "url/origin.toml"),
    rfc(1808, "Relative Uniform Resource Locators", "1995-06", "Paths in the founding documents.", "findings/findings.toml", "robots_txt/koster1994.toml"),
    rfc(6068, "The 'mailto' URI Scheme", "2010-10", "Links that are no pages.", "address/resolving.toml"),
    rfc(3492, "Punycode", "2003-03", "Names of hosts.", "url/origin.toml"),
    rfc(5890, "Internationalized Domain Names for Applications: Definitions", "2010-08", "Names of hosts.", "address/resolving.toml"),
    rfc(5891, "Internationalized Domain Names in Applications: Protocol", "2010-08", "Names of hosts.", "url/origin.toml"),
    rfc(5952, "A Recommendation for IPv6 Address Text Representation", "2010-08", "Addresses as hosts.", "url/origin.toml"),
    rfc(4291, "IP Version 6 Addressing Architecture", "2006-02", "Addresses of senders.", "audit/identity/identity.toml"),
    rfc(4632, "Classless Inter-domain Routing", "2006-08", "Prefixes of lists of addresses.", "audit/identity/identity.toml"),
    rfc(1918, "Address Allocation for Private Internets", "1996-02", "Addresses that no list may have.", "audit/identity/identity.toml"),
    rfc(822, "Standard for the Format of ARPA Internet Text Messages", "1982-08-13", "Dates of unavailable_after.", "page/dates.toml", "page/dates_iso.toml"),
    rfc(850, "Standard for Interchange of USENET Messages", "1983-06", "Dates of unavailable_after.", "page/dates.toml", "page/header.toml"),
    rfc(3339, "Date and Time on the Internet: Timestamps", "2002-07", "Dates of unavailable_after, times in logs.", "page/dates_iso.toml", "logs/lines.toml"),
    rfc(2046, "MIME Part Two: Media Types", "1996-11", "Texts as documents.", "page/text.toml"),
    rfc(5646, "Tags for Identifying Languages", "2009-09", "Languages of pages.", "page/directives.toml"),
    rfc(7303, "XML Media Types", "2014-07", "Which documents are XML, and their encoding.", "page/encodings.toml", "page/xml_pi.toml"),
    rfc(8259, "The JavaScript Object Notation Data Interchange Format", "2017-12", "Logs and tdmrep.json.", "logs/lines.toml"),
    rfc(8288, "Web Linking", "2017-10", "The header field Link.", "page/description.toml", "page/usage.toml"),
    rfc(6596, "The Canonical Link Relation", "2012-04", "rel=canonical: a preference that excludes nothing.", "page/description.toml", "crawl/example_sites.toml"),
    rfc(6906, "The 'profile' Link Relation Type", "2013-03", "rel=profile, as an option.", "page/profile_names.toml"),
    rfc(4287, "The Atom Syndication Format", "2005-12", "Feeds as pages and as sitemaps.", "page/xml_links.toml", "crawl/sitemaps.toml"),
    rfc(4946, "Atom License Extension", "2007-07", "rel=license.", "content_use/rsl.toml"),
    rfc(3164, "The BSD Syslog Protocol", "2001-08", "Logs that syslog has relayed.", "logs/lines.toml"),
    rfc(5424, "The Syslog Protocol", "2009-03", "Logs that syslog has relayed.", "logs/lines.toml"),
    standard("iso8601", "ISO 8601, date and time", "2019-02", "https://www.iso.org/iso-8601-date-and-time-format.html", "Dates of unavailable_after, times of Visit-time.", "ISO 8601", version="8601-1:2019", vectors=("page/dates_iso.toml", "fields/visit_time.toml")),
    standard("html", "HTML", "", "https://html.spec.whatwg.org/", "Parsing, META, LINK, refresh, and what is text.", "HTML", version=LIVING, vectors=("page/html.toml", "page/xml_pi.toml")),
    standard("html401", "HTML 4.01", "1999-12-24", "https://www.w3.org/TR/html401/", "The attribute profile; appendix B.4.", "HTML 4.01", vectors=("page/profile_names.toml", "page/profile_classes.toml")),
    standard("xhtml", "XHTML 1.0", "2000-01-26", "https://www.w3.org/TR/xhtml1/", "Links and META in XML.", "XHTML 1.0", version="second edition 2002-08-01", vectors=("page/xml_links.toml", "page/description.toml")),
    standard("xml", "XML 1.0", "2008-11-26", "https://www.w3.org/TR/xml/", "Documents, entities, processing instructions.", "XML 1.0", version="fifth edition", vectors=("page/xml_links.toml", "page/xml_pi.toml")),
    standard("xml-names", "Namespaces in XML 1.0", "2009-12-08", "https://www.w3.org/TR/xml-names/", "Names of elements.", "Namespaces in XML", version="third edition", vectors=("page/xml_links.toml", "page/copies.toml")),
    standard("xml-base", "XML Base", "2009-01-28", "https://www.w3.org/TR/xmlbase/", "Links in XML.", "XML Base", version="second edition", vectors=("page/xml.toml", "page/xml_links.toml")),
    standard("xlink", "XLink 1.0 and 1.1", "2010-05-06", "https://www.w3.org/TR/xlink11/", "Links in XML.", "XLink", vectors=("page/xml_links.toml",)),
    standard("svg", "SVG 2", "2018-10-04", "https://www.w3.org/TR/SVG2/", "Links in pictures.", "SVG 2", vectors=("page/xml_links.toml", "page/careful.toml")),
    standard("rss", "RSS 1.0 and 2.0", "", "https://www.rssboard.org/rss-specification", "Feeds as pages and as sitemaps.", "RSS 1.0", "RSS 2.0", vectors=("page/xml_links.toml", "crawl/sitemaps.toml")),
    standard("whatwg-url", "URL", "", "https://url.spec.whatwg.org/", "URLs as browsers send them.", "WHATWG URL", "URL Standard", version=LIVING, vectors=("address/resolving.toml", "bots/spellings.toml")),
    standard("whatwg-fetch", "Fetch", "", "https://fetch.spec.whatwg.org/", "Redirects; types of content.", "WHATWG Fetch", "Fetch standard", version=LIVING, vectors=("status/redirects.toml", "page/careful.toml")),
    standard("whatwg-encoding", "Encoding", "", "https://encoding.spec.whatwg.org/", "Encodings of pages.", "Encoding standard", "Encoding Standard", version=LIVING, vectors=("page/encodings.toml",)),
    standard("whatwg-mimesniff", "MIME Sniffing", "", "https://mimesniff.spec.whatwg.org/", "Documents without a type.", "MIME Sniffing", version=LIVING, vectors=("page/careful.toml",)),
    standard("uts46", "UTS 46, Unicode IDNA Compatibility Processing", "", "https://www.unicode.org/reports/tr46/", "Names of hosts.", "UTS 46", vectors=("url/origin.toml",)),
    standard("uax44", "UAX 44, Unicode Character Database", "", "https://www.unicode.org/reports/tr44/", "Characters that cannot be seen.", "Unicode Standard Annex #44", vectors=("findings/findings.toml",)),
    KnownDocument(
        "wacz-auth", "specification", "WACZ Signing and Verification", "0.1.0", "2022-01-25", "2026-11-29",
        "https://specs.webrecorder.net/wacz-auth/0.1.0/",
        "Exports are signed by a key of one's own, or by the certificate of a domain with a time stamp.",
        ("tests/crawl/wacz/test_signing.py", "tests/system/test_signed_wacz.py"), ("WACZ Signing and Verification",),
        "Signatures of others are not verified; crossSignedCert is not written.",
    ),
    KnownDocument(
        "rfc3161", "specification", "RFC 3161, Internet X.509 Public Key Infrastructure: Time-Stamp Protocol", "", "2001-08", "2026-11-29",
        "https://www.rfc-editor.org/rfc/rfc3161",
        "Time stamps on signed archives and records are requested.",
        ("tests/crawl/wacz/test_signing.py", "tests/crawl/evidence/test_record.py"), ("RFC 3161",),
        "The signature of an authority is not verified: its certificate is trusted or not by those who verify.",
    ),
    KnownDocument(
        "rfc7515", "specification", "RFC 7515, JSON Web Signature", "", "2015-05", "2026-11-29",
        "https://www.rfc-editor.org/rfc/rfc7515", "The signature of the record of a crawl.",
        ("tests/crawl/evidence/test_record.py",), ("RFC 7515",),
    ),
    KnownDocument(
        "rfc8785", "specification", "RFC 8785, JSON Canonicalization Scheme", "", "2020-06", "2026-11-29",
        "https://www.rfc-editor.org/rfc/rfc8785", "The bytes of the record of a crawl that are signed.",
        ("tests/crawl/evidence/test_record.py",), ("RFC 8785",), "Numbers with a fraction are not written.",
    ),
    KnownDocument(
        "warc", "specification", "The WARC Format (ISO 28500:2017)", "1.1; 1.0, 0.x and ARC are read", "2017", FIRST_READ,
        "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "Archives of crawls; captures of others.",
        ("tests/core/test_warc.py", "tests/warc/test_foreign_records.py"), ("WARC",),
    ),
    KnownDocument(
        "wacz", "specification", "Web Archive Collection Zipped (WACZ) and CDXJ", "1.1.1", "", FIRST_READ,
        "https://specs.webrecorder.net/wacz/1.1.1/", "Export of crawls, with their index.",
        ("tests/crawl/wacz/test_export.py", "tests/crawl/wacz/test_url_key.py"), ("WACZ", "CDXJ", "SURT", "wacz"),
    ),
)  # fmt: skip
"""Standards of the web."""
