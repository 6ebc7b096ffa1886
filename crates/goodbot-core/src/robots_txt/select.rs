//! Selects the groups that a robot obeys.

use std::collections::HashSet;
use std::ops::Range;

use crate::dialect::{AgentChoice, AgentMatch, DefaultGroups, Dialect, VersionGate};
use crate::field::Field;

use super::agent::{self, Name};
use super::named_groups::NamedGroups;
use super::parse::{self, Fields, Parsed, Record, Span};
use super::value::{Reading, Version};

macro_rules! hows {
    ($($(#[doc = $meaning:literal])+ $variant:ident = $slug:literal,)+) => {
        /// How the groups that a robot obeys were chosen. The slugs are stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum How { $($(#[doc = $meaning])+ $variant,)+ }

        /// Every way, with its slug and its meaning.
        pub const HOWS: &[(How, &str, &str)] = &[$((How::$variant, $slug, concat!($($meaning),+))),+];

        impl How {
            /// Returns the stable slug.
            #[must_use]
            pub fn slug(self) -> &'static str {
                match self { $(How::$variant => $slug,)+ }
            }
        }
    };
}

hows! {
    /// A group matches the robot's name.
    Named = "named",
    /// No group matches the whole name; a group matches the leading part of it.
    LeadingToken = "leading-token",
    /// No group matches the robot; the dialect uses the group of another robot instead.
    StandIn = "stand-in",
    /// No group matches the robot; the group for `*` applies.
    Default = "default",
    /// No group matches the robot, and there is no group for `*`.
    None = "none",
}

/// The groups chosen, as positions in `Parsed::groups`.
pub(crate) struct Selection {
    pub(crate) how: How,
    pub(crate) groups: Vec<usize>,
    /// The field groups that apply, if the fields of any of the groups are divided.
    parts: Option<Vec<Range<usize>>>,
}

impl Selection {
    /// Iterates over the records of the fields, other than rules, that apply to the robot.
    pub(crate) fn fields<'a>(&'a self, parsed: &'a Parsed) -> impl Iterator<Item = &'a Record> {
        let parts = self.parts.iter().flatten().map(|part| &parsed.records[part.clone()]);
        let shared = if self.parts.is_none() { &self.groups[..] } else { &[] };
        let shared = shared.iter().map(|place| &parsed.groups[*place]);
        let shared = shared.filter(|group| group.fields != Fields::None);
        let all = shared.map(|group| records(parsed, group)).chain(parts);
        all.flatten().filter(|record| parse::OF_AGENTS.has(record.field()))
    }

    /// Iterates over the fields of each field group that applies, where these are not all of the groups.
    pub(crate) fn parts<'a>(
        &'a self,
        parsed: &'a Parsed,
    ) -> impl Iterator<Item = impl Iterator<Item = &'a Record>> {
        let parts = self.parts.iter().flatten().map(|part| parsed.records[part.clone()].iter());
        parts.map(|part| part.filter(|record| parse::OF_AGENTS.has(record.field())))
    }
}

/// Iterates over the field groups of a group: User-agent lines with what follows them, up to the
/// next User-agent line after a field that belongs to those before it.
pub(crate) fn field_groups<'a>(
    parsed: &'a Parsed,
    group: &Span,
) -> impl Iterator<Item = Range<usize>> + use<'a> {
    let end = group.end;
    let first = parsed.borders.partition_point(|border| *border <= group.start);
    let borders = parsed.borders[first..].iter().copied().take_while(move |border| *border < end);
    let mut start = group.start as usize;
    borders
        .chain([end])
        .map(move |border| std::mem::replace(&mut start, border as usize)..border as usize)
}

/// Determines how a group's rules are read under Conner's version gate.
pub(crate) fn reading(group: &Span, parsed: &Parsed, text: &[u8], dialect: &Dialect) -> Reading {
    match dialect.version_gate {
        VersionGate::None => Reading::Second,
        VersionGate::Conner => match version_of(group, parsed, text, dialect) {
            Some(version) => version.reading(),
            // Present but not a number: the proposal does not cover this.
            None if states_version(group, parsed, dialect) => Reading::Either,
            // "If it does not immediately follow, or is missing, then the robot is to assume the
            // rule set follows the 1.0.0 standard."
            None => Reading::First,
        },
    }
}

/// Returns the first of Conner's headers after the User-agent lines of a record: its version must be there.
pub(crate) fn first_header<'a>(
    group: &Span,
    parsed: &'a Parsed,
    dialect: &Dialect,
) -> Option<&'a Record> {
    let counts = |field| parse::OF_CONNER.has(field) && dialect.fields.has(field);
    records(parsed, group).iter().find(|record| counts(record.field()))
}

/// Whether a Robot-version directly follows the User-agent lines of a record, readable or not.
pub(crate) fn states_version(group: &Span, parsed: &Parsed, dialect: &Dialect) -> bool {
    first_header(group, parsed, dialect).is_some_and(|first| first.field() == Field::RobotVersion)
}

