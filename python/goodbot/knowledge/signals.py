"""Documents on the use of content: preferences, reservations, licences.

Scope: rows. To take in another document, see CONTRIBUTING.md, "To take in a new draft".
"""

from goodbot.knowledge.known_document import KnownDocument

__all__ = ["SIGNALS"]

SIGNALS: tuple[KnownDocument, ...] = (
    KnownDocument(
        "aipref-attach", "draft", "Associating AI Usage Preferences with Content in HTTP (draft-ietf-aipref-attach)", "05", "2026-08-19",
        "2026-11-29", "https://datatracker.ietf.org/doc/draft-ietf-aipref-attach/",
        "Content-Usage in robots.txt, with paths, and as a header field: the dialect aipref.",
        ("conformance/usage/content_usage.toml", "conformance/robots_txt/aipref.toml", "conformance/owners/fields.toml"), ("draft-ietf-aipref-attach",),
        "In other dialects the field belongs to the User-agent lines before it.", "whose-field-is-it",
        "the working group's source as of -04, line by line; -05 itself in a digest",
    ),
    KnownDocument(
        "aipref-vocab", "draft", "A Vocabulary For Expressing AI Usage Preferences (draft-ietf-aipref-vocab)", "08, older ones by name", "2026-09-13",
        "2026-11-29", "https://datatracker.ietf.org/doc/draft-ietf-aipref-vocab/",
        "The labels train-ai, ai-use and search, and how statements combine.",
        ("conformance/usage/content_usage.toml", "conformance/content_use/preferences.toml", "conformance/page/usage.toml"), ("draft-ietf-aipref-vocab",),
        "That search may outweigh the other labels is not implemented: the split of AI use is not settled. train-ai is about generative models only; the use train is about all.", "preferences-on-use", "the working group's source with the labels of -08",
    ),
    KnownDocument(
        "aipref-training-signal", "draft", "Machine-Readable Training Preference Signal (draft-kelley-aipref-training-preference-signal)", "00", "2026-10-30",
        "2026-11-29", "https://datatracker.ietf.org/doc/draft-kelley-aipref-training-preference-signal/",
        "A group for the token __usage_ai-training reserves what it disallows, as an unverified signal.",
        ("conformance/content_use/purpose_tokens.toml",), ("draft-kelley-aipref-training-preference-signal",),
        "Nothing about such a group is permission, until the draft is verified.", "preferences-on-use", "title, abstract and dates only, in four copies; the spelling in one implementation",
    ),
    KnownDocument(
        "content-signals", "specification", "Content Signals Policy", "", "2025-09-24",
        "2026-11-21", "https://contentsignals.org/",
        "search, ai-input and ai-train, in robots.txt and as a header field.",
        ("conformance/usage/content_signal.toml", "conformance/content_use/preferences.toml", "conformance/findings/findings.toml"), ("Content Signals Policy", "contentsignals.org"),
        "Signals before every group are of the whole file; of paths the longest decides.", "preferences-on-use", "the policy in files of sites; the page on paths in a digest",
    ),
    KnownDocument(
        "content-use-signal", "operator", "Cloudflare: managed robots.txt, Content use signal", "", "2026-06-30",
        "2026-11-24", "https://github.com/cloudflare/cloudflare-docs/pull/31794",
        "use=immediate, reference and full, as a level beside the answers.",
        ("conformance/content_use/preferences.toml", "conformance/usage/content_signal.toml", "conformance/findings/findings.toml"), ("Cloudflare, managed robots.txt",),
        "No document says which use a level is about, so it decides none.", "preferences-on-use",
    ),
    KnownDocument(
        "tdmrep", "specification", "TDM Reservation Protocol, final report of the community group", "", "2024-05-10",
        "2026-11-29", "https://www.w3.org/community/reports/tdmrep/CG-FINAL-tdmrep-20240510/",
        "tdmrep.json, header fields, META of HTML, and policies in ODRL as far as they state duties, purposes and contact.", ("conformance/content_use/tdmrep.toml", "conformance/content_use/tdm_policies.toml", "conformance/page/usage.toml"), ("TDMRep", "TDM Reservation Protocol"),
        "A policy never lifts a reservation, and its context is not resolved. EPUB and PDF are not read.", "preferences-on-use", "the report's source in its repository",
    ),
    KnownDocument(
        "rsl", "specification", "Really Simple Licensing", "1.0, with errata to 2026-08-07", "2025-12-10",
        "2026-11-29", "https://rslstandard.org/rsl",
        "Licences in robots.txt, header fields, HTML and RSS; terms and prices are shown, never paid; the challenge of a licence server is read.",
        ("conformance/content_use/rsl.toml", "conformance/content_use/payment.toml", "conformance/usage/license.toml", "conformance/page/usage.toml"), ("RSL 1.0", "RSL 0.9"),
        "Licence servers are named and never asked; what is unclear grants less.", "preferences-on-use", "digests of it; its abstract, and its list of errata to 2026-05-27, in the original",
    ),
    KnownDocument(
        "noai", "operator", "DeviantArt: noai and noimageai", "", "2022-11",
        "2026-11-21", "https://www.deviantart.com/team/journal/UPDATE-All-Deviations-Are-Opted-Out-of-AI-Datasets-934500371",
        "The directives noai and noimageai, in META and X-Robots-Tag.", ("conformance/content_use/directives.toml", "conformance/page/directives.toml", "conformance/page/usage.toml"), ("DeviantArt",),
        "noml, which is in the wild, is read the same way.", "", "digests",
    ),
)  # fmt: skip
"""Documents on the use of content."""
