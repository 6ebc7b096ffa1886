//! The fields of robots.txt: a table with one row for each.
//!
//! Scope: the names, who defined them, and what they apply to. What a dialect does with a field is in
//! [`crate::dialect`]; how a value is parsed is in `robots_txt::value`.

use crate::named::named;

/// One row of the table of fields.
#[derive(Debug)]
pub struct Row {
    /// The field.
    pub field: Field,
    /// The name as documents write it.
    pub name: &'static str,
    /// Whether a line with this field belongs to its group or to the whole file.
    pub scope: Scope,
    /// What it is for, in one sentence.
    pub meaning: &'static str,
    /// The document that defines it.
    pub source: &'static str,
}

named! {
    /// What a line of a field applies to.
    pub enum Scope {
        /// Its group (record); for fields other than rules, the robots named directly before it.
        Group = "group",
        /// The whole file, wherever the line is.
        File = "file",
        /// Its group, or the whole file if it comes before every group.
        GroupOrFile = "group or file",
    }
}

macro_rules! fields {
    ($($variant:ident, $name:literal, $scope:ident, $meaning:literal, $source:literal;)+) => {
        /// A field of robots.txt that goodbot knows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Field { $(#[doc = $meaning] $variant),+ }

        /// Every field known, in the order of the enumeration.
        pub const FIELDS: &[Row] = &[$(Row {
            field: Field::$variant,
            name: $name,
            scope: Scope::$scope,
            meaning: $meaning,
            source: $source,
        }),+];
    };
}

fields! {
    UserAgent, "User-agent", Group,
        "A robot that the group is for; `*` means every other robot.",
        "Koster 1994; RFC 9309 section 2.2.1";
    Allow, "Allow", Group,
        "URLs that may be fetched.",
        "draft-koster-robots-00 section 3.2.2; RFC 9309 section 2.2.2";
    Disallow, "Disallow", Group,
        "URLs that must not be fetched.",
        "Koster 1994; RFC 9309 section 2.2.2";
    RobotVersion, "Robot-version", Group,
        "The version of the standard that the record is written in.",
        "Conner 1996, Robot-version";
    CrawlDelay, "Crawl-delay", Group,
        "The seconds between two visits.",
        "Bing webmaster documentation; never standardised";
    RequestRate, "Request-rate", Group,
        "The most documents to request in a period, optionally between two times of day.",
        "Conner 1996, Request-rate";
    VisitTime, "Visit-time", Group,
        "The time of day, in UT, when visits are welcome.",
        "Conner 1996, Visit-time";
    Comment, "Comment", Group,
        "A message to the people who run the robot.",
        "Conner 1996, Comment";
    PleaseVisit, "PleaseVisit", Group,
        "A URL that the site asks robots to visit.",
        "Koster's reply to Kollar, 4 June 1996";
    Sitemap, "Sitemap", File,
        "The absolute URL of a sitemap.",
        "sitemaps.org protocol; RFC 9309 section 2.2.4";
    Host, "Host", File,
        "The preferred mirror of a site; dropped by Yandex in 2018.",
        "Yandex webmaster documentation";
    CleanParam, "Clean-param", File,
        "Query parameters that do not change the document.",
        "Yandex webmaster documentation, Clean-param";
    Noindex, "Noindex", Group,
        "Known but without effect in every dialect: no document defines it for robots.txt.",
        "never documented; dropped by Google on 1 September 2019";
    ContentUsage, "Content-Usage", Group,
        "Preferences on the use of content by automated systems.",
        "draft-ietf-aipref-attach-05 section 3";
    ContentSignal, "Content-Signal", GroupOrFile,
        "Signals on search, AI input and AI training.",
        "contentsignals.org, 24 September 2025";
    License, "License", GroupOrFile,
        "The absolute URI of a licence in Really Simple Licensing (RSL).",
        "RSL 1.0, robots.txt";
}

impl Field {
    /// Returns the row of this field.
    #[must_use]
    pub fn row(self) -> &'static Row {
        &FIELDS[self as usize]
    }

    /// Returns the field with this name; case is ignored.
    #[must_use]
    pub fn named(name: &[u8]) -> Option<Field> {
        FIELDS
            .iter()
            .find(|row| row.name.as_bytes().eq_ignore_ascii_case(name))
            .map(|row| row.field)
    }

    /// Returns the field at this position in [`FIELDS`].
    pub(crate) fn at(place: u32) -> Field {
        FIELDS[place as usize].field
    }
}

/// A set of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct FieldSet(u32);

impl FieldSet {
    /// Every field.
    pub const ALL: FieldSet = FieldSet((1 << FIELDS.len()) - 1);

    /// Returns the fields whose lines belong to the group that contains them.
    #[must_use]
    pub const fn of_groups() -> FieldSet {
        let (mut bits, mut at) = (0, 0);
        while at < FIELDS.len() {
            if !matches!(FIELDS[at].scope, Scope::File) {
                bits |= 1 << at;
            }
            at += 1;
        }
        FieldSet(bits)
    }

    /// Returns the set of these fields.
    #[must_use]
    pub const fn of(fields: &[Field]) -> FieldSet {
        let (mut bits, mut at) = (0, 0);
        while at < fields.len() {
            bits |= 1 << fields[at] as u32;
            at += 1;
        }
        FieldSet(bits)
    }

    /// Returns this set with these fields added.
    #[must_use]
    pub const fn with(self, fields: &[Field]) -> FieldSet {
        FieldSet(self.0 | FieldSet::of(fields).0)
    }

    /// Returns this set without these fields.
    #[must_use]
    pub const fn without(self, fields: &[Field]) -> FieldSet {
        FieldSet(self.0 & !FieldSet::of(fields).0)
    }

    /// Whether the field is in the set.
    #[must_use]
    pub const fn has(self, field: Field) -> bool {
        self.0 & (1 << field as u32) != 0
    }

    /// Iterates over the fields of the set, in the order of [`FIELDS`].
    pub fn iter(self) -> impl Iterator<Item = Field> {
        FIELDS.iter().map(|row| row.field).filter(move |field| self.has(*field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enumeration() {
        for (place, row) in FIELDS.iter().enumerate() {
            assert_eq!(row.field as usize, place);
            assert_eq!(Field::named(row.name.to_ascii_uppercase().as_bytes()), Some(row.field));
        }
    }

    #[test]
    fn a_set_holds_what_it_was_given() {
        let set = FieldSet::of(&[Field::Allow, Field::License]);
        assert_eq!(set.iter().collect::<Vec<_>>(), [Field::Allow, Field::License]);
        assert!(!FieldSet::ALL.without(&[Field::Allow]).has(Field::Allow));
    }
}