/// Returns the version that a record states directly after its User-agent lines.
pub(crate) fn version_of(
    group: &Span,
    parsed: &Parsed,
    text: &[u8],
    dialect: &Dialect,
) -> Option<Version> {
    let first = first_header(group, parsed, dialect)?;
    if first.field() != Field::RobotVersion {
        return None;
    }
    std::str::from_utf8(first.value(text)).ok().and_then(Version::read)
}

pub(crate) fn records<'a>(parsed: &'a Parsed, group: &Span) -> &'a [Record] {
    &parsed.records[group.start as usize..group.end as usize]
}

/// From how many records on the groups of a file are found by an index.
const MANY_RECORDS: usize = 256;

/// From how many bytes on: one line may name thousands of robots.
const MANY_BYTES: usize = 16_384;

/// Selects the groups that a robot obeys.
pub(crate) fn select(parsed: &Parsed, text: &[u8], dialect: &Dialect, name: &Name) -> Selection {
    let chooser = Chooser { parsed, text, dialect };
    let (rank, groups) = chooser.choose_named(name);
    if !groups.is_empty() {
        let leading = dialect.agent_match == AgentMatch::Token && rank < agent::WHOLE;
        let how = if leading { How::LeadingToken } else { How::Named };
        let parts = chooser.parts(&groups, |part| chooser.rank(part, name));
        return Selection { how, groups, parts };
    }
    for (robot, other) in dialect.stand_ins.0.iter() {
        if robot.as_bytes().eq_ignore_ascii_case(&name.whole) {
            let other = Name::of(other);
            let (_, groups) = chooser.choose_named(&other);
            if !groups.is_empty() {
                let parts = chooser.parts(&groups, |part| chooser.rank(part, &other));
                return Selection { how: How::StandIn, groups, parts };
            }
        }
    }
    let groups = chooser.default_groups();
    let how = if groups.is_empty() { How::None } else { How::Default };
    let parts = chooser.parts(&groups, |part| u32::from(chooser.is_for_all(part)));
    Selection { how, groups, parts }
}

/// Returns the names that are compared with those of robots, for each group that may be obeyed.
pub(crate) fn compared_names(parsed: &Parsed, text: &[u8], dialect: &Dialect) -> Vec<Vec<String>> {
    let chooser = Chooser { parsed, text, dialect };
    let usable = parsed.groups.iter().filter(|group| chooser.is_usable(group));
    usable.map(|group| chooser.compared_names(group)).collect()
}

struct Chooser<'a> {
    parsed: &'a Parsed,
    text: &'a [u8],
    dialect: &'a Dialect,
}

