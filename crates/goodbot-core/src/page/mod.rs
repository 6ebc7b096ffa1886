//! Pages: bytes to runs of text, links, and the marks that speak to robots.
//!
//! What a mark means is decided by the caller, in a [`Plan`]: which class, attribute, relation or
//! region forbids or allows which act. Here the borders are found: in the tree that the HTML standard
//! builds, so that a missing end tag moves none. Time and memory are linear in the bytes.

mod archive;
mod base;
mod decode;
mod described;
mod facts;
mod lines;
mod marked;
mod marks;
mod plan;
mod refresh;
mod scan;
mod xml;

pub use archive::{Copied, Cut, archive};
pub use base::{Base, Unresolved};
pub use decode::{Declared, Decoded, decode};
pub use facts::{Comment, Facts, HeadLink, Meta, facts};
pub use lines::Lines;
pub use marked::{MarkedElement, marked_elements};
pub use plan::{Act, AttributeMark, Cause, ClassMark, Plan, Region, RelationMark};
pub use refresh::refresh_target;
pub use scan::{Link, LinkKind, Run, Scan, scan, scan_xml};
pub use xml::{Copy, Instruction, Xml, copy_xml, parse_xml};
