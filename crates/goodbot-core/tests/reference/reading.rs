//! How the reference parses: lines, fields, groups, and which of them a robot obeys.

use goodbot_core::Dialect;
use goodbot_core::dialect::*;

#[derive(Clone, Debug)]
pub struct Group {
    agents: Vec<Vec<u8>>,
    /// Field name, value, line number.
    pub fields: Vec<(String, Vec<u8>, usize)>,
    for_all: bool,
    dropped: bool,
    /// The User-agent lines and fields, divided at each User-agent line that follows a field.
    parts: Vec<Part>,
}

#[derive(Clone, Debug, Default)]
struct Part {
    agents: Vec<Vec<u8>>,
    fields: Vec<(String, Vec<u8>, usize)>,
}

/// Fields that belong to the User-agent lines before them.
const OF_AGENTS: [&str; 9] = [
    "crawl-delay",
    "request-rate",
    "visit-time",
    "comment",
    "pleasevisit",
    "noindex",
    "content-usage",
    "content-signal",
    "license",
];

/// Splits a text into lines, without their line ends.
fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    let mut lines = vec![Vec::new()];
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'\r' if text.get(at + 1) == Some(&b'\n') => {
                lines.push(Vec::new());
                at += 1;
            }
            b'\r' | b'\n' => lines.push(Vec::new()),
            octet => lines.last_mut().expect("a line").push(octet),
        }
        at += 1;
    }
    if lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    lines
}

fn trim(text: &[u8]) -> &[u8] {
    let space = |octet: &u8| b" \t\x0B\x0C".contains(octet);
    let start = text.iter().position(|octet| !space(octet)).unwrap_or(text.len());
    let end = text.iter().rposition(|octet| !space(octet)).map_or(start, |at| at + 1);
    &text[start..end]
}

enum Line {
    Blank,
    Comment,
    Field(String, Vec<u8>),
    /// A User-agent line that names no robot.
    NamesNobody,
    Bad,
}

fn line_of(line: &[u8], dialect: &Dialect, strict: bool) -> Line {
    let mut line = line;
    if dialect.line_limit != 0 {
        line = &line[..line.len().min(dialect.line_limit as usize)];
    }
    if dialect.nul == Nul::EndsLine {
        line = line.split(|octet| *octet == 0).next().expect("a part");
    }
    let body = trim(line.split(|octet| *octet == b'#').next().expect("a part"));
    if body.is_empty() {
        return match (line.contains(&b'#'), line.first()) {
            (false, _) => Line::Blank,
            (true, Some(b'#')) => Line::Comment,
            // Kollar's grammar allows comments only in the first column.
            (true, _) => Line::Bad,
        };
    }
    let (name, value) = match body.iter().position(|octet| *octet == b':') {
        Some(colon) => (trim(&body[..colon]), trim(&body[colon + 1..])),
        None => {
            let words: Vec<&[u8]> = body
                .split(|octet| b" \t".contains(octet))
                .filter(|word| !word.is_empty())
                .collect();
            match (dialect.missing_colon, &words[..]) {
                (MissingColon::Accepted, [name, value]) => (trim(name), trim(value)),
                _ if dialect.nul == Nul::Careful && before_nul(body).is_empty() => {
                    return Line::Comment;
                }
                _ => return Line::Bad,
            }
        }
    };
    let written = name;
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    let careful = dialect.nul == Nul::Careful;
    let mut guessed = false;
    let mut found = field(&name, dialect.misspellings);
    if dialect.misspellings == Misspellings::Near && !KNOWN.contains(&name.as_str()) {
        // Google's parser accepts its list, and names that begin with a known one.
        let near_only = field(&name, Misspellings::Google) != found || name.contains('\0');
        guessed = found.is_some() && near_only;
    }
    if found.is_none() && careful {
        let marks = b"\0\xEF\xBB\xBF\xFE\xFF";
        let start = written.iter().position(|o| !marks.contains(o)).unwrap_or(written.len());
        let whole = String::from_utf8_lossy(&written[start..]).to_ascii_lowercase();
        let bare = whole.replace('\0', "");
        let bare = bare.trim_matches(|c: char| " \t\x0B\x0C".contains(c));
        if written.contains(&0) && (bare == "disallow" || bare == "user-agent") {
            found = Some(bare.to_owned());
            guessed = true;
        }
    }
    let Some(field) = found else { return Line::Bad };
    let reads_comments = dialect.fields.iter().any(|field| field.row().name == "Comment");
    let mut value = value;
    if field == "comment" && reads_comments {
        // The value extends to the end of the line, including any `#`.
        let whole = trim(line);
        let colon = body.contains(&b':').then(|| whole.iter().position(|octet| *octet == b':'));
        value = trim(&whole[colon.flatten().map_or(written.len(), |colon| colon + 1)..]);
    }
    let nul = careful && value.contains(&0);
    if strict && (guessed || (nul && field == "allow")) {
        return Line::Bad;
    }
    let mut value = value.to_vec();
    if field == "user-agent" {
        let versioned = dialect.star_agent == StarAgent::Careful
            && (value.starts_with(b"*/") || value.starts_with(b"*("))
            && agents_of(&value, dialect).len() == 1;
        if strict && (nul || versioned) {
            return Line::NamesNobody;
        }
        if nul {
            value = before_nul(&value);
        } else if versioned {
            value = b"*".to_vec();
        }
    } else if nul && ["disallow", "crawl-delay", "request-rate", "visit-time"].contains(&&*field) {
        let kept = before_nul(&value);
        value = if kept.is_empty() { value } else { kept };
    }
    Line::Field(field, value)
}

