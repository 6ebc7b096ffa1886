//! The origins of many URLs, as a verdict on each finds its policies.

use super::many::Urls;
use super::spelling::Spelling;

/// Passes the origin of each URL to `put`; `None` for a null, and for a text that is no address of http
/// or https.
pub fn each_origin(urls: &impl Urls, mut put: impl FnMut(Option<&[u8]>)) {
    let mut prefix = Vec::new();
    for place in 0..urls.length() {
        let spelling = urls.url(place).and_then(|url| Spelling::of(url, &prefix));
        let origin = spelling.as_ref().map(Spelling::origin);
        put(origin);
        if let Some(origin) = origin
            && prefix.strip_suffix(b"/") != Some(origin)
        {
            prefix.clear();
            prefix.extend_from_slice(origin);
            prefix.push(b'/');
        }
    }
}
