//! Any bytes as a page, with marks of every kind: nothing panics, and every finding has a place in it.
#![no_main]

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use goodbot_core::html::{self, Limits};
use goodbot_core::page::{self, AttributeMark, ClassMark, Lines, MarkTable, Plan, Region, RelationMark};
use libfuzzer_sys::fuzz_target;

const ALL: u8 = 0b1_1111;

fn plan(length: u32, first: u32, second: u32) -> Plan {
    let class = |forbids, allows, specific, nests, row| ClassMark { forbids, allows, specific, nests, row };
    let region = |start: u32, end: u32, row| Region { start, end, forbids: ALL, row };
    let table = MarkTable {
        classes: HashMap::from([
            ("a".to_owned(), class(ALL, 0, false, true, 0)),
            ("b".to_owned(), class(0, ALL, false, true, 1)),
            ("c".to_owned(), class(ALL, 0, true, true, 2)),
            ("d".to_owned(), class(ALL, 0, false, false, 3)),
        ]),
        numbered: HashMap::from([("a".to_owned(), class(ALL, 0, true, true, 8))]),
        numbers: HashSet::from(["1".to_owned()]),
        attributes: vec![AttributeMark { name: "b".to_owned(), elements: Vec::new(), forbids: ALL, row: 4 }],
        relations: HashMap::from([("a".to_owned(), RelationMark { forbids: ALL, yields: first % 2 == 0, row: 5 })]),
    };
    Plan {
        table: Arc::new(table),
        regions: vec![region(first % (length + 1), length, 6), region(second % (length + 1), length, 7)],
        base: "https://example.com/a/b".to_owned(),
        kept: HashSet::from([first % (length + 1)]),
        most_links: 40,
        most_runs: 100,
        most_url_bytes: 1_000,
    }
}

fuzz_target!(|content: &[u8]| {
    let charset = [None, Some("utf-8"), Some("utf-16le"), Some("shift_jis")][content.len() % 4];
    let mut decoded = page::decode(content, charset);
    decoded.text = html::normalised(std::mem::take(&mut decoded.text));
    let limits = Limits { depth: 60, nodes: 2_000, attributes: 8 };
    let tree = html::parse(&decoded.text, &limits);
    let lines = Lines::of(&decoded.text);
    let watched = ["noindex".to_owned(), "googleoff".to_owned()];
    let facts = page::facts(&tree, &watched);
    let length = u32::try_from(decoded.text.len()).expect("a small text");
    for comment in &facts.comments {
        assert!(comment.start <= comment.end && comment.end <= length);
    }
    let number = |at: usize| content.get(at).map_or(0, |byte| u32::from(*byte));
    let plan = plan(length, number(0), number(1));
    let scan = page::scan(&tree, &facts, &plan);
    assert!(scan.runs.len() <= plan.most_runs && scan.links.len() <= plan.most_links);
    for run in &scan.runs {
        assert!(run.place <= length && lines.number(run.place) >= 1);
        assert!(run.causes.iter().all(|cause| *cause as usize <= scan.causes.len()));
        let _ = scan.text(run);
    }
    let resolved = scan.links.iter().filter(|link| link.unresolved.is_none());
    assert!(resolved.map(|link| link.url.len()).sum::<usize>() <= plan.most_url_bytes);
    for link in &scan.links {
        let _ = scan.link_text(link);
    }
    let copied = page::archive(&tree, &decoded.text, &plan);
    assert!(copied.cuts.iter().all(|cut| cut.place <= length));
});
