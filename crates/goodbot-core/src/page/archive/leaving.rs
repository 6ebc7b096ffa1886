//! What is left out of a copy, and in which way each element of it is written.

use crate::html::{NodeId, is_block};

use super::super::plan::Cause;
use super::{Cut, locution, markup, media};

/// How a node was begun, and so how it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Open {
    /// With its tag.
    Written,
    /// With its bare tag, because what stands in it may not be kept.
    Bare,
    /// Likewise, and what it shows is shown from where it is.
    Media,
    /// Not at all.
    Dropped,
    /// Not at all, and nothing in it would be seen.
    Silent,
}

impl Open {
    /// Whether it has a tag.
    pub(crate) fn is_written(self) -> bool {
        matches!(self, Open::Written | Open::Bare | Open::Media)
    }

    /// In which way an element of HTML is written that may not be kept.
    ///
    /// `begins`: what stands around it may be kept. `around` is how that was begun, and `container` the
    /// innermost element that is open in the copy.
    pub(crate) fn of(name: &str, begins: bool, around: Open, container: &str) -> Open {
        if locution::is_frame(name) || name == "template" {
            // What may be kept in a template is not part of the page, there as here.
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

/// Whether an element may hold the locution for what stood in it.
fn holds_text(name: &str) -> bool {
    is_block(name) && !markup::is_void(name)
}

/// What is being left out, as long as nothing is kept behind it.
#[derive(Clone, Copy)]
struct Pending {
    /// Its number among the cuts.
    cut: usize,
    /// Where its locution stands in the copy.
    at: usize,
    /// Whether anything of it would be seen.
    is_seen: bool,
}

/// What was left out so far.
#[derive(Default)]
pub(crate) struct Leaving {
    pub(crate) cuts: Vec<Cut>,
    pending: Option<Pending>,
    /// The elements that began what is being left out, with the cause and the number of cuts before.
    outermost: Vec<(NodeId, Cause, usize)>,
}

impl Leaving {
    /// Takes up an element that may not be kept within one that may.
    pub(crate) fn begins(&mut self, id: NodeId, cause: Cause) {
        self.outermost.push((id, cause, self.cuts.len()));
    }

    /// Takes up the end of an element; `at` is the end of the copy.
    pub(crate) fn ends(&mut self, id: NodeId, how: Open, place: u32, at: usize) {
        if let Some((_, cause, cuts)) = self.outermost.pop_if(|(outer, _, _)| *outer == id)
            && self.cuts.len() == cuts
        {
            // No text stood in it, and yet it said something.
            let is_seen = matches!(how, Open::Bare | Open::Dropped);
            self.part(Cut { cause, place, octets: 0 }, at, is_seen);
        }
    }

    /// Leaves a part out; what stands behind another that is left out is one cut with it.
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

    /// Whether something is being left out.
    pub(crate) fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// Writes the locution for what was left out up to here: its size is known now.
    pub(crate) fn put_locution(&mut self, copy: &mut String, container: &str, prefix: &str) {
        let Some(pending) = self.pending.take().filter(|pending| pending.is_seen) else { return };
        let locution = locution::for_part(self.cuts[pending.cut].octets);
        if let Some(written) = locution::written(locution, container, prefix) {
            copy.insert_str(pending.at, &written);
        }
    }
}