/// Returns the part before the first NUL, not counting NULs at the beginning.
fn before_nul(value: &[u8]) -> Vec<u8> {
    let start = value.iter().position(|o| !b"\0 \t\x0B\x0C".contains(o)).unwrap_or(value.len());
    trim(value[start..].split(|o| *o == 0).next().expect("a part")).to_vec()
}

const KNOWN: [&str; 16] = [
    "user-agent",
    "allow",
    "disallow",
    "robot-version",
    "crawl-delay",
    "request-rate",
    "visit-time",
    "comment",
    "pleasevisit",
    "sitemap",
    "host",
    "clean-param",
    "noindex",
    "content-usage",
    "content-signal",
    "license",
];

fn field(name: &str, misspellings: Misspellings) -> Option<String> {
    if KNOWN.contains(&name) {
        return Some(name.to_owned());
    }
    let agent = ["useragent", "user agent"];
    let disallow = ["dissallow", "dissalow", "disalow", "diasllow", "disallaw"];
    match misspellings {
        Misspellings::Rejected => None,
        Misspellings::Google => {
            let begins = |list: &[&str]| list.iter().any(|known| name.starts_with(known));
            if begins(&["user-agent"]) || begins(&agent) {
                Some("user-agent".into())
            } else if begins(&["allow"]) {
                Some("allow".into())
            } else if begins(&["disallow"]) || begins(&disallow) {
                Some("disallow".into())
            } else if begins(&["sitemap", "site-map"]) {
                Some("sitemap".into())
            } else {
                None
            }
        }
        Misspellings::Near => {
            if agent.contains(&name) {
                Some("user-agent".into())
            } else if disallow.contains(&name) {
                Some("disallow".into())
            } else if name == "site-map" {
                Some("sitemap".into())
            } else {
                ["disallow", "user-agent"]
                    .into_iter()
                    .find(|known| near(name, known))
                    .map(Into::into)
            }
        }
    }
}

/// Tries every text that is one edit away.
fn near(name: &str, known: &str) -> bool {
    let (name, known) = (name.as_bytes(), known.as_bytes());
    if !name.first().is_some_and(u8::is_ascii_alphabetic) || name.len().abs_diff(known.len()) > 1 {
        return false;
    }
    let without = |text: &[u8], at: usize| [&text[..at], &text[at + 1..]].concat();
    let swapped = |at: usize| {
        let mut text = known.to_vec();
        text.swap(at, at + 1);
        text
    };
    if name.len() == known.len() {
        (0..known.len()).any(|at| without(name, at) == without(known, at))
            || (0..known.len() - 1).any(|at| swapped(at) == name)
    } else if name.len() < known.len() {
        (0..known.len()).any(|at| without(known, at) == name)
    } else {
        (0..name.len()).any(|at| without(name, at) == known)
    }
}

