//! Robots exclusion: bytes in, answers with reasons out.
//!
//! The core of goodbot. It uses no clock, disk, network or Python: it turns text into verdicts,
//! findings and typed values. No content makes it fail.
//!
//! # Example
//!
//! ```
//! use goodbot_core::{dialects, RobotsTxt};
//!
//! let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /private\n", dialects::named("rfc9309").unwrap());
//! let rules = robots.rules_for("ExampleBot").unwrap();
//! assert!(rules.allows(b"https://example.com/"));
//! let verdict = rules.verdict(b"https://example.com/private/a");
//! assert_eq!(verdict.rule.unwrap().line, 2);
//! ```
//!
//! Layers, each of which may use those before it: `named`, `packed`, `field`, `dialect`, `dialects`,
//! `escape`, `address`, `spellings`, `sent_path`, `target`, `quote` and `verdict`, `robots_txt`, `columns` and
//! `reasoning`. `html` and `page` stand beside these; `deflate`, then `warc` and `link_rows`, and
//! `structured_field`, `user_agent`, `knowledge` and `log` by themselves; `captures` uses `log` and `robots_txt`.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod address;
pub mod captures;
pub mod columns;
pub mod deflate;
pub mod dialect;
pub mod dialects;
pub mod digest;
pub mod escape;
pub mod field;
pub mod html;
pub mod knowledge;
pub mod link_rows;
pub mod log;
mod named;
mod packed;
pub mod page;
pub mod quote;
pub mod reasoning;
pub mod robots_txt;
mod sent_path;
pub mod simhash;
pub mod sitemap;
pub mod spellings;
#[cfg(feature = "reference")]
pub mod steps;
#[cfg(not(feature = "reference"))]
mod steps;
pub mod structured_field;
pub mod target;
mod threads;
pub mod token;
mod url_parser;
pub mod user_agent;
pub mod verdict;
pub mod warc;
pub mod xml;

pub use dialect::Dialect;
pub use robots_txt::{Finding, RobotsTxt, Rules};
pub use verdict::Verdict;
