"""Documents on robots.txt, on pages and on robots: from 1994 to RFC 9309, and what engines state.

Scope: rows. To take in another document, see CONTRIBUTING.md, "To take in a new draft".
"""

from goodbot.knowledge.known_document import KnownDocument

__all__ = ["ENGINES", "SPECIFICATIONS"]

SPECIFICATIONS: tuple[KnownDocument, ...] = (
    KnownDocument(
        "koster1994", "specification", "A Standard for Robot Exclusion", "v0.0", "1994-06-30",
        "2026-11-21", "http://www.robotstxt.org/orig.html",
        "All of it: the dialect koster1994.", ("conformance/robots_txt/koster1994.toml", "conformance/robots_txt/agents.toml", "conformance/findings/findings.toml"), ("Koster 1994",),
        "Both directions of the substring match, empty and contradictory lines, thresholds.", "which-rule-decides",
    ),
    KnownDocument(
        "guidelines1993", "specification", "Guidelines for Robot Writers", "", "1993",
        "2026-11-21", "http://www.robotstxt.org/guidelines.html",
        "The pace of a robot, and that it says who it is.", ("conformance/pace/pace.toml",), ("Guidelines for Robot Writers",),
    ),
    KnownDocument(
        "koster1996-reply", "specification", "Koster's reply to Kollar", "", "1996-06-04",
        "2026-11-21", "http://webdoc.gwdg.de/ebook/aw/1999/webcrawler/mailing-lists/robots/",
        "Bytes instead of characters, misspellings, indented comments, INDEXINSTEAD, PleaseVisit, short-lived pages.",
        ("conformance/robots_txt/koster1994.toml", "conformance/findings/findings.toml", "conformance/page/description.toml"), ("Koster 1996 reply", "Koster, reply", "Koster's reply", "Koster, critique", "Koster, 4 June 1996"),
        "VALUE instead of CONTENT in META is not read.", "robots-meta-of-1996", "a copy in the project's seeds",
    ),
    KnownDocument(
        "kollar1996", "draft", "Robot Exclusion Standard Revisited", "", "1996-05",
        "2026-11-21", "http://www.kollar.com/robots.html",
        "What Koster quotes of it: the dialect kollar1996, SPIDER BY, META URL.", ("conformance/robots_txt/kollar1996.toml", "conformance/page/description.toml", "conformance/freshness/lives.toml"), ("Kollar",),
        "The paper itself was not found.", "what-was-not-found", "as Koster quotes it, 4 June 1996",
    ),
    KnownDocument(
        "draft1996", "draft", "A Method for Web Robots Control (draft-koster-robots)", "00, v1.0", "1996-12-04",
        "2026-11-21", "http://www.robotstxt.org/norobots-rfc.txt",
        "All of it: the dialect draft1996.", ("conformance/robots_txt/draft1996.toml", "conformance/status/historic.toml", "conformance/freshness/lives.toml"), ("draft-koster-robots-00", "Koster 1997 draft"),
        "Which name contains which is read as the HTTP book reads it.", "names-of-robots",
    ),
    KnownDocument(
        "conner1996", "draft", "An Extended Standard for Robot Exclusion", "v2.0, proposal and message of 1996-11-12", "1996-10-17",
        "2026-11-21", "http://www.conman.org/people/spc/robots2.html",
        "The dialect conner1996; Visit-time, Request-rate and Comment in every dialect that reads them.",
        ("conformance/fields/request_rate.toml", "conformance/robots_txt/conner1996.toml", "conformance/pace/pace.toml"), ("Conner",),
        "Open questions are settled carefully; the final page, with more wildcards, was not found.", "conners-version-20",
        "the proposal on the list of robots, and a sample file",
    ),
    KnownDocument(
        "book", "specification", "HTTP: The Definitive Guide, chapter 9", "first edition", "2002-09",
        "2026-11-21", "https://www.oreilly.com/library/view/http-the-definitive/1565925092/",
        "The reading of the draft of 1996, META tags of pages, the etiquette of robots.",
        ("conformance/crawl/example_sites.toml", "conformance/robots_txt/book.toml", "conformance/page/meta.toml"), ("HTTP book", "HTTP: The Definitive Guide"),
        "Slips of its examples and tables are listed.", "the-chapter-of-the-http-book",
    ),
    KnownDocument(
        "meta1996", "specification", "Spidering BOF report (META ROBOTS)", "", "1996-05",
        "2026-11-21", "https://www.w3.org/Search/9605-Indexing-Workshop/ReportOutcomes/Spidering.txt",
        "META ROBOTS: the page dialect meta1996.", ("conformance/page/meta.toml", "conformance/content_use/directives.toml"), ("Spidering BOF report", "Robots META tag"),
        "NOINDEX forbids copies too, as in the HTTP book.", "robots-meta-of-1996",
    ),
    KnownDocument(
        "robots-pi", "draft", "A Robots Processing Instruction for XML Documents", "2", "1999-12-02",
        "2026-11-21", "http://www.atrus.org/writings/technical/robots_pi/spec-199912__/",
        "All of it, for every type of XML.", ("conformance/page/xml_pi.toml", "conformance/page/xml_pi_syntax.toml", "conformance/crawl/example_sites.toml"), ("Robots PI", "A Robots Processing Instruction"),
        "Late and spaced instructions are obeyed and reported.", "the-robots-processing-instruction",
    ),
    KnownDocument(
        "profile", "draft", "Robot Exclusion Profile", "", "2005-06-18",
        "2026-11-21", "http://microformats.org/wiki/robots-exclusion",
        "All of it: classes, names of robots, pages of names.", ("conformance/page/profile_names.toml", "conformance/page/profile.toml", "conformance/page/profile_classes.toml"), ("Robot Exclusion Profile",),
        "Its open issues are settled; the linked example was not found.", "the-robot-exclusion-profile",
    ),
    KnownDocument(
        "rel-nofollow", "specification", 'rel="nofollow"', "", "2005-01-10",
        "2026-11-21", "http://microformats.org/wiki/rel-nofollow",
        "Links that are not followed, and give no weight.", ("conformance/page/relations.toml", "conformance/page/profile.toml", "conformance/page/profile_classes.toml"), ("rel-nofollow",),
    ),
    KnownDocument(
        "vote-links", "specification", "VoteLinks", "", "",
        "2026-11-21", "http://microformats.org/wiki/vote-links",
        "The votes of links are reported.", ("conformance/page/relations.toml", "conformance/page/profile.toml"), ("vote-links",),
    ),
    KnownDocument(
        "rfc9309", "specification", "RFC 9309, Robots Exclusion Protocol", "with errata 7124, 7128, 7995, 8895", "2022-09",
        "2026-11-21", "https://www.rfc-editor.org/rfc/rfc9309",
        "All of it: the dialect rfc9309, the default; statuses, redirects, lifetimes, limits.",
        ("conformance/robots_txt/rfc9309.toml", "conformance/audit/statuses.toml", "conformance/crawl/patterns.toml"), ("RFC 9309", "erratum 7124", "erratum 7995", "erratum 8895"),
        "Whole names before product tokens, near misspellings, 429, NULs, and what it leaves open.", "names-of-robots",
    ),
    KnownDocument(
        "draft-illyes-repext", "draft", "Robots Exclusion Protocol Extension for URI Level Control (draft-illyes-repext)", "00", "",
        "2026-11-21", "https://datatracker.ietf.org/doc/draft-illyes-repext/",
        "The field Robots-Tag, in the form of -00 and as a structured field.", ("conformance/page/header.toml",), ("draft-illyes-repext",),
        "Later revisions were read in digests only.", "", "a digest",
    ),
    KnownDocument(
        "web-bot-auth", "draft", "HTTP Message Signatures for automated traffic (draft-ietf-webbotauth-httpsig-protocol)", "01; 00 and draft-meunier-web-bot-auth-architecture-03 by name", "2026-10-29",
        "2026-11-29", "https://datatracker.ietf.org/doc/draft-ietf-webbotauth-httpsig-protocol/",
        "Requests are signed and verified, in logs too; directories of keys.",
        ("conformance/signatures/web_bot_auth.toml", "tests/site/audit/identity/test_signatures.py"), ("webbotauth", "web-bot-auth", "Web Bot Auth"),
        "Cards of agents (Signature Agent Card) are not read.",
    ),
    KnownDocument(
        "sitemaps", "specification", "Sitemaps XML format", "0.9", "2016-11-21",
        "2026-11-21", "https://www.sitemaps.org/protocol.html",
        "Sitemaps, indexes, texts and feeds; the field Sitemap.", ("conformance/crawl/sitemaps.toml", "conformance/crawl/example_sites.toml", "conformance/fields/texts.toml"), ("sitemaps.org",),
    ),
)  # fmt: skip
"""Documents on the exclusion of robots, oldest first."""

