//! Attributes that address robots but contain an entity that was not read. The entity could have
//! forbidden anything, so such attributes forbid everything: what is not read is never permission.

use super::declarations::Attributes;

/// The attributes that may address robots.
pub(super) const SPEAKING: [&str; 5] = ["class", "content", "name", "profile", "rel"];

/// All classes that forbid something.
const CLASSES: &str =
    "robots-noindex robots-nofollow robots-noarchive robots-noanchortext robots-nocontent";

/// The content of a META element that forbids everything.
const CONTENT: &str = "none, noarchive, nosnippet";

/// The Robot Exclusion Profile; without it, no class addresses robots.
const PROFILE: &str = "http://example.org/xmdp/robots-profile#";

/// META names that do not address robots: people, browsers and caches read them.
const OTHERS: [&str; 22] = [
    "author",
    "cache-control",
    "content-language",
    "content-script-type",
    "content-security-policy",
    "content-style-type",
    "content-type",
    "copyright",
    "date",
    "default-style",
    "description",
    "expires",
    "generator",
    "keywords",
    "language",
    "pragma",
    "refresh",
    "set-cookie",
    "title",
    "url",
    "viewport",
    "x-ua-compatible",
];

/// Makes attributes that address robots forbid if they contain an entity that was not read. Returns
/// the first such entity.
///
/// `unread` lists attributes, each with the first of its entities that was not read.
pub(super) fn forbid<'s>(
    element: &str,
    attributes: &mut Attributes<'s>,
    unread: &[(&'s str, &'s str)],
) -> Option<&'s str> {
    let local = element.rsplit(':').next().unwrap_or_default();
    let is_meta = local.eq_ignore_ascii_case("meta");
    let is = |name: &str, wanted: &str| name.eq_ignore_ascii_case(wanted);
    let is_named = unread.iter().all(|(name, _)| !is(name, "name"));
    let speaks = is_meta && (!is_named || addressee(attributes).is_some_and(is_robot));
    let mut first = None;
    for (name, entity) in unread {
        let Some((_, value)) = attributes.iter_mut().find(|(one, _)| one == name) else { continue };
        let forbidding = match name.to_ascii_lowercase().as_str() {
            "class" => CLASSES.to_owned(),
            "rel" => format!("{value} nofollow"),
            "profile" if is(local, "head") => format!("{PROFILE} {value}"),
            "name" if is_meta => "robots".to_owned(),
            "content" if speaks => CONTENT.to_owned(),
            _ => continue,
        };
        *value = forbidding.trim_ascii().to_owned().into();
        first.get_or_insert(*entity);
    }
    first
}

/// Returns the addressee of a META element.
fn addressee<'a>(attributes: &'a Attributes<'_>) -> Option<&'a str> {
    let get = |wanted: &str| {
        let found = attributes.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| value.trim_ascii()).filter(|value| !value.is_empty())
    };
    get("name").or_else(|| get("http-equiv"))
}

/// Whether a META name may be the name of a robot; `og:title` and `dc.title` cannot be.
fn is_robot(name: &str) -> bool {
    let may_have = |byte: u8| byte.is_ascii_alphanumeric() || b"_ -".contains(&byte);
    name.bytes().all(may_have) && !OTHERS.iter().any(|other| name.eq_ignore_ascii_case(other))
}
