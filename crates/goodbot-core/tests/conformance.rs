//! The documents' own cases, from the files that the Python tests also use.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use goodbot_core::robots_txt::{RequestRate, VOCABULARIES, VisitTime, delay};
use goodbot_core::{Dialect, RobotsTxt, address, dialects};
use toml::{Table, Value};

/// Returns every case of a folder, with the texts of its file.
fn cases(folder: &str) -> Vec<(Table, Table)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../conformance").join(folder);
    let mut paths: Vec<_> = fs::read_dir(root)
        .expect("the folder")
        .map(|entry| entry.expect("a file").path())
        .collect();
    paths.sort();
    let mut cases = Vec::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
    {
        let text = fs::read_to_string(path).expect("UTF-8");
        let document: Table =
            text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let files = document.get("files").and_then(Value::as_table).cloned().unwrap_or_default();
        for case in document["case"].as_array().expect("cases") {
            cases.push((case.as_table().expect("a case").clone(), files.clone()));
        }
    }
    assert!(!cases.is_empty());
    cases
}

fn text<'a>(case: &'a Table, key: &str) -> Option<&'a str> {
    case.get(key).and_then(Value::as_str)
}

fn content(case: &Table, files: &Table) -> Vec<u8> {
    if let Some(name) = text(case, "file") {
        return files[name].as_str().expect("a text").into();
    }
    if let Some(hex) = text(case, "robots_txt_hex") {
        return bytes_of(hex);
    }
    if let Some(parts) = case.get("parts").and_then(Value::as_array) {
        let part = |part: &Value| {
            let times = usize::try_from(part[1].as_integer().expect("a number")).expect("a count");
            part[0].as_str().expect("a text").repeat(times)
        };
        return parts.iter().map(part).collect::<String>().into();
    }
    text(case, "robots_txt").unwrap_or_default().into()
}

fn dialect(case: &Table) -> Arc<Dialect> {
    let name = text(case, "dialect").unwrap_or("rfc9309");
    let mut dialect = (*dialects::named(name).expect("a dialect")).clone();
    for (choice, value) in case.get("options").and_then(Value::as_table).into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        dialect = dialect.with(choice, &value).expect("a choice");
    }
    Arc::new(dialect)
}

fn checks(case: &Table) -> Vec<(String, String, bool)> {
    let string = |value: &Value| value.as_str().expect("a text").to_owned();
    let mut checks = Vec::new();
    if case.contains_key("url") {
        let allowed = case["allowed"].as_bool().expect("a boolean");
        checks.push((string(&case["robot"]), string(&case["url"]), allowed));
    }
    for row in case.get("checks").and_then(Value::as_array).into_iter().flatten() {
        checks.push((string(&row[0]), string(&row[1]), row[2].as_bool().expect("a boolean")));
    }
    checks
}

#[test]
fn verdicts_are_those_of_the_documents() {
    let mut count = 0;
    for (case, files) in cases("robots_txt") {
        let robots = RobotsTxt::parse(&content(&case, &files), dialect(&case));
        for (robot, url, allowed) in checks(&case) {
            let verdict = robots.rules_for(&robot).expect("a name").verdict(url.as_bytes());
            let told = format!("{}: {}: {verdict}", case["id"], case["why"]);
            assert_eq!(verdict.allowed, allowed, "{told}");
            if let Some(line) = case.get("line").and_then(Value::as_integer) {
                assert_eq!(verdict.rule.map(|rule| i64::from(rule.line)), Some(line), "{told}");
            }
            if let Some(reason) = text(&case, "reason") {
                assert_eq!(verdict.reason.slug(), reason, "{told}");
            }
            count += 1;
        }
    }
    assert!(count > 1000, "only {count} checks were read");
}

