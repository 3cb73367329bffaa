//! The beginning of the file: what the book is, and which games it has learned from.

use super::ExperienceError;
use super::span::{Learned, SPAN_BYTES, Span};
use crate::board::zobrist::ZOBRIST;

/// The first bytes of every book.
pub const MAGIC: [u8; 8] = *b"TABULAEX";
/// The version written; older ones stay readable.
pub const VERSION: u32 = 1;
/// Bytes before the list of games learned.
const FIXED: usize = 112;
/// The list cannot be longer: 16 MB.
const MOST_SPANS: u32 = 1 << 20;
/// Where the header says how long it is, where its copy stands, and how many spans it has.
const LEN_AT: usize = 12;
const COPY_AT: usize = 72;
const SPANS_AT: usize = 104;
/// The most bytes that are summed up to put a damaged header together: a second's work.
const MOST_MENDING: usize = 1 << 32;

/// How scores are learned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Rule {
    /// A return of the game's own search values and its result; across games the plain mean. Books add.
    Mean = 0,
    /// The manual's running average: games in the order of their ids, each moving the score by alpha.
    Td = 1,
}

impl Rule {
    /// As the command line spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::Mean => "mean",
            Rule::Td => "td",
        }
    }

    /// The rule of a byte of the file.
    fn of_code(code: u8) -> Option<Rule> {
        [Rule::Mean, Rule::Td].into_iter().find(|&rule| rule as u8 == code)
    }

    /// The rule of a name.
    pub fn named(name: &str) -> Option<Rule> {
        [Rule::Mean, Rule::Td].into_iter().find(|rule| rule.name() == name)
    }
}

/// What a book says of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// What positions are keyed by: the fingerprint of the Zobrist numbers of chess, or that of another game's rules.
    /// Books of different keys do not mix.
    pub keys: u64,
    /// How its scores were learned. Books of different rules do not mix.
    pub rule: Rule,
    /// The share of what follows in a score, in thousandths.
    pub alpha_milli: u16,
    /// What a value loses a ply, in thousandths.
    pub gamma_milli: u16,
    /// Whether a draw pulls scores to zero, or is only counted.
    pub learns_draws: bool,
    /// The style that played the games, up to 16 bytes; empty if it does not matter.
    pub style: String,
    /// Games learned from.
    pub games: u64,
    /// Which ones: none is learned twice.
    pub learned: Learned,
}

impl Default for Header {
    fn default() -> Header {
        Header {
            keys: ZOBRIST.fingerprint(),
            rule: Rule::Mean,
            alpha_milli: 500,
            gamma_milli: 990,
            learns_draws: true,
            style: String::new(),
            games: 0,
            learned: Learned::default(),
        }
    }
}

/// Where the parts of a file lie, in bytes from its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    pub rows: u64,
    pub positions: u64,
    /// The index has 2 to this power buckets.
    pub index_bits: u8,
    pub rows_at: u64,
    pub index_at: u64,
    /// The header once more.
    pub copy_at: u64,
}

impl Header {
    /// Bytes of the header in the file, its checksum included.
    pub(super) fn len(&self) -> usize {
        FIXED + SPAN_BYTES * self.learned.spans().len() + 8
    }

    /// The header of a book that holds nothing yet and is learned as this one is.
    pub fn emptied(&self) -> Header {
        Header { games: 0, learned: Learned::default(), ..self.clone() }
    }

    /// Whether scores of the other book mean the same, so that the two can be added; else why not.
    pub fn mixes_with(&self, other: &Header) -> Result<(), String> {
        let unlike = |what: &str, mine: &dyn std::fmt::Display, theirs: &dyn std::fmt::Display| {
            Err(format!("{what} is {mine} in one book and {theirs} in the other"))
        };
        if self.keys != other.keys {
            return Err("they are books of different games".to_string());
        }
        if self.rule != other.rule {
            return unlike("the rule", &self.rule.name(), &other.rule.name());
        }
        if self.alpha_milli != other.alpha_milli {
            return unlike("alpha (thousandths)", &self.alpha_milli, &other.alpha_milli);
        }
        if self.gamma_milli != other.gamma_milli {
            return unlike("gamma (thousandths)", &self.gamma_milli, &other.gamma_milli);
        }
        if self.learns_draws != other.learns_draws {
            return unlike("learning from draws", &self.learns_draws, &other.learns_draws);
        }
        if self.style != other.style {
            return unlike("the style", &self.style, &other.style);
        }
        Ok(())
    }

