//! Decisions on columns of URLs: by the rules of one file, or by the policy that held at a time.
//!
//! The columns are read through traits, so that the core needs no library of columns, and copies
//! nothing. In order: `spelling` (what is judged for a URL), `robot` (who obeys what), `cache` (compiled
//! rules), `history` (which policies held), `order` (which rows come together), `verdicts` (the rows).

mod answers;
mod cache;
mod history;
mod index;
mod last_origin;
mod many;
mod order;
mod origins;
mod pieces;
mod robot;
mod spelling;
mod verdicts;

pub use answers::{
    Answers, Counts, Explained, NO_POLICY, NO_REASON, NULL, OF_POLICY, OWN_REASONS, OfStanding,
    Tally, Wanted, slugs,
};
pub use history::{Access, History, Policies};
pub use many::{Urls, decide_many, decide_many_as_sent};
pub use origins::each_origin;
pub use pieces::are_mixed;
pub use robot::{Family, Robot, Robots};
pub use verdicts::{Moment, Options, Part, Times, decide_at, decide_at_moments};
