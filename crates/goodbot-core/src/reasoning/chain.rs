//! A pattern as a chain of automata, one for each literal piece between its stars.
//!
//! Each piece is found at its leftmost place after the one before it, as in
//! `robots_txt::wildcard`, so a chain is deterministic: where it stands is one number. Behind a star a
//! piece is searched for as Knuth, Morris and Pratt do, and never starts again from the beginning.

/// A pattern, and how much of the path it must match.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pattern {
    /// The bytes as compared; with `wild`, a `*` is any run of bytes.
    pub(super) bytes: Vec<u8>,
    /// Whether it has stars.
    pub(super) wild: bool,
    /// Whether it must match up to the end of the path.
    pub(super) whole: bool,
}

/// Where a chain stands after a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It cannot match any more.
    Dead,
    /// It matches however the path goes on.
    Matched,
    /// It may match.
    At(u32),
}

/// A position of a chain. Position 0 is the beginning.
#[derive(Clone, Copy, Debug)]
struct Position {
    /// The byte that leads to the next position; `None` if the whole pattern has been read.
    wanted: Option<u8>,
    /// Where to compare again when another byte comes; `None` if no byte of the piece so far can begin
    /// it again.
    fallback: Option<u32>,
    /// For a piece behind a star, the position at its beginning, where a byte leads that is not wanted.
    base: Option<u32>,
    /// Where the byte leads.
    next: Step,
}

/// A pattern that reads a path byte by byte.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    positions: Vec<Position>,
    /// The last position, if the path may end there.
    end: Option<u32>,
    /// Where it stands before the first byte.
    pub(super) start: Step,
}

impl Chain {
    /// Compiles a pattern; its size is linear in the pattern.
    pub(super) fn new(pattern: &Pattern) -> Chain {
        let pieces: Vec<&[u8]> = match pattern.wild {
            true => pattern.bytes.split(|byte| *byte == b'*').collect(),
            false => vec![&pattern.bytes],
        };
        let mut chain = Chain { positions: Vec::new(), end: None, start: Step::Dead };
        let last = pieces.len() - 1;
        for (place, piece) in pieces.iter().enumerate() {
            // An empty piece between two stars matches at once.
            if !piece.is_empty() || (place == last && pattern.whole) {
                chain.piece(piece, place > 0, place == last && pattern.whole);
            }
        }
        chain.finish(pattern.whole);
        chain
    }

    /// Appends the positions of a piece; one that must end with the path has a position for its end.
    fn piece(&mut self, piece: &[u8], floats: bool, ends_path: bool) {
        let first = index(self.positions.len());
        let base = floats.then_some(first);
        let borders = borders(piece);
        // Where another byte may go on: a border with the same wanted byte would fail again.
        let mut fallbacks: Vec<Option<usize>> = Vec::with_capacity(piece.len());
        for (read, byte) in piece.iter().enumerate() {
            let fallback = match (read, borders[read]) {
                (0, _) => None,
                (_, border) if piece[border] == *byte => fallbacks[border],
                (_, border) => Some(border),
            };
            fallbacks.push(fallback);
            let fallback = fallback.filter(|_| floats).map(|border| first + index(border));
            let next = Step::At(first + index(read) + 1);
            self.positions.push(Position { wanted: Some(*byte), fallback, base, next });
        }
        if ends_path {
            self.end = Some(index(self.positions.len()));
            let fallback =
                (floats && !piece.is_empty()).then(|| first + index(borders[piece.len()]));
            self.positions.push(Position { wanted: None, fallback, base, next: Step::Dead });
        }
    }

    fn finish(&mut self, whole: bool) {
        if let (false, Some(last)) = (whole, self.positions.last_mut()) {
            last.next = Step::Matched;
        }
        self.start = if self.positions.is_empty() { Step::Matched } else { Step::At(0) };
    }

    /// Returns where the chain stands after a byte.
    pub(super) fn step(&self, at: u32, byte: u8) -> Step {
        let mut at = at;
        loop {
            let position = self.positions[at as usize];
            if position.wanted == Some(byte) {
                return position.next;
            }
            match (position.fallback, position.base) {
                (Some(fallback), _) => at = fallback,
                (None, Some(base)) => return Step::At(base),
                (None, None) => return Step::Dead,
            }
        }
    }

    /// Calls `found` with each byte after which the chain stands elsewhere than after any other byte.
    pub(super) fn wanted(&self, at: u32, mut found: impl FnMut(u8)) {
        let mut at = at;
        loop {
            let position = self.positions[at as usize];
            if let Some(byte) = position.wanted {
                found(byte);
            }
            match position.fallback {
                Some(fallback) => at = fallback,
                None => return,
            }
        }
    }

    /// Whether it wants each of some bytes, one after the other.
    pub(super) fn reads(&self, at: u32, bytes: &[u8]) -> bool {
        let mut at = at;
        for byte in bytes {
            let mut is_wanted = false;
            self.wanted(at, |wanted| is_wanted |= wanted == *byte);
            match self.step(at, *byte) {
                _ if !is_wanted => return false,
                Step::At(next) => at = next,
                Step::Dead | Step::Matched => return true,
            }
        }
        true
    }

    /// Whether the path matches if it ends here.
    pub(super) fn ends(&self, at: u32) -> bool {
        self.end == Some(at)
    }

    /// Returns where the chain stands after a byte that it does not want; `None` if that ends the match.
    pub(super) fn base(&self, at: u32) -> Option<u32> {
        self.positions[at as usize].base
    }

    /// Whether the pattern has a piece behind a star.
    pub(super) fn has_star(&self) -> bool {
        self.positions.last().is_some_and(|last| last.base.is_some())
    }

    /// Iterates over the bytes that the pattern compares.
    pub(super) fn bytes(&self) -> impl Iterator<Item = u8> {
        self.positions.iter().filter_map(|position| position.wanted)
    }
}

/// Returns, for each number of bytes read, the longest proper beginning of the piece that ends there.
fn borders(piece: &[u8]) -> Vec<usize> {
    let mut borders = vec![0; piece.len() + 1];
    let mut border = 0;
    for read in 1..piece.len() {
        while border > 0 && piece[read] != piece[border] {
            border = borders[border];
        }
        border += usize::from(piece[read] == piece[border]);
        borders[read + 1] = border;
    }
    borders
}

/// Positions of a pattern fit in 32 bits, as its file does.
fn index(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
