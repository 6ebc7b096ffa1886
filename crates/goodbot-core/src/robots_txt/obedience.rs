//! Which dialects obey a line as it was meant: each is asked, with small files.
//!
//! A line that was pasted, misspelt or joined to another one means something to its author. Each dialect
//! reads a file with the line as it is written, and one as it was meant, and judges the robot or the path
//! that the author had in mind. Nothing about a dialect is stated here.

use std::sync::Arc;

use crate::dialect::{AllowLines, Dialect};
use crate::dialects::DIALECTS;
use crate::field::Field;
use crate::target::Scratch;

use super::parse;
use super::value;
use super::{RobotsTxt, line};

/// A field and its value, as they were meant.
pub(crate) type Meant = (Field, Vec<u8>);

/// The most bytes of lines that are tried; longer ones are reported without saying who obeys them.
const LONGEST: usize = 2_000;

/// The most lines that one line is tried as.
const MOST_MEANT: usize = 20;

/// A line before the others: a byte order mark counts otherwise at the beginning of a file.
const FIRST: &[u8] = b"#\n";

/// A robot that no group names.
const NO_NAME: &str = "zqxj";

/// The dialects by what they make of a line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Obedience {
    /// Those that obey all of it.
    pub(crate) obey: Vec<&'static str>,
    /// Those that obey some of the lines that it was meant to be.
    pub(crate) partly: Vec<&'static str>,
    /// Those that do not obey it.
    pub(crate) ignore: Vec<&'static str>,
    /// How many dialects would not obey the line as it was meant either.
    silent: usize,
}

impl Obedience {
    /// Determines what each dialect makes of a line. `None` if the lines are too long, or too many, or if there is none.
    pub(crate) fn of(written: &[u8], meant: &[Meant]) -> Option<Obedience> {
        let octets = meant.iter().map(|(_, value)| value.len()).sum::<usize>() + written.len();
        if written.is_empty() || meant.is_empty() || meant.len() > MOST_MEANT || octets > LONGEST {
            return None;
        }
        let mut found = Obedience::default();
        for dialect in DIALECTS.iter() {
            let (mut known, mut obeyed) = (0, 0);
            for (field, value) in meant {
                let plain = [field.row().name.as_bytes(), b": ", value].concat();
                if obeys(&plain, *field, value, dialect) {
                    known += 1;
                    obeyed += usize::from(obeys(written, *field, value, dialect));
                }
            }
            match obeyed {
                _ if known == 0 => {
                    found.silent += 1;
                    continue;
                }
                0 => &mut found.ignore,
                _ if obeyed == known => &mut found.obey,
                _ => &mut found.partly,
            }
            .push(name_of(dialect));
        }
        Some(found)
    }

    /// Returns it as a clause: `only google obeys the line`.
    pub(crate) fn clause(&self) -> String {
        let Obedience { obey, partly, ignore, silent } = self;
        let others = if *silent > 0 { " that has the field" } else { "" };
        let part = match partly.as_slice() {
            [] => String::new(),
            names => format!(", and {} a part of it", listed(names)),
        };
        let verb = |names: &[&str], one: &'static str, many: &'static str| {
            if names.len() == 1 { one } else { many }
        };
        match (obey.len(), ignore.len()) {
            (0, 0) => format!("every dialect{others} obeys only a part of the line"),
            (0, _) if partly.is_empty() => "no dialect obeys the line".to_owned(),
            (0, none) if none < partly.len() => {
                let do_not = verb(ignore, "does not", "do not");
                format!(
                    "{} {do_not} obey the line, and the other dialects obey a part of it",
                    listed(ignore)
                )
            }
            (0, _) => {
                let obey = verb(partly, "obeys", "obey");
                format!(
                    "no dialect obeys the whole line, and only {} {obey} a part",
                    listed(partly)
                )
            }
            (_, 0) if partly.is_empty() => format!("every dialect{others} obeys the line"),
            (some, none) if some <= none || !partly.is_empty() => {
                format!("only {} {} the line{part}", listed(obey), verb(obey, "obeys", "obey"))
            }
            _ => format!("every dialect{others} obeys the line except {}", listed(ignore)),
        }
    }
}

/// Returns the clause on a line that was meant otherwise, after a semicolon; empty if it is not known.
pub(crate) fn clause(written: &[u8], meant: &[Meant]) -> String {
    let found = Obedience::of(written, meant).filter(|found| found.silent < DIALECTS.len());
    found.map_or(String::new(), |found| format!("; {}", found.clause()))
}

/// Returns names as a list: `a`, `a and b`, `a, b and c`.
pub(crate) fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [names @ .., last] => format!("{} and {last}", names.join(", ")),
    }
}

