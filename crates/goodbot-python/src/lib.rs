//! Python bindings of `goodbot-core`, and nothing else: no decision is made here.

#![allow(
    clippy::doc_link_with_quotes,
    reason = "the docstrings are Python's: lists of texts stand in their examples"
)]
#![allow(
    clippy::trivially_copy_pass_by_ref,
    clippy::unused_self,
    clippy::needless_pass_by_value,
    clippy::unnecessary_wraps,
    reason = "methods of Python classes take what Python gives and return what Python takes"
)]
#![allow(clippy::type_complexity, reason = "plain tuples and lists are what Python gets")]

mod added_rows;
mod addresses;
mod answers;
mod arrow;
mod arrow_import;
mod arrow_table;
mod arrow_texts;
mod asking;
mod captured_columns;
mod captures;
mod codes;
mod columns;
mod dialect;
mod digest;
mod errors;
mod inflate;
mod judge;
mod judges_by_time;
mod known_urls;
mod link_rows;
mod link_table;
mod lists;
mod log_scan;
mod message_head;
mod octets;
mod origins;
mod page;
mod page_inventory;
mod page_parts;
mod pickled;
mod plain_records;
mod policy_history;
mod policy_rows;
mod reasoning;
#[cfg(feature = "reference")]
mod reference;
mod restore;
mod robots_txt;
mod rules;
mod rules_object;
mod sitemap;
mod structured_field;
mod times;
mod url_bytes;
mod url_list;
mod usage;
mod user_agents;
mod values;
mod verdict;
mod warc;

use pyo3::prelude::*;

/// The compiled core of goodbot. Use it through `goodbot`.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use super::added_rows::runs_of_rows;
    #[pymodule_export]
    use super::addresses::{form_pairs, meant_by, origin, read_address, resolve, robots_txt_url};
    #[pymodule_export]
    use super::arrow::ArrowColumn;
    #[pymodule_export]
    use super::arrow_table::ArrowTable;
    #[pymodule_export]
    use super::asking::{verdict, verdict_as_fetcher};
    #[pymodule_export]
    use super::captured_columns::{deciding_texts, field_lists, plain_contents, robots_txt_urls};
    #[pymodule_export]
    use super::captures::CaptureReader;
    #[pymodule_export]
    use super::dialect::{Dialect, choices, dialect, dialects_list};
    #[pymodule_export]
    use super::digest::sha256;
    #[pymodule_export]
    use super::judge::Judge;
    #[pymodule_export]
    use super::judges_by_time::{JudgeThen, JudgesByTime};
    #[pymodule_export]
    use super::known_urls::KnownUrls;
    #[pymodule_export]
    use super::link_rows::{anchor_rows, anchors_from, inlink_changes};
    #[pymodule_export]
    use super::link_table::candidates::LinkCandidates;
    #[pymodule_export]
    use super::link_table::{LinkTable, packed_numbers};
    #[pymodule_export]
    use super::log_scan::{LogScan, detect_log_format, log_formats};
    #[pymodule_export]
    use super::message_head::message_head;
    #[pymodule_export]
    use super::origins::column_origins;
    #[pymodule_export]
    use super::page::{
        HtmlDocument, HtmlFacts, HtmlScan, SharedMarks, UrlBase, count_pieces, may_name_robots,
        parse_html, parse_xml, refresh_target, robot_product,
    };
    #[pymodule_export]
    use super::page_inventory::{count_words, near_duplicates};
    #[pymodule_export]
    use super::page_parts::{Link, Run, denials, joined_runs};
    #[pymodule_export]
    use super::plain_records::PlainRecords;
    #[pymodule_export]
    use super::policy_history::{PolicyHistory, UrlRows, column_reasons};
    #[pymodule_export]
    use super::reasoning::{agent_names, compared_names, differing_paths, line_effects};
    #[pymodule_export]
    use super::reasoning::{file_fields, rules_memory, selected_how, stated_fields};
    #[pymodule_export]
    use super::reasoning::{first_considered, group_starts, limits_exceeded, rule_lines};
    #[pymodule_export]
    use super::reasoning::{group_sizes, is_spelt_alike, obeyed_lines, rules_content};
    #[pymodule_export]
    use super::restore::restore;
    #[pymodule_export]
    use super::robots_txt::{Line, RobotsTxt, crawl_delay, fields, finding_codes};
    #[pymodule_export]
    use super::rules::{Selection, selection_ways};
    #[pymodule_export]
    use super::rules_object::Rules;
    #[pymodule_export]
    use super::sitemap::{SitemapScan, parse_sitemap, xml_without_declarations};
    #[pymodule_export]
    use super::structured_field::structured_dictionary;
    #[pymodule_export]
    use super::url_bytes::UrlBytes;
    #[pymodule_export]
    use super::usage::{Usage, content_signal, content_usage, matching_octets, vocabularies};
    #[pymodule_export]
    use super::usage::{not_known, usage_findings};
    #[pymodule_export]
    use super::user_agents::UserAgentNames;
    #[pymodule_export]
    use super::values::{Finding, Group, RequestRate, Rule, VisitTime};
    #[pymodule_export]
    use super::verdict::{Considered, Verdict, reasons};
    #[pymodule_export]
    use super::warc::{warc_digest, warc_record};

    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::codes::add(module)?;
        #[cfg(feature = "reference")]
        super::reference::add(module)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
