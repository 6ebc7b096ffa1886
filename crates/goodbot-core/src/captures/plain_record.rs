//! A record of any type with all its fields, as the reader in Python returns it.
//!
//! Source: WARC 1.1 section 4.

use super::head::{block, read_fields};

/// A record that is alone in its member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainRecord<'a> {
    /// Its fields as they are written: of those with the same name, the first.
    pub fields: Vec<(&'a str, &'a str)>,
    /// The fields that are there again, with another value than the first.
    pub repeated: Vec<(&'a str, &'a str)>,
    /// Its block.
    pub block: &'a [u8],
}

/// The most fields that are compared with one another.
const MOST_FIELDS: usize = 64;

/// Reads the record that is the content of a member; `None` if it is odd, or its block is longer
/// than `most_block`.
#[must_use]
pub fn plain_record(content: &[u8], most_block: usize) -> Option<PlainRecord<'_>> {
    let (mut fields, mut repeated) = (Vec::<(&str, &str)>::new(), Vec::<(&str, &str)>::new());
    let mut count = 0;
    let rest = read_fields(content, |name, value| {
        count += 1;
        if count > MOST_FIELDS {
            return;
        }
        match fields.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            None => fields.push((name, value)),
            Some((_, first)) if *first != value => repeated.push((name, value)),
            Some(_) => {}
        }
    })?;
    let is_length = |field: &&(&str, &str)| field.0.eq_ignore_ascii_case("Content-Length");
    let block = block(rest, fields.iter().find(is_length)?.1)?;
    (count <= MOST_FIELDS && block.len() <= most_block).then_some(PlainRecord {
        fields,
        repeated,
        block,
    })
}

#[cfg(test)]
mod tests {
    use super::plain_record;

    #[test]
    fn a_repeated_field_has_its_first_value() {
        let content = b"WARC/1.0\r\nA: 1\r\nContent-Length: 2\r\na: 2\r\nA: 1\r\n\r\nab\r\n\r\n";
        let record = plain_record(content, 2).expect("it is plain");
        assert_eq!(record.fields, [("A", "1"), ("Content-Length", "2")]);
        assert_eq!(record.repeated, [("a", "2")]);
        assert_eq!(record.block, b"ab");
        assert_eq!(plain_record(content, 1), None);
    }

    #[test]
    fn a_record_of_many_fields_is_odd() {
        let mut content = b"WARC/1.1\r\nContent-Length: 0\r\n".to_vec();
        content.extend(b"A: 1\r\n".repeat(64));
        content.extend(b"\r\n\r\n\r\n");
        assert_eq!(plain_record(&content, 9), None);
    }
}
