//! Any bytes as an access log: each line is read or refused, blocks do not matter, and a detected format
//! reads at least one line. The first two bytes choose the format and the size of the blocks.
#![no_main]

use std::sync::{Arc, LazyLock};

use goodbot_core::log::{Escapes, Format, KNOWN, Scan, Site, Wanted, detect_in};
use goodbot_core::user_agent::UserAgentNames;
use libfuzzer_sys::fuzz_target;

static NAMES: LazyLock<Arc<UserAgentNames>> =
    LazyLock::new(|| Arc::new(UserAgentNames::new(&["GPTBot"]).expect("a name")));

/// The known formats, and three of one's own.
static FORMATS: LazyLock<Vec<Format>> = LazyLock::new(|| {
    let known = KNOWN.iter().map(|known| known.format().expect("well-formed"));
    let nginx = |written, escapes| Format::nginx(written, escapes).expect("well-formed");
    let own = [
        nginx(
            r#"$remote_addr [$time_iso8601] $scheme $host "$request" "$http_user_agent""#,
            Escapes::Backslash,
        ),
        nginx(r#"{"t":"$msec","u":"$request_uri","a":"$http_user_agent"}"#, Escapes::Json),
        Format::apache(r#"%a %{msec}t "%m %U%q %H" %>s "%{User-agent}i""#).expect("well-formed"),
    ];
    known.chain(own).collect()
});

/// Returns what is read of a log that comes in blocks.
fn scan(format: &Format, log: &[u8], block: usize) -> String {
    let site = Site { scheme: "https".to_owned(), authority: "example.com".to_owned() };
    let robots = vec![Arc::from("GPTBot")];
    let wanted = Wanted { rows: true, unknown: true, proxies: 1, sites: vec![site], robots };
    let mut scan = Scan::new(&NAMES, wanted, 1);
    scan.begin();
    scan.set_format(Some(format));
    log.chunks(block.max(1)).for_each(|part| scan.feed(part));
    scan.finish();
    let ends = log.iter().filter(|byte| **byte == b'\n').count() as i64;
    let lines = ends + i64::from(log.last().is_some_and(|byte| *byte != b'\n'));
    assert_eq!(scan.read(), (lines, log.len() as u64));
    let rows = scan.take();
    assert!(rows.len() as i64 <= lines);
    let texts = (&rows.addresses, &rows.hosts, &rows.schemes, &rows.methods, &rows.targets);
    let numbers = (&rows.lines, &rows.times, &rows.statuses, &rows.bytes);
    format!("{texts:?} {numbers:?} {:?}", scan.counts().refused)
}

fuzz_target!(|input: &[u8]| {
    let [which, block, log @ ..] = input else { return };
    let format = &FORMATS[usize::from(*which) % FORMATS.len()];
    let mut each = format.clone();
    for line in log.split(|byte| *byte == b'\n') {
        let Ok(Some(entry)) = each.read(line) else { continue };
        for text in [entry.target(), entry.method(), entry.query(), entry.user_agent()] {
            assert!(text.decoded().len() <= line.len());
        }
        assert_ne!(entry.status, Some(0));
    }
    assert_eq!(scan(format, log, log.len()), scan(format, log, usize::from(*block)));
    if let Some(known) = detect_in(log) {
        let mut found = known.format().expect("well-formed");
        let lines =
            log.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        assert!(lines.map(|line| found.read(line)).any(|read| matches!(read, Ok(Some(_)))));
    }
});
