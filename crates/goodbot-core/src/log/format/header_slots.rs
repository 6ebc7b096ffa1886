//! What the fields of a request's header and of an answer's say, whichever server logs them.

use super::super::entry::Slot;

/// Returns what a field of a request says. A hyphen of its name may be written as an underscore, as in
/// the variables of nginx.
pub(in crate::log) fn of_header(name: &[u8]) -> Slot {
    let plain = |byte: &u8| if *byte == b'_' { b'-' } else { byte.to_ascii_lowercase() };
    let name: Vec<u8> = name.iter().map(plain).collect();
    match name.as_slice() {
        b"referer" => Slot::Referer,
        b"user-agent" => Slot::UserAgent,
        b"host" => Slot::Host,
        b"x-forwarded-proto" => Slot::Scheme,
        b"x-forwarded-for" => Slot::Forwarded,
        b"signature" => Slot::Signature,
        b"signature-input" => Slot::SignatureInput,
        b"signature-agent" => Slot::SignatureAgent,
        // nginx' and Apache's documentation, Cloudflare, Akamai, Fastly, Fly.io, Azure, load balancers.
        b"x-real-ip"
        | b"cf-connecting-ip"
        | b"true-client-ip"
        | b"fastly-client-ip"
        | b"fly-client-ip"
        | b"x-azure-clientip"
        | b"x-client-ip"
        | b"x-cluster-client-ip" => Slot::Reported,
        _ => Slot::Other,
    }
}

/// Returns what a field of an answer says. Of challenges, those count of which a word says that it is one:
/// Cloudflare, AWS WAF, Vercel and SiteGround.
pub(in crate::log) fn of_answer(name: &[u8]) -> Slot {
    let plain = |byte: &u8| if *byte == b'_' { b'-' } else { byte.to_ascii_lowercase() };
    let name: Vec<u8> = name.iter().map(plain).collect();
    match name.as_slice() {
        b"retry-after" => Slot::RetryAfter,
        b"cf-mitigated" | b"x-amzn-waf-action" | b"x-vercel-mitigated" | b"sg-captcha" => {
            Slot::Challenge
        }
        _ => Slot::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_as_servers_write_them() {
        assert_eq!(of_header(b"X-Real-IP"), Slot::Reported);
        assert_eq!(of_header(b"cf_connecting_ip"), Slot::Reported);
        assert_eq!(of_header(b"User-agent"), Slot::UserAgent);
        assert_eq!(of_header(b"x-real"), Slot::Other);
    }
}