pub fn groups(text: &[u8], dialect: &Dialect, strict: bool) -> Vec<Group> {
    let mut text = text;
    for octet in [0xEF, 0xBB, 0xBF] {
        if text.first() != Some(&octet) || dialect.byte_order_mark == ByteOrderMark::Kept {
            break;
        }
        text = &text[1..];
    }
    let read: Vec<&str> = dialect.fields.iter().map(|field| field.row().name).collect();
    let mut groups: Vec<Group> = Vec::new();
    let (mut open, mut has_rule, mut has_agent) = (false, false, false);
    let mut has_usage = false;
    let drops = dialect.bad_record == BadRecord::DropRecord;
    for (number, line) in lines(text).iter().enumerate() {
        let line = line_of(line, dialect, strict);
        let names_nobody = matches!(line, Line::NamesNobody);
        let agent_line = || Line::Field("user-agent".into(), Vec::new());
        match if names_nobody { agent_line() } else { line } {
            Line::NamesNobody => unreachable!("it is a User-agent line"),
            Line::Blank if dialect.group_end == GroupEnd::BlankLine => {
                close(&mut groups, open, has_rule, drops);
                open = false;
            }
            Line::Blank | Line::Comment => {}
            Line::Bad => {
                if let (true, true, Some(group)) = (drops, open, groups.last_mut()) {
                    group.dropped = true;
                }
            }
            Line::Field(name, value) => {
                // A record of version 1 has no Allow.
                let first = |group: &Group| match version(group, dialect) {
                    Some((1, minor)) => minor % 2 == 0,
                    Some(_) => false,
                    None => !states_version(group, dialect),
                };
                let is_first = dialect.version_gate == VersionGate::Conner
                    && (!open || groups.last().is_some_and(first));
                let is_rule = name == "disallow"
                    || (name == "allow"
                        && dialect.allow_lines == AllowLines::Honoured
                        && !is_first);
                let over =
                    has_rule || (has_usage && dialect.group_end == GroupEnd::AgentAfterRuleOrUsage);
                let starts = (name == "user-agent" && (!open || over))
                    || (is_rule && !open && !has_agent && dialect.orphans == Orphans::DefaultGroup);
                if starts {
                    close(&mut groups, open, has_rule, drops);
                    let for_all = name != "user-agent";
                    let parts = vec![Part::default()];
                    groups.push(Group {
                        agents: vec![],
                        fields: vec![],
                        for_all,
                        dropped: false,
                        parts,
                    });
                    open = true;
                    has_rule = false;
                    has_usage = false;
                }
                has_agent |= name == "user-agent";
                has_rule |= is_rule;
                has_usage |= name == "content-usage";
                let foreign = !is_rule
                    && name != "user-agent"
                    && !read.iter().any(|known| known.eq_ignore_ascii_case(&name));
                if let (true, Some(group)) = (open, groups.last_mut()) {
                    group.dropped |= drops && foreign;
                    if name == "user-agent" {
                        let mut agents = agents_of(&value, dialect);
                        agents.retain(|_| !names_nobody);
                        if !group.parts.last().expect("a part").fields.is_empty() {
                            group.parts.push(Part::default());
                        }
                        group.parts.last_mut().expect("a part").agents.extend(agents.clone());
                        group.agents.extend(agents);
                    } else {
                        if OF_AGENTS.contains(&name.as_str()) {
                            let fields = &mut group.parts.last_mut().expect("a part").fields;
                            fields.push((name.clone(), value.clone(), number + 1));
                        }
                        group.fields.push((name, value, number + 1));
                    }
                }
            }
        }
    }
    close(&mut groups, open, has_rule, drops);
    groups
}

fn close(groups: &mut [Group], open: bool, has_rule: bool, drops: bool) {
    if let (true, Some(group)) = (open, groups.last_mut()) {
        group.dropped |= drops && !has_rule;
    }
}

fn agents_of(value: &[u8], dialect: &Dialect) -> Vec<Vec<u8>> {
    let parts: Vec<Vec<u8>> = match dialect.agents_per_line {
        AgentsPerLine::One => return vec![value.trim_ascii().to_vec()],
        AgentsPerLine::WhiteSpace => {
            value.split(|o| b" \t\x0B\x0C".contains(o)).map(|p| p.trim_ascii().to_vec()).collect()
        }
        AgentsPerLine::Comma => {
            value.split(|o| *o == b',').map(|p| p.trim_ascii().to_vec()).collect()
        }
    };
    if value.is_empty() {
        return vec![Vec::new()];
    }
    parts.into_iter().filter(|part| !part.is_empty()).collect()
}

/// Returns the first of Conner's headers in a record: name and value.
fn first_header<'a>(group: &'a Group, dialect: &Dialect) -> Option<(&'a str, &'a [u8])> {
    let read: Vec<String> =
        dialect.fields.iter().map(|field| field.row().name.to_ascii_lowercase()).collect();
    let of_conner = ["allow", "disallow", "robot-version", "visit-time", "request-rate", "comment"];
    let (name, value, _) = group
        .fields
        .iter()
        .find(|(name, _, _)| read.contains(name) && of_conner.contains(&name.as_str()))?;
    Some((name, value))
}

