//! Dictionaries of structured fields, as far as signatures of requests need them.
//!
//! Source: RFC 9651 sections 3.2 and 4; RFC 9421 sections 2.3 and 4 say what Signature-Input and Signature
//! have.

use sfv::{BareItem, Dictionary, InnerList, Item, ListEntry, ListSerializer, Parameters, Parser};

/// A value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterValue {
    /// A string, without its quotation marks.
    Text(String),
    /// An integer.
    Number(i64),
    /// Anything else.
    Other,
}

/// A member of a dictionary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its key.
    pub key: String,
    /// Its value with its parameters, in the one way to write it.
    pub written: String,
    /// The items of an inner list, each a string with its parameters, in the one way to write it; `None` if
    /// it is no list, or has items that are no strings.
    pub strings: Option<Vec<String>>,
    /// The parameters of the whole member.
    pub parameters: Vec<(String, ParameterValue)>,
    /// The bytes, if it is a sequence of them.
    pub bytes: Option<Vec<u8>>,
}

/// Reads a dictionary; `None` if the text is none. Of a key that comes twice, the last value counts.
#[must_use]
pub fn dictionary(text: &[u8]) -> Option<Vec<Member>> {
    let read = Parser::new(text).parse::<Dictionary>().ok()?;
    read.into_iter().map(|(key, entry)| member(key.to_string(), &entry)).collect()
}

fn member(key: String, entry: &ListEntry) -> Option<Member> {
    let written = written(entry)?;
    let (strings, params, bytes) = match entry {
        ListEntry::Item(Item { bare_item, params }) => {
            (None, params, bare_item.as_byte_sequence().map(<[u8]>::to_vec))
        }
        ListEntry::InnerList(InnerList { items, params }) => {
            let string = |item: &Item| {
                matches!(item.bare_item, BareItem::String(_)).then(|| written_item(item)).flatten()
            };
            (items.iter().map(string).collect(), params, None)
        }
    };
    Some(Member { key, written, strings, parameters: parameters(params), bytes })
}

fn parameters(params: &Parameters) -> Vec<(String, ParameterValue)> {
    let value = |value: &BareItem| match value {
        BareItem::String(text) => ParameterValue::Text(text.as_str().to_owned()),
        BareItem::Integer(number) => ParameterValue::Number(i64::from(*number)),
        _ => ParameterValue::Other,
    };
    params.iter().map(|(key, one)| (key.to_string(), value(one))).collect()
}

fn written(entry: &ListEntry) -> Option<String> {
    let mut list = ListSerializer::new();
    list.members([entry]);
    list.finish()
}

fn written_item(item: &Item) -> Option<String> {
    written(&ListEntry::Item(item.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_written_in_one_way() {
        let text = br#"a=( "@path"  "x";key="b c" );created=1; tag="t,)", b=:YQ==:, c, a2=(tok)"#;
        let found = dictionary(text).expect("a dictionary");
        let keys: Vec<&str> = found.iter().map(|one| one.key.as_str()).collect();
        assert_eq!(keys, ["a", "b", "c", "a2"]);
        assert_eq!(found[0].written, r#"("@path" "x";key="b c");created=1;tag="t,)""#);
        let strings = [r#""@path""#, r#""x";key="b c""#].map(str::to_owned);
        assert_eq!(found[0].strings, Some(strings.to_vec()));
        assert_eq!(found[0].parameters[0], ("created".to_owned(), ParameterValue::Number(1)));
        assert_eq!(
            found[0].parameters[1],
            ("tag".to_owned(), ParameterValue::Text("t,)".to_owned()))
        );
        assert_eq!(found[1].bytes.as_deref(), Some(&b"a"[..]));
        assert_eq!((&found[2].bytes, &found[2].strings), (&None, &None));
        assert_eq!(found[3].strings, None);
    }

    #[test]
    fn what_is_no_dictionary_has_no_members() {
        for text in ["a=(", "a=\"", "A=1", "a=1;", "\u{e9}", "a=(1", ",", "a=?", "(\"@path\")"] {
            assert_eq!(dictionary(text.as_bytes()), None, "{text}");
        }
        assert_eq!(dictionary(b""), Some(Vec::new()));
    }
}
