//! Tracks what is omitted from a copy, and how each element in an omitted part is written.

use crate::html::{NodeId, is_block};

use super::super::plan::Cause;
use super::{Cut, locution, markup, media};

/// How the start of a node was written, which determines how its end is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Open {
    /// With its tag.
    Written,
    /// With its bare tag, because its content may not be kept.
    Bare,
    /// With its bare tag, and with the addresses of its media, which are loaded from their origin.
    Media,
    /// Not at all.
    Dropped,
    /// Not at all, and nothing in it would be visible.
    Silent,
}

impl Open {
    /// Whether a tag is written.
    pub(crate) fn is_written(self) -> bool {
        matches!(self, Open::Written | Open::Bare | Open::Media)
    }

    /// Returns how to write an HTML element that may not be kept.
    ///
    /// `begins` says that its surroundings may be kept. `around` is how the element around it was
    /// begun, and `container` is the innermost element that is open in the copy.
    pub(crate) fn of(name: &str, begins: bool, around: Open, container: &str) -> Open {
        if locution::is_frame(name) || name == "template" {
            // Nothing within a template is part of the page, neither in the original nor in the
            // copy.
            Open::Bare
        } else if media::is_media(name) && (begins || around == Open::Media) {
            Open::Media
        } else if around == Open::Silent || locution::is_silent(name) {
            Open::Silent
        } else if begins && holds_text(name) && locution::may_stand_in(name, container) {
            Open::Bare
        } else {
            Open::Dropped
        }
    }
}

/// Whether an element may contain the locution for its omitted content.
fn holds_text(name: &str) -> bool {
    is_block(name) && !markup::is_void(name)
}

/// A part being omitted, until the next thing that is kept.
#[derive(Clone, Copy)]
struct Pending {
    /// Its index in the cuts.
    cut: usize,
    /// The position of its locution in the copy.
    at: usize,
    /// Whether any of it would be visible.
    is_seen: bool,
}

/// The parts omitted so far.
#[derive(Default)]
pub(crate) struct Leaving {
    pub(crate) cuts: Vec<Cut>,
    pending: Option<Pending>,
    /// The outermost elements of the part being omitted, each with the cause and the number of cuts
    /// before it.
    outermost: Vec<(NodeId, Cause, usize)>,
}

impl Leaving {
    /// Records the start of an element that may not be kept within one that may.
    pub(crate) fn begins(&mut self, id: NodeId, cause: Cause) {
        self.outermost.push((id, cause, self.cuts.len()));
    }

    /// Records the end of an element; `at` is the end of the copy.
    pub(crate) fn ends(&mut self, id: NodeId, how: Open, place: u32, at: usize) {
        if let Some((_, cause, cuts)) = self.outermost.pop_if(|(outer, _, _)| *outer == id)
            && self.cuts.len() == cuts
        {
            // It contained no text, but was still meaningful.
            let is_seen = matches!(how, Open::Bare | Open::Dropped);
            self.part(Cut { cause, place, octets: 0 }, at, is_seen);
        }
    }

    /// Omits a part; a part that directly follows another omitted one is merged into the same cut.
    pub(crate) fn part(&mut self, part: Cut, at: usize, is_seen: bool) {
        if let Some(pending) = &mut self.pending {
            pending.is_seen |= is_seen;
            let cut = &mut self.cuts[pending.cut];
            cut.octets = cut.octets.saturating_add(part.octets);
            return;
        }
        self.pending = Some(Pending { cut: self.cuts.len(), at, is_seen });
        self.cuts.push(part);
    }

    /// Whether a part is being omitted.
    pub(crate) fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// Writes the locution for the part omitted up to here, whose size is now known.
    pub(crate) fn put_locution(&mut self, copy: &mut String, container: &str, prefix: &str) {
        let Some(pending) = self.pending.take().filter(|pending| pending.is_seen) else { return };
        let locution = locution::for_part(self.cuts[pending.cut].octets);
        if let Some(written) = locution::written(locution, container, prefix) {
            copy.insert_str(pending.at, &written);
        }
    }
}
