//! Namespaces: what a prefix stands for.

use std::collections::HashMap;

/// The namespaces that mean something here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Namespace {
    /// None, or one of a prefix that nobody declares.
    None,
    Xhtml,
    XLink,
    Atom,
    Other,
}

impl Namespace {
    fn of(uri: &str) -> Namespace {
        match uri {
            "" => Namespace::None,
            "http://www.w3.org/1999/xhtml" => Namespace::Xhtml,
            "http://www.w3.org/1999/xlink" => Namespace::XLink,
            "http://www.w3.org/2005/Atom" => Namespace::Atom,
            _ => Namespace::Other,
        }
    }
}

/// The namespaces in force: of each prefix what it stands for, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Names(HashMap<String, Vec<Namespace>>);

impl Names {
    /// Takes up what an element declares; the prefixes.
    pub(super) fn declare(&mut self, attributes: &[(String, String)]) -> Vec<String> {
        let mut declared = Vec::new();
        for (name, uri) in attributes {
            let Some(behind) = name.strip_prefix("xmlns") else { continue };
            if !behind.is_empty() && !behind.starts_with(':') {
                continue;
            }
            let prefix = behind.trim_start_matches(':').to_owned();
            self.0.entry(prefix.clone()).or_default().push(Namespace::of(uri));
            declared.push(prefix);
        }
        declared
    }

    /// Leaves an element.
    pub(super) fn forget(&mut self, declared: &[String]) {
        for prefix in declared {
            if let Some(spaces) = self.0.get_mut(prefix) {
                spaces.pop();
            }
        }
    }

    /// What a prefix stands for, if somebody declares it.
    pub(super) fn of(&self, prefix: &str) -> Option<Namespace> {
        self.0.get(prefix)?.last().copied()
    }
}