/// Whether a record has a Robot-version in the right place, valid or not.
pub fn states_version(group: &Group, dialect: &Dialect) -> bool {
    first_header(group, dialect).is_some_and(|(name, _)| name == "robot-version")
}

pub fn version(group: &Group, dialect: &Dialect) -> Option<(u32, u32)> {
    let (name, value) = first_header(group, dialect)?;
    if name != "robot-version" {
        return None;
    }
    let text = String::from_utf8(value.to_vec()).ok()?;
    let text = if text.starts_with(['v', 'V']) { &text[1..] } else { &text[..] };
    let text = text.split(|c: char| "-+ \t\x0C".contains(c)).next().expect("a part");
    let parts: Vec<&str> = text.split('.').collect();
    let valid =
        parts.iter().all(|part| !part.is_empty() && part.bytes().all(|o| o.is_ascii_digit()));
    let numbers: Result<Vec<u32>, _> = parts.iter().map(|part| part.parse::<u32>()).collect();
    match (&numbers.ok()?[..], valid) {
        ([major], true) => Some((*major, 0)),
        ([major, minor] | [major, minor, _], true) => Some((*major, *minor)),
        _ => None,
    }
}

fn usable(group: &Group, dialect: &Dialect) -> bool {
    let readable = match (dialect.version_gate, version(group, dialect)) {
        (VersionGate::Conner, Some((major, minor))) => matches!(major, 1 | 2) && minor % 2 == 0,
        _ => true,
    };
    readable && !group.dropped
}

fn is_star(agent: &[u8], dialect: &Dialect) -> bool {
    agent == b"*"
        || (dialect.star_agent != StarAgent::Alone
            && agent.first() == Some(&b'*')
            && agent.get(1).is_some_and(|o| b" \t\x0B\x0C".contains(o)))
}

/// Returns the groups that a robot obeys.
pub fn choose<'a>(groups: &'a [Group], dialect: &Dialect, robot: &str) -> Vec<&'a Group> {
    choose_as(groups, dialect, robot).1
}

/// Returns the fields, other than rules, that apply to a robot: in each group that it obeys, those after
/// the User-agent lines that name it best.
pub fn fields_of(
    groups: &[Group],
    dialect: &Dialect,
    robot: &str,
) -> Vec<(String, Vec<u8>, usize)> {
    let read: Vec<String> =
        dialect.fields.iter().map(|field| field.row().name.to_ascii_lowercase()).collect();
    let (name, chosen) = choose_as(groups, dialect, robot);
    let rank_of = |part: &Part| match &name {
        Some(name) => {
            let agents = part.agents.iter().filter(|agent| !is_star(agent, dialect));
            agents.map(|agent| rank(agent, dialect, name)).max().unwrap_or(0)
        }
        None => usize::from(part.agents.iter().any(|agent| is_star(agent, dialect))),
    };
    let mut fields = Vec::new();
    for group in chosen {
        let best = group.parts.iter().map(rank_of).max().expect("a part");
        for part in group.parts.iter().filter(|part| rank_of(part) == best) {
            fields.extend(part.fields.iter().filter(|(name, _, _)| read.contains(name)).cloned());
        }
    }
    fields
}

/// Returns the groups that a robot obeys, and the name that they use for it; no name for the groups for
/// all. The robots in the tests have simple names: product, perhaps with a version.
fn choose_as<'a>(
    groups: &'a [Group],
    dialect: &Dialect,
    robot: &str,
) -> (Option<String>, Vec<&'a Group>) {
    let name = robot.split('/').next().expect("a part").to_ascii_lowercase();
    let kept: Vec<&Group> = groups.iter().filter(|group| !group.dropped).collect();
    let groups: Vec<&Group> = kept.iter().copied().filter(|group| usable(group, dialect)).collect();
    let mut names = vec![name.clone()];
    for (known, other) in dialect.stand_ins.0.iter() {
        if known.eq_ignore_ascii_case(&name) {
            names.push(other.to_ascii_lowercase());
        }
    }
    let for_all =
        |group: &&Group| group.for_all || group.agents.iter().any(|agent| is_star(agent, dialect));
    let mut defaults: Vec<&Group> = groups.iter().copied().filter(for_all).collect();
    // Nothing can replace the default.
    if defaults.is_empty() {
        defaults = kept.iter().copied().filter(for_all).collect();
    }
    for name in names {
        // "Ignore that rule set and use the default": a later one that names the robot does not apply.
        let ignored = dialect.agent_choice == AgentChoice::First
            && named(&kept, dialect, &name).first().is_some_and(|first| !usable(first, dialect));
        if ignored && !defaults.is_empty() {
            continue;
        }
        let found = named(&groups, dialect, &name);
        if !found.is_empty() {
            return (Some(name), found);
        }
    }
    if dialect.default_groups == DefaultGroups::First {
        defaults.truncate(1);
    }
    (None, defaults)
}

