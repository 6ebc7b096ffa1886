//! Rewrites a document without the declarations of its internal subset, with their effects written
//! out in place.
//!
//! A copy therefore cannot carry anything hidden in a declaration, and the document keeps its
//! meaning.

use super::careful::SPEAKING;
use super::declarations::Content;
use super::reader::{Attributes, Event, Reader};
use super::reference::{Reference, reference};
use crate::steps;

/// The replacement for an entity that is not read.
const NOT_READ: &str = "[…]";

/// Returns a document rewritten without its declarations, or `None` if it declares nothing.
///
/// References to harmless entities are replaced by their texts, others by a placeholder; default
/// attributes are written into the tags. Comments, processing instructions and line ends are kept,
/// including those of the subset. The result ends at the first token that is not well-formed.
#[must_use]
pub fn without_declarations(text: &str) -> Option<String> {
    memchr::memmem::find(text.as_bytes(), b"<!DOCTYPE")?;
    let mut reader = Reader::new(text);
    let mut out = String::with_capacity(text.len());
    let mut attributes = Attributes::new();
    let mut declares = false;
    let mut at = 0;
    while let Some(found) = reader.next() {
        out.push_str(&text[at..found.start]);
        let source = &text[found.start..found.end];
        match found.event {
            Event::Declaration if is_in_subset(source) => {
                declares = true;
                out.extend(source.chars().filter(|one| *one == '\n'));
            }
            Event::Entity(written) => reader.locution(written, &mut out),
            Event::Start(_) => {
                let inside = source.trim_end_matches(['/', '>']);
                if !reader.attributes(&mut attributes, |_, _| true) {
                    break;
                }
                reader.tag(inside, &attributes, &mut out);
                for (name, value) in attributes.iter().skip(reader.written.len()) {
                    out.extend([" ", name, "=\""]);
                    escape(value, &mut out);
                    out.push('"');
                }
                out.push_str(&source[inside.len()..]);
            }
            _ => out.push_str(source),
        }
        for (target, data) in reader.hidden() {
            out.extend(["<?", target.as_str(), " ", data.as_str(), "?>"]);
        }
        at = found.end;
    }
    declares.then_some(out)
}

/// Whether a declaration belongs to the internal subset, or is a reference to a parameter entity
/// there.
fn is_in_subset(source: &str) -> bool {
    let words = ["%", "<!ENTITY", "<!ATTLIST", "<!ELEMENT", "<!NOTATION"];
    words.iter().any(|word| source.starts_with(word))
}

impl<'s> Reader<'s> {
    /// Appends the replacement for a reference in a text; a reference to an undeclared entity is
    /// kept.
    fn locution(&mut self, written: &'s str, out: &mut String) {
        match self.declared.content(&written[1..written.len() - 1]) {
            Content::Text(plain) => escape(&plain, out),
            Content::Gap => {
                out.push_str(NOT_READ);
                self.look_into(written);
            }
            Content::Undeclared => out.push_str(written),
        }
    }

    /// Appends a tag with the references in its attribute values replaced. References to entities
    /// that are not read are dropped, or forbid if the attribute addresses robots.
    fn tag(&self, source: &'s str, attributes: &Attributes<'s>, out: &mut String) {
        let mut rest = source;
        for ((name, written), (_, value)) in self.written.iter().zip(attributes) {
            let speaks = SPEAKING.iter().any(|one| name.eq_ignore_ascii_case(one));
            // A reference cannot occur in a name, or in a value that was skipped.
            steps::count(written.len());
            let Some(at) = rest.find(written).filter(|_| written.contains('&')) else { continue };
            out.push_str(&rest[..at]);
            if speaks && self.declared.unread(written).is_some() {
                escape(value, out);
            } else {
                self.references(written, out);
            }
            rest = &rest[at + written.len()..];
        }
        out.push_str(rest);
    }

    fn references(&self, source: &'s str, out: &mut String) {
        let mut rest = source;
        while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
            out.push_str(&rest[..at]);
            let found = reference(&rest[at..]);
            let length = found.map_or(1, |(_, length)| length);
            match found {
                Some((Reference::Entity(name), _)) if self.declared.entity_of(name).is_some() => {
                    escape(&self.declared.plain_of(name).unwrap_or_default(), out);
                }
                _ => out.push_str(&rest[at..at + length]),
            }
            rest = &rest[at + length..];
        }
        out.push_str(rest);
    }
}

/// Appends a text, escaped so that it can be used in a text or between quotes.
fn escape(text: &str, out: &mut String) {
    steps::count(text.len());
    for one in text.chars() {
        match one {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\r' => out.push_str("&#13;"),
            _ => out.push(one),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The result contains no declarations, and a few bytes never expand into many.
        #[test]
        fn declarations_are_gone(
            text in "<!DOCTYPE a \\[(<!ENTITY (% )?[ef] ('x'|'&[ef];&[ef];'|'<b/>'|'<\\?r s\\?>'|SYSTEM 'u')>|%[ef];|<!ATTLIST a b CDATA '&e;'>|<!-- c -->|<\\?r\\?>){0,6}\\]><a( d='&[ef];')?>(&[efg];|<a>|</a>|g|<!\\[CDATA\\[&e;\\]\\]>){0,8}</a>",
        ) {
            if let Some(written) = without_declarations(&text) {
                prop_assert_eq!(without_declarations(&written), None);
                prop_assert!(!written.contains("<!ENTITY") && !written.contains("<!ATTLIST"));
                prop_assert!(written.len() <= 70 * text.len());
            }
        }
    }

    #[test]
    fn what_declarations_say_stands_where_it_is_meant() {
        let text = "<!DOCTYPE a [<!-- c -->\n<!ENTITY e 'x&lt;y'><!ENTITY long '<b/>'><!ENTITY far '&e;'>\n<?robots index=\"no\" follow=\"no\"?>\
                    <!ATTLIST a d CDATA 'it&apos;s'>]><a f='&e;&far;&eacute;'>&e;&long;&eacute;<![CDATA[&e;]]></a>";
        let expected = "<!DOCTYPE a [<!-- c -->\n\n<?robots index=\"no\" follow=\"no\"?>]>\
                        <a f='x&lt;y&eacute;' d=\"it&#39;s\">x&lt;y[…]&eacute;<![CDATA[&e;]]></a>";
        assert_eq!(without_declarations(text).as_deref(), Some(expected));
    }

    #[test]
    fn instructions_in_entities_stay() {
        let text = "<!DOCTYPE a [<!ENTITY % p '<?robots index=\"no\" follow=\"yes\"?>'>%p;<!ENTITY e '<?robots f?>'>]><a>&e;</a>";
        let expected =
            "<!DOCTYPE a [<?robots index=\"no\" follow=\"yes\"?>]><a>[…]<?robots f?></a>";
        assert_eq!(without_declarations(text).as_deref(), Some(expected));
    }

    #[test]
    fn a_document_without_declarations_is_as_it_was() {
        for text in ["<a/>", "<!DOCTYPE a [<!-- c -->]><a/>", "<!-- <!DOCTYPE [<!ENTITY --><a/>"] {
            assert_eq!(without_declarations(text), None);
        }
    }

    #[test]
    fn it_ends_at_what_is_not_well_formed() {
        let text = "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;<b c=&e;/><!ENTITY e 'y'>";
        assert_eq!(without_declarations(text).as_deref(), Some("<!DOCTYPE a []><a>x"));
    }
}
