//! Packed header fields: a line each, of which the name ends with the first colon.

/// Returns the names and values of some fields, in their order.
pub fn fields(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = (!text.is_empty()).then(|| text.split('\n'));
    lines.into_iter().flatten().map(|line| line.split_once(':').unwrap_or((line, "")))
}

/// Adds the fields to a text that are not `ignored`; returns false, and adds nothing, if one of them is
/// a `lifetime`, with which other fields count.
pub fn add_deciding(
    text: &str,
    lifetimes: &[String],
    ignored: &[String],
    deciding: &mut String,
) -> bool {
    let is_in = |names: &[String], name: &str| names.iter().any(|one| one == name);
    if fields(text).any(|(name, _)| is_in(lifetimes, name)) {
        return false;
    }
    let start = deciding.len();
    for (name, value) in fields(text).filter(|(name, _)| !is_in(ignored, name)) {
        if deciding.len() > start {
            deciding.push('\n');
        }
        deciding.extend([name, ":", value]);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{add_deciding, fields};

    #[test]
    fn a_field_ends_with_its_line() {
        assert_eq!(fields("").count(), 0);
        let found: Vec<_> = fields("a:b:c\nd\ne:").collect();
        assert_eq!(found, [("a", "b:c"), ("d", ""), ("e", "")]);
    }

    #[test]
    fn what_decides_nothing_is_left_out() {
        let (lifetimes, ignored) = (["expires".to_owned()], ["date".to_owned(), "etag".to_owned()]);
        let mut found = "x".to_owned();
        assert!(add_deciding("date:1\na:2\netag:3\nb:date:4", &lifetimes, &ignored, &mut found));
        assert_eq!(found, "xa:2\nb:date:4");
        assert!(!add_deciding("a:1\nexpires:0", &lifetimes, &ignored, &mut found));
        assert_eq!(found, "xa:2\nb:date:4");
    }
}
