//! Namespaces: resolves prefixes.

use std::collections::HashMap;

use crate::xml::Attributes;

/// The namespaces that matter here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Namespace {
    /// None, or an undeclared prefix.
    None,
    Xhtml,
    XLink,
    Atom,
    Svg,
    /// RSS 0.9 and 1.0; RSS 2.0 has none.
    Rss,
    /// The RSS module that defines `encoded`.
    RssContent,
    Other,
}

impl Namespace {
    fn of(uri: &str) -> Namespace {
        match uri {
            "" => Namespace::None,
            "http://www.w3.org/1999/xhtml" => Namespace::Xhtml,
            "http://www.w3.org/1999/xlink" => Namespace::XLink,
            "http://www.w3.org/2005/Atom" => Namespace::Atom,
            "http://www.w3.org/2000/svg" => Namespace::Svg,
            "http://purl.org/rss/1.0/"
            | "http://my.netscape.com/rdf/simple/0.9/"
            | "http://channel.netscape.com/rdf/simple/0.9/" => Namespace::Rss,
            "http://purl.org/rss/1.0/modules/content/" => Namespace::RssContent,
            _ => Namespace::Other,
        }
    }
}

/// The namespaces in scope: the declarations of each prefix, innermost last.
#[derive(Debug, Default)]
pub(super) struct Names<'s>(HashMap<&'s str, Vec<Namespace>>);

impl<'s> Names<'s> {
    /// Adds the declarations of an element. Returns their prefixes.
    pub(super) fn declare(&mut self, attributes: &Attributes<'s>) -> Vec<&'s str> {
        let mut declared = Vec::new();
        for (name, uri) in attributes {
            let Some(behind) = name.strip_prefix("xmlns") else { continue };
            let Some(prefix) = behind.strip_prefix(':').or(behind.is_empty().then_some("")) else {
                continue;
            };
            self.0.entry(prefix).or_default().push(Namespace::of(uri));
            declared.push(prefix);
        }
        declared
    }

    /// Removes the declarations of an element.
    pub(super) fn forget(&mut self, declared: &[&'s str]) {
        for prefix in declared {
            if let Some(spaces) = self.0.get_mut(prefix) {
                spaces.pop();
            }
        }
    }

    /// Returns the namespace of a prefix, if it is declared.
    pub(super) fn of(&self, prefix: &str) -> Option<Namespace> {
        self.0.get(prefix)?.last().copied()
    }
}
