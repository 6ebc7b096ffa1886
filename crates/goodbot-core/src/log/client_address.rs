//! The addresses of clients, as logs write them.

use core::net::IpAddr;

/// Returns the last one of several addresses.
pub(super) fn last_of(written: &[u8]) -> &[u8] {
    written.rsplit(|byte| *byte == b',').next().unwrap_or_default().trim_ascii()
}

/// Returns an address without the port that some gateways add.
pub(super) fn without_port(address: &[u8]) -> &[u8] {
    let Some(colon) = memchr::memrchr(b':', address) else { return address };
    let (before, port) = (&address[..colon], &address[colon + 1..]);
    if !port.iter().all(u8::is_ascii_digit) || !(before.starts_with(b"[") || before.contains(&b'.'))
    {
        return address;
    }
    before.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]")).unwrap_or(before)
}

/// Whether a text is the address of a client.
pub(super) fn is_address(written: &[u8]) -> bool {
    std::str::from_utf8(written).is_ok_and(|text| text.parse::<IpAddr>().is_ok())
}
