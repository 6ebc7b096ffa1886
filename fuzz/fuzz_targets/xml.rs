//! Any text as a document of XML: nothing panics, and every finding has a place in it.
#![no_main]

use goodbot_core::html::{Kind, Limits, NodeId, Tree};
use goodbot_core::page::{self, Lines, Plan};
use libfuzzer_sys::fuzz_target;

fn check(tree: &Tree, id: NodeId, length: u32, depth: u32) {
    let node = tree.node(id);
    assert!(node.start <= node.end && node.end <= length && depth <= 70);
    let mut child = node.first_child;
    while let Some(id) = child {
        check(tree, id, length, depth + 1);
        child = tree.node(id).next;
    }
}

fuzz_target!(|content: &[u8]| {
    let text = goodbot_core::html::normalised(String::from_utf8_lossy(content).into_owned());
    let limits = Limits { depth: 60, nodes: 2_000, attributes: 8 };
    let xml = page::parse_xml(&text, &limits);
    let length = u32::try_from(text.len()).expect("a small text");
    assert!(xml.read_to <= text.len() && text.is_char_boundary(xml.read_to));
    assert!(xml.fault.is_none_or(|fault| fault.at == xml.read_to));
    assert_eq!(xml.tree.node(Tree::ROOT).kind, Kind::Document);
    check(&xml.tree, Tree::ROOT, length, 0);
    let facts = page::facts(&xml.tree, &["noindex".to_owned()]);
    assert!(facts.comments.iter().all(|one| one.start <= one.end && one.end <= length));
    let plan = Plan { most_links: 40, most_runs: 100, most_url_bytes: 1_000, ..Plan::default() };
    let (scan, lines) = (page::scan_xml(&xml, &facts, &plan), Lines::of(&text));
    assert!(scan.runs.iter().all(|run| run.place <= length && lines.number(run.place) >= 1));
    let copy = page::copy_xml(&xml, &text, &plan);
    // Content that is nested too deep is in no copy.
    if xml.tree.met().depth.is_none() {
        assert_eq!(copy.text, if xml.tree.len() > 1 { &text[..xml.read_to] } else { "" });
    }
});
