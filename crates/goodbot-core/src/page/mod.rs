//! Pages: extracts the runs of text, the links and the marks for robots from the bytes of a page.
//!
//! The caller decides what a mark means and passes that as a [`Plan`]: which class, attribute,
//! relation or region forbids or allows which act. This module finds where each mark begins and
//! ends, in the tree that the HTML standard defines, so a missing end tag does not move a boundary.
//! Time and memory are linear in the bytes.

mod archive;
mod base;
mod bytes;
mod decode;
mod described;
mod facts;
mod inventory;
mod lines;
mod marked;
mod marks;
mod plan;
mod refresh;
mod run;
mod scan;
mod xml;

pub use archive::{Copied, Cut, archive};
pub use base::{Base, Unresolved};
pub use bytes::{count_pieces, may_name_robots};
pub use decode::{Declared, Decoded, decode};
pub use facts::{Comment, Facts, HeadLink, Meta, facts};
pub use inventory::{Inventory, Resource, ResourceKind};
pub use lines::Lines;
pub use marked::{MarkedElement, marked_elements};
pub use plan::{Act, AttributeMark, Cause, ClassMark, MarkTable, Plan, Region, RelationMark};
pub use refresh::refresh_target;
pub use run::Run;
pub use scan::{Link, LinkKind, Scan, scan, scan_xml};
pub use xml::{Copy, Instruction, Xml, copy_xml, parse_xml};
