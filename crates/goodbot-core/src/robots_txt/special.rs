//! The special bytes of a pattern, found in one pass.

/// Which special bytes a pattern has.
pub(crate) struct Special(u8);

impl Special {
    pub(crate) const STAR: u8 = 1;
    pub(crate) const QUESTION: u8 = 2;
    pub(crate) const PERCENT: u8 = 4;
    pub(crate) const SHELL: u8 = 8;
    pub(crate) const FOREIGN: u8 = 16;

    pub(crate) fn of(pattern: &[u8]) -> Special {
        Special(pattern.iter().fold(0, |found, octet| found | SPECIAL[usize::from(*octet)]))
    }

    pub(crate) fn has(&self, what: u8) -> bool {
        self.0 & what != 0
    }
}

const SPECIAL: [u8; 256] = special();

const fn special() -> [u8; 256] {
    let mut table = [0; 256];
    let mut octet: u8 = 0;
    loop {
        table[octet as usize] = match octet {
            b'*' => Special::STAR | Special::SHELL,
            b'?' => Special::QUESTION | Special::SHELL,
            b'%' => Special::PERCENT,
            b'[' | b'\\' => Special::SHELL,
            0x21..=0x7E => 0,
            _ => Special::FOREIGN,
        };
        if octet == u8::MAX {
            return table;
        }
        octet += 1;
    }
}