#[test]
fn findings_are_found() {
    for (case, files) in cases("findings") {
        let robots = RobotsTxt::parse(&content(&case, &files), dialect(&case));
        let found: Vec<_> = robots
            .findings()
            .into_iter()
            .map(|finding| (finding.code.slug().to_owned(), i64::from(finding.line)))
            .collect();
        for expected in case["findings"].as_array().expect("findings") {
            let code = expected[0].as_str().expect("a code").to_owned();
            let line = expected[1].as_integer().expect("a line");
            assert!(found.contains(&(code, line)), "{}: {expected} not in {found:?}", case["id"]);
        }
    }
}

#[test]
fn values_are_read_as_the_documents_write_them() {
    for (case, files) in cases("fields") {
        if case.contains_key("reads") {
            texts_are_read(&case, &files);
            continue;
        }
        let (id, value) =
            (text(&case, "id").expect("an id"), text(&case, "value").expect("a value"));
        let malformed = case.contains_key("malformed");
        let clock = |key: &str| text(&case, key).map(str::to_owned);
        let window = |time: VisitTime| (Some(time.start.to_string()), Some(time.end.to_string()));
        if id.starts_with("delay") {
            let seconds = case.get("seconds").and_then(Value::as_float);
            assert_eq!(seconds.is_none(), malformed, "{id}");
            assert_eq!(delay(value.trim()), seconds, "{id}");
        } else if id.starts_with("rate") {
            let rate = RequestRate::read(value.trim());
            assert_eq!(rate.is_none(), malformed, "{id}");
            let Some(rate) = rate else { continue };
            assert_eq!(Some(i64::from(rate.documents)), case["documents"].as_integer(), "{id}");
            assert_eq!(i64::try_from(rate.seconds).ok(), case["seconds"].as_integer(), "{id}");
            let expected = (clock("start"), clock("end"));
            assert_eq!(rate.window.map_or((None, None), window), expected, "{id}");
            assert_eq!(rate.doubtful, case.contains_key("doubtful"), "{id}");
        } else {
            let time = VisitTime::read(value.trim());
            assert_eq!(time.is_none(), malformed, "{id}");
            let Some(time) = time else { continue };
            assert_eq!(window(time), (clock("start"), clock("end")), "{id}");
        }
    }
}

/// Checks what a robot gets from fields whose values are texts and URLs.
fn texts_are_read(case: &Table, files: &Table) {
    let robots = RobotsTxt::parse(&content(case, files), dialect(case));
    let rules = robots.rules_for("ExampleBot").expect("a name");
    let reads = case["reads"].as_table().expect("what is read");
    let list = |key: &str| -> Vec<&str> {
        let rows = reads.get(key).and_then(Value::as_array).into_iter().flatten();
        rows.map(|row| row.as_str().expect("a text")).collect()
    };
    assert_eq!(rules.comments().collect::<Vec<_>>(), list("comments"), "{}", case["id"]);
    assert_eq!(rules.please_visit().collect::<Vec<_>>(), list("please_visit"), "{}", case["id"]);
    assert_eq!(rules.sitemaps().collect::<Vec<_>>(), list("sitemaps"), "{}", case["id"]);
    for pair in reads.get("clean").and_then(Value::as_array).into_iter().flatten() {
        let url = pair[0].as_str().expect("a URL");
        let found = String::from_utf8(rules.clean_url(url.as_bytes())).expect("UTF-8");
        assert_eq!(Some(found.as_str()), pair[1].as_str(), "{}", case["id"]);
    }
}

#[test]
fn fields_belong_to_the_robots_before_them() {
    for (case, files) in cases("owners") {
        let robots = RobotsTxt::parse(&content(&case, &files), dialect(&case));
        for (robot, expected) in case["lines"].as_table().expect("robots") {
            let fields = robots.fields_for(robot).expect("a name");
            let lines: Vec<_> = fields.iter().map(|(_, _, line)| i64::from(*line)).collect();
            let expected: Vec<_> =
                expected.as_array().expect("lines").iter().filter_map(Value::as_integer).collect();
            assert_eq!(lines, expected, "{}: {robot}", case["id"]);
        }
        for (robot, expected) in case.get("delay").and_then(Value::as_table).into_iter().flatten() {
            let rules = robots.rules_for(robot).expect("a name");
            assert_eq!(rules.crawl_delay(), expected.as_float(), "{}: {robot}", case["id"]);
        }
    }
}

