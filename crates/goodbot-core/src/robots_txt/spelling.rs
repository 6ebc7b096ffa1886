//! Field names as they are written: exact, in Google's list of misspellings, or one letter off.

use crate::dialect::Misspellings;
use crate::field::Field;

/// How a name was understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    Exact,
    Misspelt,
}

/// The misspellings that google/robotstxt accepts (`ParsedRobotsKey`, kAllowFrequentTypos).
const GOOGLE: [(&str, Field); 8] = [
    ("useragent", Field::UserAgent),
    ("user agent", Field::UserAgent),
    ("dissallow", Field::Disallow),
    ("dissalow", Field::Disallow),
    ("disalow", Field::Disallow),
    ("diasllow", Field::Disallow),
    ("disallaw", Field::Disallow),
    ("site-map", Field::Sitemap),
];

/// The fields that google/robotstxt knows, in the order in which it looks for them.
const GOOGLE_FIELDS: [Field; 4] = [Field::UserAgent, Field::Allow, Field::Disallow, Field::Sitemap];

/// Names that a near miss is read as. Not Allow: what is read leniently must never permit.
const NEAR: [Field; 2] = [Field::Disallow, Field::UserAgent];

/// The field with this name, and how it was spelt.
pub(crate) fn recognise(name: &[u8], misspellings: Misspellings) -> Option<(Field, Spelling)> {
    if let Some(field) = Field::named(name) {
        return Some((field, Spelling::Exact));
    }
    let misspelt = match misspellings {
        Misspellings::Rejected => None,
        Misspellings::Google => google(name),
        Misspellings::Near => GOOGLE
            .iter()
            .find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name))
            .map(|(_, field)| *field)
            .or_else(|| near(name)),
    };
    misspelt.map(|field| (field, Spelling::Misspelt))
}

/// google/robotstxt compares the beginning of a name only: `Disallowed` is Disallow.
fn google(name: &[u8]) -> Option<Field> {
    let begins = |known: &str| {
        name.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known.as_bytes()))
    };
    GOOGLE_FIELDS.into_iter().find(|&field| {
        begins(field.row().name) || GOOGLE.iter().any(|(known, of)| *of == field && begins(known))
    })
}

/// "If someone spells Disalow, I would rather you assumed they meant Disallow" (Koster's reply to
/// Kollar, 4 June 1996): one letter wrong, missing, added, or two swapped.
fn near(name: &[u8]) -> Option<Field> {
    NEAR.into_iter().find(|field| {
        let known = field.row().name;
        name.len().abs_diff(known.len()) <= 1
            && name[0].is_ascii_alphabetic()
            && one_edit_apart(&name.to_ascii_lowercase(), known.to_ascii_lowercase().as_bytes())
    })
}

fn one_edit_apart(left: &[u8], right: &[u8]) -> bool {
    let same = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let (left, right) = (&left[same..], &right[same..]);
    match (left, right) {
        ([_, left @ ..], [_, right @ ..]) if left == right => true,
        ([a, b, left @ ..], [c, d, right @ ..]) if a == d && b == c && left == right => true,
        ([_, left @ ..], right) if left == right => true,
        (left, [_, right @ ..]) => left == right,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_understood_as_far_as_the_choice_goes() {
        let of = |name: &str, choice| recognise(name.as_bytes(), choice).map(|(field, _)| field);
        assert_eq!(of("DISALLOW", Misspellings::Rejected), Some(Field::Disallow));
        assert_eq!(of("disalow", Misspellings::Rejected), None);
        for name in
            ["disalow", "dissallow", "diasllow", "disallaw", "disallows", "isallow", "dsiallow"]
        {
            assert_eq!(of(name, Misspellings::Near), Some(Field::Disallow), "{name}");
        }
        for name in ["useragent", "user agent", "user_agent", "user-agnet", "ser-agent"] {
            assert_eq!(of(name, Misspellings::Near), Some(Field::UserAgent), "{name}");
        }
        for name in ["alow", "allows", "disallow-x", "disalloww2", ""] {
            assert_eq!(of(name, Misspellings::Near), None, "{name}");
        }
        assert_eq!(of("disallowed", Misspellings::Google), Some(Field::Disallow));
        assert_eq!(of("allowance", Misspellings::Google), Some(Field::Allow));
        assert_eq!(of("isallow", Misspellings::Google), None);
    }
}
