//! Processing instructions within entities. The text of an entity is part of the document that
//! refers to it (XML 1.0, section 4.4.2), and so are the instructions in it. Nothing else in it is
//! read.

use super::declarations::{Declarations, Entity, Hidden};
use super::reader::{Event, Reader};

/// How deeply entities may be nested.
const DEEPEST: usize = 8;

/// The cost of an entity in addition to its bytes.
const OF_EACH: usize = 16;

impl Declarations<'_> {
    /// Appends the instructions in an entity, as far as the entity is well-formed.
    pub(super) fn in_entity(&mut self, name: &str, found: &mut Vec<Hidden>) {
        let mut room = self.room_in_texts;
        self.look_into(name, DEEPEST, &mut room, found);
        self.room_in_texts = room;
    }

    fn look_into(&self, name: &str, depth: usize, room: &mut usize, found: &mut Vec<Hidden>) {
        let Some(Entity::Text(text)) = self.entity_of(name) else { return };
        let Some(left) = room.checked_sub(text.len() + OF_EACH).filter(|_| depth > 0) else {
            return;
        };
        *room = left;
        if !text.contains(['<', '&']) {
            return;
        }
        for one in Reader::within(text, false) {
            match one.event {
                Event::Instruction(target, data) => {
                    found.push((target.to_owned(), data.to_owned()));
                }
                Event::Entity(written) => {
                    self.look_into(written.trim_matches(['&', ';']), depth - 1, room, found);
                }
                _ => {}
            }
        }
    }

    /// Appends the instructions in a parameter entity. Returns whether it contains nothing but
    /// instructions and comments, so that all of it was read.
    pub(super) fn in_parameter(&mut self, name: &str, found: &mut Vec<Hidden>) -> bool {
        let Some(text) = self.parameters.get(name) else { return false };
        let Some(left) = self.room_in_texts.checked_sub(text.len() + OF_EACH) else {
            return false;
        };
        self.room_in_texts = left;
        let mut reader = Reader::within(text, true);
        let mut alone = true;
        for one in reader.by_ref() {
            match one.event {
                Event::Instruction(target, data) => {
                    found.push((target.to_owned(), data.to_owned()));
                }
                Event::Comment(_) => {}
                _ => alone = false,
            }
        }
        alone && reader.fault().is_none()
    }
}