#[test]
fn usage_is_what_the_drafts_say() {
    for (case, files) in cases("usage") {
        let robots = RobotsTxt::parse(&content(&case, &files), dialect(&case));
        let rules = robots.rules_for(text(&case, "robot").expect("a robot")).expect("a name");
        let name = text(&case, "vocabulary").unwrap_or("aipref-08");
        let labels = VOCABULARIES.iter().find(|row| row.0 == name).expect("a vocabulary").1;
        let usage = rules.usage(text(&case, "url").expect("a URL").as_bytes(), labels);
        let expect = case["expect"].as_table().expect("expectations");
        for (label, expected) in
            expect.get("content_usage").and_then(Value::as_table).into_iter().flatten()
        {
            let stated = usage.content_usage.as_ref().expect("a preference");
            let found =
                stated.iter().find(|(known, _)| known == label).map(|(_, found)| found.slug());
            assert_eq!(found, expected.as_str(), "{}", case["id"]);
        }
        if let Some(applies) = expect.get("content_usage_applies").and_then(Value::as_bool) {
            assert_eq!(usage.content_usage.is_some(), applies, "{}", case["id"]);
        }
        if let Some(license) = text(expect, "license") {
            assert_eq!(usage.licenses.first().map(String::as_str), Some(license), "{}", case["id"]);
        }
    }
}

#[test]
fn origins_are_those_of_the_documents() {
    for (case, _) in cases("url") {
        let url = text(&case, "url").expect("a URL").as_bytes();
        let is_address = text(&case, "id").expect("an id").starts_with("robots-url");
        let key = if is_address { "robots_txt_url" } else { "origin" };
        let found = if is_address { address::robots_txt_url(url) } else { address::origin(url) };
        assert_eq!(found.ok().as_deref(), text(&case, key), "{}", case["id"]);
    }
}

#[test]
fn addresses_are_those_of_the_documents() {
    for (case, _) in cases("address") {
        let id = text(&case, "id").expect("an id");
        let base = text(&case, "base");
        for row in case.get("examples").and_then(Value::as_array).into_iter().flatten() {
            let pair = [0, 1].map(|place| row[place].as_str().expect("a text"));
            let found = address::resolve(base, pair[0]).map(|found| found.url);
            assert_eq!(found.as_deref(), Ok(pair[1]), "{id}: {}", pair[0]);
        }
        if case.contains_key("examples") {
            continue;
        }
        let found = match text(&case, "url") {
            Some(url) => address::address(url),
            None => address::resolve(base, &reference(&case)),
        };
        let fault = found.as_ref().err().map(|fault| fault.slug());
        assert_eq!(found.as_ref().ok().map(|found| &*found.url), text(&case, "address"), "{id}");
        assert_eq!(fault, text(&case, "fault"), "{id}");
    }
}

/// Returns the reference of a case; bytes are escaped as they came.
fn reference(case: &Table) -> String {
    if let Some(hex) = text(case, "reference_hex") {
        return address::escaped(&bytes_of(hex));
    }
    let mut reference = text(case, "reference").expect("a reference").to_owned();
    if let Some(repeat) = case.get("repeat") {
        let times = repeat[1].as_integer().and_then(|times| usize::try_from(times).ok());
        let part = repeat[0].as_str().expect("a text");
        reference.push_str(&part.repeat(times.expect("a count")));
    }
    reference
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let pairs = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).expect("ASCII"));
    pairs.map(|pair| u8::from_str_radix(pair, 16).expect("hex")).collect()
}
