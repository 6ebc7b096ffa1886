//! XML: a text to what stands in it, as far as it is well-formed (XML 1.0, fifth edition).
//!
//! [`Reader`] yields what stands in a document, each with its place, up to the first token that is not
//! well-formed; that is the [`Fault`]. It does not recurse, and time is linear in the bytes of the text.
//! Nothing is fetched, and few bytes never become many:
//!
//! - A reference in a text is handed on by its name. [`Reader::expand`] replaces it by what the internal
//!   subset declares, unless that is over [`LONGEST_ENTITY`] characters long, has markup, or is made of
//!   others: then it stands for a gap, and of what stands in it only processing instructions are
//!   read. Texts grow by four times the bytes of the document and 1 MiB at most.
//! - A reference in an attribute is replaced likewise; what is not read stands for nothing, save where the
//!   attribute speaks to robots: there it forbids.
//! - A reference to an entity that nobody declares is no fault, as an external subset, which is not
//!   read, might declare it (section 4.1, "Entity Declared").
//!
//! Line ends are LF alone: the caller normalises them first (section 2.11).

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
pub use reader::{Attributes, Event, Fault, Found, Reader};
pub use reference::append_entity;

/// What is wrong with a token.
type Wrong = &'static str;
