//! Rules as bytes and back, for pickles.
//!
//! The dialect is not part of the bytes: it is a value of its own, shared by many rules.

use std::sync::Arc;

use crate::dialect::Dialect;
use crate::packed::{Packed, pack_text, unpack_text};
use crate::verdict::{REASONS, Reason};

use super::rules::Rules;
use super::select::{HOWS, How};

/// The version of the byte format. Increase it when the rules, their table or its flags change.
const FORM: u8 = 4;

impl Rules {
    /// Returns these rules as bytes: format version, checksum, content. Equal rules have equal bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = Vec::new();
        self.pack(&mut body);
        let mut bytes = vec![FORM];
        sum(&body).pack(&mut bytes);
        bytes.extend_from_slice(&body);
        bytes
    }

    /// Returns the rules that [`Rules::to_bytes`] wrote, in their dialect; `None` if the bytes are
    /// damaged or have another format version.
    #[must_use]
    pub fn from_bytes(bytes: &[u8], dialect: &Arc<Dialect>) -> Option<Rules> {
        let (form, mut rest) = bytes.split_first()?;
        let stated = u64::unpack(&mut rest)?;
        if *form != FORM || stated != sum(rest) {
            return None;
        }
        let rules = Rules::unpack(&mut rest, dialect)?;
        rest.is_empty().then_some(rules)
    }

    /// Returns what the rules say as bytes, without lines and robots: rules with equal bytes decide alike,
    /// if their dialects compare paths with rules in the same way.
    #[must_use]
    pub fn content(&self) -> Vec<u8> {
        let mut content = Vec::new();
        for reading in self.readings() {
            (reading.reader() != reading.dialect()).pack(&mut content);
            reading.otherwise.pack(&mut content);
            reading.blanket.pack(&mut content);
            reading
                .extras
                .as_ref()
                .map_or(&[][..], |extras| &extras.origins)
                .to_vec()
                .pack(&mut content);
            let rules = reading.ranked().into_iter().map(|rule| (rule.flags, rule.pattern));
            rules.collect::<Vec<_>>().pack(&mut content);
        }
        content
    }

    fn pack(&self, into: &mut Vec<u8>) {
        self.is_version_1.pack(into);
        self.table.pack(into);
        self.otherwise.pack(into);
        self.blanket.pack(into);
        self.quick.pack(into);
        self.how.pack(into);
        self.texts.pack(into);
        self.extras.pack(into);
        self.strict.is_some().pack(into);
        if let Some(strict) = &self.strict {
            strict.pack(into);
        }
    }

    fn unpack(from: &mut &[u8], dialect: &Arc<Dialect>) -> Option<Rules> {
        Some(Rules {
            dialect: Arc::clone(dialect),
            is_version_1: Packed::unpack(from)?,
            table: Packed::unpack(from)?,
            otherwise: Packed::unpack(from)?,
            blanket: Packed::unpack(from)?,
            quick: Packed::unpack(from)?,
            how: Packed::unpack(from)?,
            texts: Packed::unpack(from)?,
            extras: Packed::unpack(from)?,
            strict: match bool::unpack(from)? {
                true => Some(Box::new(Rules::unpack(from, dialect)?)),
                false => None,
            },
        })
    }
}

impl PartialEq for Rules {
    fn eq(&self, other: &Rules) -> bool {
        self.dialect == other.dialect && self.to_bytes() == other.to_bytes()
    }
}

/// Computes a checksum that reveals damage, the same with every compiler (FNV-1a).
fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

impl Packed for Reason {
    fn pack(&self, into: &mut Vec<u8>) {
        pack_text(self.slug(), into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let slug = unpack_text(from)?;
        REASONS.iter().find(|(_, known, _)| *known == slug).map(|(reason, ..)| *reason)
    }
}

impl Packed for How {
    fn pack(&self, into: &mut Vec<u8>) {
        pack_text(self.slug(), into);
    }

    fn unpack(from: &mut &[u8]) -> Option<Self> {
        let slug = unpack_text(from)?;
        HOWS.iter().find(|(_, known, _)| *known == slug).map(|(how, ..)| *how)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects;
    use crate::robots_txt::RobotsTxt;

    /// Everything that rules can contain.
    const FULL: &[u8] = b"User-agent: *\nDisallow: /a*b$ # why\nAllow: http://a.example/x\n\
        disallow:/p\nCrawl-delay: 2.5\nRequest-rate: 1/10m 1300-1659\nVisit-time: 0600-0845\n\
        Comment: hi\nPlease-visit: /v\nContent-Usage: /q search=n\nContent-Signal: ai-train=no\n\
        License: https://a.example/l\nClean-param: a&b /c\nSitemap: https://a.example/s\n\
        Robot-version: 2\nUser-agent: b\nDisallow /odd\n";

    fn rules(text: &[u8], dialect: &Arc<Dialect>) -> Rules {
        RobotsTxt::parse(text, Arc::clone(dialect)).rules_for("ExampleBot").expect("a name")
    }

    #[test]
    fn rules_are_read_as_they_were_written_in_every_dialect() {
        let lines: Vec<_> = (0..2_000).map(|at| format!("Disallow: /{at}*x")).collect();
        let many = format!("User-agent: *\n{}", lines.join("\n"));
        for dialect in dialects::DIALECTS.iter() {
            for text in [FULL, b"", many.as_bytes()] {
                let rules = rules(text, dialect);
                let bytes = rules.to_bytes();
                let again = Rules::from_bytes(&bytes, dialect).expect("whole bytes");
                assert_eq!(again, rules);
                assert_eq!(format!("{again:?}"), format!("{rules:?}"));
            }
        }
    }

    #[test]
    fn damaged_bytes_are_no_rules() {
        let dialect = &dialects::DIALECTS[0];
        let bytes = rules(FULL, dialect).to_bytes();
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            assert!(Rules::from_bytes(&changed, dialect).is_none(), "byte {place}");
            assert!(Rules::from_bytes(&bytes[..place], dialect).is_none(), "cut at {place}");
        }
    }

    #[test]
    fn rules_that_differ_are_not_equal() {
        let dialect = &dialects::DIALECTS[0];
        let one = rules(b"User-agent: *\nDisallow: /a", dialect);
        assert_eq!(one, rules(b"User-agent: *\nDisallow: /a", dialect));
        assert_ne!(one, rules(b"User-agent: *\nDisallow: /b", dialect));
        assert_ne!(one, rules(b"User-agent: *\n\nDisallow: /a", dialect));
    }
}