impl Chooser<'_> {
    /// Returns the groups that name a robot, and how well they do.
    fn choose_named(&self, name: &Name) -> (u32, Vec<usize>) {
        if name.is_default() {
            return (0, Vec::new());
        }
        if let Some(index) = self.index() {
            return self.choose_understood(index.naming(name, self.dialect).into_iter());
        }
        let groups = self.parsed.groups.iter().enumerate().filter(|(_, group)| !group.dropped);
        let ranked =
            groups.map(|(place, group)| (self.rank(records(self.parsed, group), name), place));
        self.choose_understood(ranked.filter(|(rank, _)| *rank > 0))
    }

    /// Returns the best of the groups that name a robot, unless the default takes their place.
    ///
    /// Conner 1996, Robot-version: "ignore that rule set and use the default". So if the first record is
    /// not understood, a later one that names the robot does not apply either, where there is a default.
    fn choose_understood(&self, ranked: impl Iterator<Item = (u32, usize)>) -> (u32, Vec<usize>) {
        let is_usable = |place: usize| self.is_usable(&self.parsed.groups[place]);
        let mut ranked = ranked.peekable();
        let is_ignored = self.dialect.agent_choice == AgentChoice::First
            && ranked.peek().is_some_and(|(_, place)| !is_usable(*place));
        if is_ignored && !self.default_groups().is_empty() {
            return (0, Vec::new());
        }
        self.best(ranked.filter(|(_, place)| is_usable(*place)))
    }

    /// Returns the groups that name a robot best, or the first that does.
    fn best(&self, ranked: impl Iterator<Item = (u32, usize)>) -> (u32, Vec<usize>) {
        let mut best = 0;
        let mut chosen = Vec::new();
        for (rank, place) in ranked {
            if self.dialect.agent_choice == AgentChoice::First {
                return (rank, vec![place]);
            }
            if rank > best {
                chosen.clear();
            }
            if rank >= best {
                best = rank;
                chosen.push(place);
            }
        }
        (best, chosen)
    }

    /// Returns the groups by name, if the file is large and several robots have been asked for.
    fn index(&self) -> Option<&NamedGroups> {
        let is_large = self.parsed.records.len() >= MANY_RECORDS || self.text.len() >= MANY_BYTES;
        if is_large { self.parsed.by_name.get_or_make(|| self.make_index()) } else { None }
    }

    /// Makes the index.
    fn make_index(&self) -> NamedGroups {
        let mut index = NamedGroups::new(self.dialect);
        for (place, group) in (0..).zip(&self.parsed.groups) {
            if !group.dropped && self.is_default(group) {
                index.defaults.push(place);
            }
            if group.dropped {
                continue;
            }
            let records = records(self.parsed, group).iter();
            for record in records.filter(|record| record.field() == Field::UserAgent) {
                let mut before = None;
                for agent in agent::agents(record.value(self.text), self.dialect.agents_per_line) {
                    // A line may repeat a name 250,000 times.
                    let is_same = before.replace(agent) == Some(agent);
                    if !is_same && !agent::is_star(agent, self.dialect) {
                        index.add(place, agent, self.dialect);
                    }
                }
            }
        }
        index
    }

    /// Returns the field groups of the chosen groups that name the robot best, if the fields of any
    /// are divided. `rank` says how well one does; 0 is not at all.
    fn parts(
        &self,
        groups: &[usize],
        rank: impl Fn(&[Record]) -> u32,
    ) -> Option<Vec<Range<usize>>> {
        let spans = || groups.iter().map(|place| &self.parsed.groups[*place]);
        if spans().all(|group| group.fields != Fields::Divided) {
            return None;
        }
        let mut chosen = Vec::new();
        for group in spans() {
            let of_group: Vec<_> = field_groups(self.parsed, group)
                .map(|part| (rank(&self.parsed.records[part.clone()]), part))
                .collect();
            let best = of_group.iter().map(|(rank, _)| *rank).max().unwrap_or(0);
            chosen.extend(of_group.into_iter().filter(|one| one.0 == best).map(|one| one.1));
        }
        Some(chosen)
    }

    fn rank(&self, records: &[Record], name: &Name) -> u32 {
        let agents = records
            .iter()
            .filter(|record| record.field() == Field::UserAgent)
            .map(|record| record.value(self.text))
            .filter(|value| agent::may_name(value, name, self.dialect))
            .flat_map(|value| agent::agents(value, self.dialect.agents_per_line));
        let named = agents.filter(|agent| !agent::is_star(agent, self.dialect));
        let rank = named.map(|agent| agent::rank(agent, name, self.dialect)).max().unwrap_or(0);
        match (self.dialect.agent_match, self.dialect.agent_choice) {
            // Only the most specific choice distinguishes longer names from shorter ones.
            (AgentMatch::Token, _) | (_, AgentChoice::MostSpecific) => rank,
            _ => rank.min(1),
        }
    }

    /// Returns the names of a group as they are compared, each once: a line may repeat two 125,000 times.
    fn compared_names(&self, group: &Span) -> Vec<String> {
        let mut names = Vec::new();
        let mut known = HashSet::new();
        let records = records(self.parsed, group).iter();
        for record in records.filter(|record| record.field() == Field::UserAgent) {
            for agent in agent::agents(record.value(self.text), self.dialect.agents_per_line) {
                if agent.is_empty() || agent::is_star(agent, self.dialect) || !known.insert(agent) {
                    continue;
                }
                let compared = std::str::from_utf8(agent::compared(agent, self.dialect));
                names.extend(compared.map(str::to_ascii_lowercase));
            }
        }
        names
    }

    fn default_groups(&self) -> Vec<usize> {
        let all = &self.parsed.groups;
        let is_default = |group: &Span| !group.dropped && self.is_default(group);
        let mut chosen: Vec<usize> = if let Some(index) = self.index() {
            index.defaults.iter().map(|place| *place as usize).collect()
        } else {
            (0..all.len()).filter(|place| is_default(&all[*place])).collect()
        };
        // Conner 1996, Robot-version: "ignore that rule set and use the default". Nothing can replace
        // the default itself, so it applies.
        let is_usable = |place: &usize| self.is_usable(&all[*place]);
        if chosen.iter().any(is_usable) {
            chosen.retain(is_usable);
        }
        if self.dialect.default_groups == DefaultGroups::First {
            chosen.truncate(1);
        }
        chosen
    }

    fn is_default(&self, group: &Span) -> bool {
        group.orphans || self.is_for_all(records(self.parsed, group))
    }

    /// Whether any User-agent line among these is for `*`.
    fn is_for_all(&self, records: &[Record]) -> bool {
        records
            .iter()
            .filter(|record| record.field() == Field::UserAgent)
            .map(|record| record.value(self.text))
            .filter(|value| value.contains(&b'*'))
            .flat_map(|value| agent::agents(value, self.dialect.agents_per_line))
            .any(|agent| agent::is_star(agent, self.dialect))
    }

    fn is_usable(&self, group: &Span) -> bool {
        !group.dropped
            && matches!(
                reading(group, self.parsed, self.text, self.dialect),
                Reading::First | Reading::Second | Reading::Either
            )
    }
}
