//! The origins of many URLs, as a verdict on each finds its policies.

use super::last_origin::LastOrigin;
use super::many::Urls;
use super::spelling::Spelling;

/// Passes the origin of each URL to `put`; `None` for a null, and for a text that is no address of http
/// or https.
pub fn each_origin(urls: &impl Urls, mut put: impl FnMut(Option<&[u8]>)) {
    let mut last = LastOrigin::default();
    for place in 0..urls.length() {
        let spelling = urls.url(place).and_then(|url| Spelling::of(url, last.end_in(url)));
        let origin = spelling.as_ref().map(Spelling::origin);
        put(origin);
        if let Some(origin) = origin {
            last.replace(origin);
        }
    }
}
