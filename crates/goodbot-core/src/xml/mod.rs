//! An XML reader: reports the contents of a text as far as it is well-formed (XML 1.0, fifth
//! edition).
//!
//! [`Reader`] yields the parts of a document with their positions, up to the first token that is
//! not well-formed; that token is the [`Fault`]. The reader does not recurse, and its time is
//! linear in the bytes of the text. It fetches nothing, and a few bytes never expand into many:
//!
//! - A reference in a text is reported by its name. [`Reader::expand`] replaces it with what the
//!   internal subset declares, unless the replacement is longer than [`LONGEST_ENTITY`] characters,
//!   contains markup or is made of other entities. Such a reference becomes a gap, and only the
//!   processing instructions in its entity are read. Texts grow by at most four times the bytes of
//!   the document plus 1 MiB.
//! - A reference in an attribute is replaced in the same way. One that is not read is dropped,
//!   except in an attribute that addresses robots: there it forbids.
//! - A reference to an undeclared entity is not a fault, because an external subset, which is not
//!   read, might declare it (section 4.1, "Entity Declared").
//!
//! All line ends are LF: the caller normalises them first (section 2.11).

mod careful;
mod characters;
mod cursor;
mod declarations;
mod expanded;
mod reader;
mod reference;
mod subset;
mod within;

pub use characters::is_space;
pub use declarations::LONGEST_ENTITY;
pub use expanded::without_declarations;
pub use reader::{Attributes, Event, Fault, Found, Reader, UNMATCHED};
pub use reference::append_entity;

/// A description of what is wrong with a token.
type Wrong = &'static str;