/// Returns the name of a dialect; those of the table live as long as the program.
fn name_of(dialect: &'static Arc<Dialect>) -> &'static str {
    &dialect.name
}

/// Whether a dialect obeys a line as one with a field and a value.
fn obeys(line: &[u8], field: Field, value: &[u8], dialect: &Arc<Dialect>) -> bool {
    match field {
        Field::UserAgent => {
            let file = [FIRST, line, b"\nDisallow: /\n"].concat();
            let name = String::from_utf8_lossy(value);
            let url = b"https://example.com/x";
            if value == b"*" {
                return allows(&file, NO_NAME, url, dialect) == Some(false);
            }
            // A rule without a User-agent line is for everybody in some dialects.
            allows(&file, &name, url, dialect) == Some(false)
                && allows(&file, NO_NAME, url, dialect) == Some(true)
        }
        Field::Disallow => {
            let file = [FIRST, b"User-agent: *\n", line, b"\n"].concat();
            allows(&file, NO_NAME, &url(value), dialect) == Some(false)
        }
        Field::Allow => {
            // The first rule that matches decides in some dialects.
            let file = [FIRST, b"User-agent: *\n", line, b"\nDisallow: /\n"].concat();
            dialect.allow_lines == AllowLines::Honoured
                && allows(&file, NO_NAME, &url(value), dialect) == Some(true)
        }
        _ => {
            let file = [FIRST, b"User-agent: *\n", line, b"\n"].concat();
            let parsed = parse::parse(&file, dialect);
            let is_it =
                |record: &parse::Record| record.field() == field && record.value(&file) == value;
            dialect.fields.has(field) && parsed.records.iter().any(is_it)
        }
    }
}

/// Whether a file allows a URL to a robot; `None` if the robot has no name.
fn allows(file: &[u8], robot: &str, url: &[u8], dialect: &Arc<Dialect>) -> Option<bool> {
    let rules = RobotsTxt::read(file, Arc::clone(dialect)).rules_for(robot).ok()?;
    Some(rules.decide(url, &mut Scratch::default()).allowed)
}

/// Returns a URL that a pattern matches: its stars stand for themselves.
fn url(pattern: &[u8]) -> Vec<u8> {
    if value::is_absolute_url(pattern) {
        return pattern.to_vec();
    }
    let path = pattern.strip_suffix(b"$").unwrap_or(pattern);
    let slash: &[u8] = if path.starts_with(b"/") { b"" } else { b"/" };
    [b"https://example.com", slash, path].concat()
}

/// Returns a line as its field and value, even if no dialect reads it.
pub(crate) fn meant_by(text: &[u8]) -> Option<Meant> {
    let accepted = crate::dialect::MissingColon::Accepted;
    match line::content_of(text, 0..text.len(), accepted) {
        line::Content::Field { name, value, .. } => {
            let field = super::odd_field::meant(&text[name])?;
            Some((field, text[value].to_vec()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clause_of(written: &str, meant: &[(Field, &str)]) -> String {
        let meant: Vec<Meant> =
            meant.iter().map(|(field, value)| (*field, value.as_bytes().to_vec())).collect();
        Obedience::of(written.as_bytes(), &meant).expect("it is short").clause()
    }

    #[test]
    fn each_dialect_is_asked() {
        let disallow = [(Field::Disallow, "/x")];
        assert_eq!(clause_of("Disallow: /x", &disallow), "every dialect obeys the line");
        assert_eq!(clause_of("Disallowed: /x", &disallow), "only google obeys the line");
        assert_eq!(clause_of("Forbid: /x", &disallow), "no dialect obeys the line");
        assert_eq!(
            clause_of("Disalow: /x", &disallow),
            "every dialect obeys the line except draft1996, kollar1996 and lwp"
        );
        let two = [(Field::Disallow, "/x"), (Field::Disallow, "/y")];
        assert_eq!(
            clause_of("Disallow: /x /y", &two),
            "only koster1994, conner1996 and kollar1996 obey the line"
        );
        let agents = [(Field::UserAgent, "AlphaBot"), (Field::UserAgent, "BetaBot")];
        assert_eq!(
            clause_of("User-agent: AlphaBot, BetaBot", &agents),
            "only rfc9309, yandex, bing, apple and aipref obey the line, and google and kollar1996 a part of it"
        );
        let agent = [(Field::UserAgent, "AlphaBot")];
        assert_eq!(
            clause_of("Useragent: AlphaBot", &agent),
            "every dialect obeys the line except draft1996, kollar1996 and lwp"
        );
        let marked = clause_of("\u{FEFF}User-agent: AlphaBot", &agent);
        assert_eq!(marked, "no dialect obeys the line");
        let delay = [(Field::CrawlDelay, "5")];
        assert_eq!(
            clause_of("Crawl-delay: 5", &delay),
            "every dialect that has the field obeys the line"
        );
        assert_eq!(clause_of("Crawldelay: 5", &delay), "no dialect obeys the line");
    }

    #[test]
    fn lines_beyond_the_bound_are_not_tried() {
        let long = vec![b'x'; LONGEST];
        assert_eq!(Obedience::of(&long, &[(Field::Disallow, b"/x".to_vec())]), None);
        assert_eq!(clause(b"Disallow: /x", &[]), "");
    }
}