fn named<'a>(groups: &[&'a Group], dialect: &Dialect, name: &str) -> Vec<&'a Group> {
    if name == "*" {
        return Vec::new();
    }
    let ranked: Vec<(usize, &Group)> = groups
        .iter()
        .map(|group| {
            let agents = group.agents.iter().filter(|agent| !is_star(agent, dialect));
            (agents.map(|agent| rank(agent, dialect, name)).max().unwrap_or(0), *group)
        })
        .filter(|(rank, _)| *rank > 0)
        .collect();
    let best = ranked.iter().map(|(rank, _)| *rank).max().unwrap_or(0);
    match (dialect.agent_choice, dialect.agent_match) {
        (AgentChoice::First, _) => ranked.iter().take(1).map(|(_, group)| *group).collect(),
        (AgentChoice::Merge, AgentMatch::Token) | (AgentChoice::MostSpecific, _) => {
            ranked.iter().filter(|(rank, _)| *rank == best).map(|(_, group)| *group).collect()
        }
        (AgentChoice::Merge, _) => ranked.iter().map(|(_, group)| *group).collect(),
    }
}

fn rank(agent: &[u8], dialect: &Dialect, name: &str) -> usize {
    let lower = String::from_utf8_lossy(agent).to_ascii_lowercase();
    let token = |text: &str| -> String {
        text.chars().take_while(|c| c.is_ascii_alphabetic() || *c == '-' || *c == '_').collect()
    };
    if lower.is_empty() {
        return usize::from(dialect.empty_agent == EmptyAgent::Everybody);
    }
    if dialect.agent_match == AgentMatch::GoogleToken {
        return usize::from(token(&lower) == name);
    }
    let mut value = lower.clone();
    if dialect.agent_version == AgentVersion::Ignored {
        let cut = lower.split(['/', '(']).next().expect("a part");
        let cut = cut.trim_end().trim_end_matches('*');
        if !cut.is_empty() {
            value = cut.to_owned();
        }
    }
    let hit = match dialect.agent_match {
        AgentMatch::Token => {
            if value == name {
                return 2;
            }
            let (one, other) = (token(&value), token(name));
            let cut = |text: &str, token: &str| text.as_bytes().get(token.len()).copied();
            let same = match (cut(&value, &one), cut(name, &other)) {
                (None, _) | (_, None) => true,
                (Some(a), Some(b)) => a.is_ascii_whitespace() && b.is_ascii_whitespace(),
            };
            return usize::from(same && !one.is_empty() && one == other);
        }
        AgentMatch::GoogleToken => false,
        AgentMatch::RobotContainsRecord => name.contains(&value),
        AgentMatch::RecordContainsRobot => value.contains(name),
        AgentMatch::EitherContains => name.contains(&value) || value.contains(name),
        AgentMatch::RecordIsPrefix => name.starts_with(&value),
    };
    if !hit {
        return 0;
    }
    if dialect.agent_choice == AgentChoice::MostSpecific { value.len() } else { 1 }
}

pub fn paths_of(value: &[u8], allow: bool, dialect: &Dialect) -> Vec<Vec<u8>> {
    let whole = vec![value.to_vec()];
    let parts: Vec<Vec<u8>> = value
        .split(|o| b" \t\x0B\x0C".contains(o))
        .filter(|p| !p.is_empty())
        .map(<[u8]>::to_vec)
        .collect();
    if parts.len() < 2 {
        return whole;
    }
    match dialect.paths_per_line {
        PathsPerLine::One => whole,
        PathsPerLine::WhiteSpace => parts,
        PathsPerLine::Careful if !allow && parts.iter().all(|part| part.starts_with(b"/")) => {
            [whole, parts].concat()
        }
        PathsPerLine::Careful => whole,
    }
}