ENGINES: tuple[KnownDocument, ...] = (
    KnownDocument(
        "google-robots-txt-spec", "operator", "Google: how Google interprets the robots.txt specification", "", "2026-04-14",
        "2026-11-21", "https://developers.google.com/crawling/docs/robots-txt/robots-txt-spec",
        "Groups, order of precedence, statuses and lifetimes: the dialect google.",
        ("conformance/robots_txt/google_tables.toml", "conformance/status/google.toml", "conformance/url/origin.toml"), ("Google robots.txt specification", "Google, robots.txt specification"),
        "Google's log of changes, read 2026-11-29, has one of 2026-10-23 (advice to authors to percent-encode paths), whose text was not read.",
    ),
    KnownDocument(
        "google-robotstxt", "program", "google/robotstxt (robots.cc and its tests)", "", "",
        "2026-11-21", "https://github.com/google/robotstxt",
        "Every verdict: the dialect google.", ("conformance/robots_txt/google_code.toml", "conformance/robots_txt/careful.toml", "conformance/robots_txt/urls.toml"), ("robots.cc", "robots_test.cc", "google/robotstxt"),
        "500 KiB are read, as Google documents; the code has no limit.", "limits",
    ),
    KnownDocument(
        "google-robots-meta", "operator", "Google: robots meta tag, data-nosnippet and X-Robots-Tag", "", "2026-03-24",
        "2026-11-21", "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag",
        "Every directive, data-nosnippet, X-Robots-Tag: the page dialect google.",
        ("conformance/page/header.toml", "conformance/page/combining.toml", "conformance/page/directives.toml"), ("Google, robots meta tag", "Google, X-Robots-Tag", "Google, conflicting rules", "Google's announcement", "Google, special tags", "Google, qualify outbound links"),
        "The prefix of a robot ends with its field line.", "what-the-file-alone-cannot-say",
    ),
    KnownDocument(
        "google-search-central", "operator", "Google: JavaScript SEO basics, localized versions, unsupported rules in robots.txt (2 July 2019)", "", "",
        "2026-11-22", "https://developers.google.com/search/docs/crawling-indexing/javascript/javascript-seo-basics",
        "Texts for browsers without scripts, languages of pages, Noindex in robots.txt.",
        ("conformance/page/directives.toml", "conformance/findings/findings.toml"), ("Google, JavaScript SEO basics", "Google, localized versions", "Google, 2 July 2019"),
    ),
    KnownDocument(
        "google-verification", "operator", "Google: verify requests from Google crawlers and fetchers", "", "",
        "2026-11-22", "https://developers.google.com/crawling/docs/crawlers-fetchers/verify-google-requests",
        "Reverse DNS with a forward lookup, masks of names, lists of addresses.", ("conformance/audit/identity/identity.toml",), ("Google, Verify requests",),
    ),
    KnownDocument(
        "google-search-appliance", "operator", "Google Search Appliance: googleoff and googleon", "7", "",
        "2026-11-21", "https://www.google.com/support/enterprise/static/gsa/docs/admin/70/gsa_doc_set/admin_crawl/preparing.html",
        "The marks googleoff and googleon.", ("conformance/page/marks_google.toml", "conformance/page/marks.toml", "conformance/page/careful.toml"), ("Google Search Appliance",),
        "Whether `all` includes following is disputed; it does not here.", "", "copies at universities",
    ),
    KnownDocument(
        "bing-webmaster", "operator", "Bing: webmaster blog and webmaster pages", "", "2023-09-22",
        "2026-11-21", "https://www.bing.com/webmasters/help/",
        "Crawl-delay, one section only, page directives: the dialects bing.",
        ("conformance/robots_txt/bing.toml", "conformance/page/combining.toml", "conformance/audit/identity/identity.toml"), ("Bing webmaster", "Bing, webmaster", "Bing, 22 September 2023", "Bing, Verify Bingbot", "Bing, vendor notes", "Bing states", "Microsoft's notes of 2007", "Bing, announcement", "Bing"),
        "Read in copies; what happens to NOARCHIVE beside NOCACHE is one reading.", "", "later copies",
    ),
    KnownDocument(
        "yandex-webmaster", "operator", "Yandex: Webmaster, robots.txt, robots meta tag and noindex", "", "",
        "2026-11-21", "https://yandex.com/support/webmaster/controlling-robot/robots-txt.html",
        "Groups, Clean-param, limits, directives that allow, noindex in text: the dialects yandex.",
        ("conformance/robots_txt/yandex.toml", "conformance/page/marks.toml", "conformance/page/combining.toml"), ("Yandex",),
        "Ties and more than 2,048 rules are not stated.", "which-rule-decides",
    ),
    KnownDocument(
        "apple-about-applebot", "operator", "Apple: about Applebot", "", "",
        "2026-11-21", "https://support.apple.com/en-us/119829",
        "The group of Googlebot in place of its own, no Crawl-delay: the dialect apple.", ("conformance/robots_txt/apple.toml", "conformance/bots/families.toml", "conformance/page/header.toml"), ("Apple",),
        "", "names-that-stand-in",
    ),
    KnownDocument(
        "yahoo-robots-nocontent", "operator", "Yahoo: robots-nocontent", "", "2007-05",
        "2026-11-21", "http://www.ysearchblog.com/2007/05/02/introducing-robots-nocontent-for-page-sections/",
        "The class robots-nocontent.", ("conformance/page/marks.toml", "conformance/page/directives.toml"), ("Yahoo",), "", "", "digests",
    ),
    KnownDocument(
        "htdig", "program", "ht://Dig: noindex_start and noindex_end", "3.2", "",
        "2026-11-21", "https://htdig.sourceforge.net/attrs.html",
        "The comments htdig_noindex, and META htdig-noindex.", ("conformance/page/marks.toml",), ("ht://Dig",),
    ),
    KnownDocument(
        "mdn-x-robots-tag", "operator", "MDN: X-Robots-Tag", "", "",
        "2026-11-21", "https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/X-Robots-Tag",
        "Names of robots within a field line.", ("conformance/page/header.toml",), ("MDN",),
    ),
    KnownDocument(
        "www-robotrules", "program", "WWW::RobotRules, LWP::RobotUA and URI.pm", "6.04, 6.84, 5.17", "",
        "2026-11-21", "https://github.com/libwww-perl/WWW-RobotRules",
        "Every verdict and status: the dialect lwp; the page dialects do not follow it.",
        ("conformance/robots_txt/lwp.toml", "conformance/status/historic.toml", "conformance/robots_txt/careful.toml"), ("WWW::RobotRules", "LWP::RobotUA", "LWP", "HTTP::Response", "URI.pm"),
    ),
    KnownDocument(
        "robotparser", "program", "urllib.robotparser of CPython", "3.14", "",
        "2026-11-22", "https://docs.python.org/3/library/urllib.robotparser.html",
        "Its methods: the adapter robotparser.", ("conformance/adapters/robotparser.toml", "conformance/fields/crawl_delay.toml", "conformance/owners/fields.toml"), ("docs.python.org", "CPython"),
        "Rules are read as in RFC 9309.", "",
    ),
    KnownDocument(
        "protego", "program", "Protego", "0.5", "",
        "2026-11-22", "https://github.com/scrapy/protego",
        "Its methods: the adapter protego; the downloader middleware of Scrapy.", ("conformance/adapters/protego.toml", "conformance/pace/pace.toml", "conformance/fields/crawl_delay.toml"), ("Protego", "protego", "Scrapy"),
    ),
    KnownDocument(
        "peers", "program", "crawler-commons, texting_robots, reppy", "", "",
        "2026-11-21", "https://github.com/crawler-commons/crawler-commons",
        "Where no document settles a point: whose a field is, which misspellings are in use.", ("conformance/owners/fields.toml", "conformance/fields/crawl_delay.toml", "conformance/adapters/robotparser.toml"), ("crawler-commons", "texting_robots", "reppy"),
        "", "whose-field-is-it",
    ),
    KnownDocument(
        "challenges", "operator", "Cloudflare, AWS WAF and other firewalls: challenges in place of a document", "", "",
        "2026-11-23", "https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/",
        "How a challenge shows, so that it is no robots.txt and no page.",
        ("conformance/status/not_yet.toml", "conformance/http/statuses.toml", "conformance/crawl/due.toml"), ("Cloudflare, detect a challenge", "Cloudflare, Detect a Challenge", "AWS WAF", "is-antibot", "PerimeterX", "FlareSolverr", "anubis", "WhatWaf", "wafer", "SiteGround"),
        "Vendors document few; the others are known from reports.", "",
    ),
    KnownDocument(
        "cloudflare-pay-per-crawl", "operator", "Cloudflare: pay per crawl (Crawl pages, Error codes, Advanced configuration)", "", "",
        "2026-11-29", "https://developers.cloudflare.com/ai-crawl-control/features/pay-per-crawl/",
        "402 with crawler-price, crawler-charged and crawler-error: read and shown, never paid.",
        ("conformance/content_use/payment.toml", "conformance/page/description.toml"),
        ("Cloudflare, Crawl pages", "Cloudflare, Error codes", "Cloudflare, Advanced configuration", "Cloudflare, pay per crawl"),
        "Payment itself (crawler-exact-price, crawler-max-price) is not implemented.",
    ),
    KnownDocument(
        "cloudflare-agents", "operator", "Cloudflare: Markdown for Agents, IP ranges", "", "",
        "2026-11-23", "https://developers.cloudflare.com/ai-crawl-control/",
        "Its response header; lists of addresses.", ("conformance/content_use/preferences.toml", "conformance/audit/identity/identity.toml"),
        ("Cloudflare, Markdown for Agents", "Cloudflare, IP ranges"),
    ),
)  # fmt: skip
"""What engines and programs state or do beyond the specifications."""