    pub(super) fn to_bytes(&self, layout: &Layout) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len());
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((self.len() as u32).to_le_bytes());
        bytes.extend(self.keys.to_le_bytes());
        for number in [layout.rows, layout.positions, self.games] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend([self.rule as u8, layout.index_bits]);
        bytes.extend(self.alpha_milli.to_le_bytes());
        bytes.extend(self.gamma_milli.to_le_bytes());
        bytes.extend([u8::from(self.learns_draws), 0]);
        for place in [layout.rows_at, layout.index_at, layout.copy_at, 0] {
            bytes.extend(place.to_le_bytes());
        }
        let mut style = [0; 16];
        for (to, from) in style.iter_mut().zip(self.style.bytes()) {
            *to = from;
        }
        bytes.extend(style);
        bytes.extend((self.learned.spans().len() as u32).to_le_bytes());
        bytes.extend([0; 4]);
        debug_assert_eq!(bytes.len(), FIXED);
        for span in self.learned.spans() {
            bytes.extend(span.to_bytes());
        }
        let check = super::checksum(&bytes);
        bytes.extend(check.to_le_bytes());
        bytes
    }

    /// Reads the beginning of a file, given all of it, whatever it is keyed by.
    pub(super) fn parse(file: &[u8]) -> Result<(Header, Layout), ExperienceError> {
        use ExperienceError::*;
        let fixed: &[u8; FIXED] = file.first_chunk().ok_or(TooShort { len: file.len() as u64 })?;
        if fixed[..8] != MAGIC {
            return Err(NotABook);
        }
        let word = |at: usize| u32::from_le_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let short = |at: usize| u16::from_le_bytes([fixed[at], fixed[at + 1]]);
        if word(8) != VERSION {
            return Err(Version { found: word(8), known: VERSION });
        }
        let spans = word(104);
        let len = FIXED + SPAN_BYTES * spans as usize + 8;
        if spans > MOST_SPANS || word(12) as usize != len || file.len() < len {
            return Err(HeaderDamaged);
        }
        let (body, check) = file[..len].split_at(len - 8);
        if check != super::checksum(body).to_le_bytes() {
            return Err(HeaderDamaged);
        }
        let style = &fixed[88..104];
        let style = &style[..style.iter().position(|&byte| byte == 0).unwrap_or(16)];
        let spans = body[FIXED..].as_chunks().0.iter().map(Span::from_bytes).collect();
        let learned = Learned::new(spans).map_err(|_| HeaderDamaged)?;
        let header = Header {
            keys: long(16),
            rule: Rule::of_code(fixed[48]).ok_or(HeaderDamaged)?,
            alpha_milli: short(50),
            gamma_milli: short(52),
            learns_draws: fixed[54] != 0,
            style: String::from_utf8_lossy(style).into_owned(),
            games: long(40),
            learned,
        };
        let layout = Layout {
            rows: long(24),
            positions: long(32),
            index_bits: fixed[49],
            rows_at: long(56),
            index_at: long(64),
            copy_at: long(72),
        };
        Ok((header, layout))
    }

    /// Looks for the header at the end of a file, where a copy of it stands.
    pub(super) fn parse_copy(file: &[u8]) -> Option<(Header, Layout)> {
        // Spans may look like anything but a header, so the last that begins like one is it.
        (0..file.len().saturating_sub(FIXED)).rev().filter(|&at| file[at..].starts_with(&MAGIC)).find_map(
            |at| {
                // Where it says it stands is looked at first: its checksum may be over 16 MB.
                if file[at..].get(COPY_AT..COPY_AT + 8)? != (at as u64).to_le_bytes() {
                    return None;
                }
                Header::parse(&file[at..]).ok()
            },
        )
    }

    /// Puts a header together from two damaged ones: where they differ, one of them is right.
    pub(super) fn mend(file: &[u8]) -> Option<(Header, Layout)> {
        let told =
            |at: usize| file.get(at..at + 4)?.try_into().ok().map(|bytes| u32::from_le_bytes(bytes) as usize);
        let by_spans = SPAN_BYTES.checked_mul(told(SPANS_AT)?)?.checked_add(FIXED + 8)?;
        [told(LEN_AT)?, by_spans].into_iter().find_map(|len| {
            let copy = file.get(file.len().checked_sub(len)?..)?;
            let mut bytes = file.get(..len)?.to_vec();
            let differing: Vec<usize> = (0..len).filter(|&at| bytes[at] != copy[at]).collect();
            let tries = 1_usize.checked_shl(differing.len() as u32)?;
            if tries.checked_mul(len)? > MOST_MENDING {
                return None;
            }
            (0..tries).find_map(|choice| {
                for (bit, &at) in differing.iter().enumerate() {
                    bytes[at] = if choice >> bit & 1 == 0 { file[at] } else { copy[at] };
                }
                Header::parse(&bytes).ok()
            })
        })
    }
}
