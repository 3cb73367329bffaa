//! The first bytes of a record: who played what.

use std::ops::Range;

use xxhash_rust::xxh64::xxh64;

use super::bytes::Bytes;

/// The first eight bytes of every record. The last four are those that transfers spoil first: a line
/// feed turned into another, or a file cut at an end-of-text.
pub const MAGIC: [u8; 8] = *b"TGR\x1a\r\n\0\n";
/// The version of records of chess.
pub const VERSION: u16 = 1;
/// The newest one: records of any other game. Their settings begin with `game=` and `rules=`.
pub const NEWEST_VERSION: u16 = 2;
/// Before the text of the settings: magic, version, reserved, length, five numbers of eight bytes and
/// the settings' hash.
const FIXED: usize = 8 + 2 + 2 + 4 + 6 * 8;
/// No settings take more than this; a larger number is damage, not a wish for memory.
const LONGEST_SETTINGS: usize = 1 << 16;
/// No header has more bytes.
pub(super) const LONGEST_HEADER: u64 = (FIXED + LONGEST_SETTINGS + 8) as u64;

/// What all games of a file have in common.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// The version of the format.
    pub version: u16,
    /// A fingerprint of how the engine plays: two programs with the same one play the same games.
    pub engine: u64,
    /// The hash of the evaluation weights.
    pub weights: u64,
    /// The seed of all randomness.
    pub seed: u64,
    /// The ids of the games.
    pub games: Range<u64>,
    /// All other settings that the games depend on, as text.
    pub settings: String,
}

/// Why bytes are no header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum HeaderFault {
    NotARecord,
    Version(u16),
    Damaged(String),
}

impl Header {
    /// Which game was played, with its rules: `chess`, `nim:3-4-5`.
    pub fn game(&self) -> String {
        if self.version == VERSION {
            return "chess".to_string();
        }
        let value = |key| self.settings.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
        match (value("game="), value("rules=")) {
            (name, "") => name.to_string(),
            (name, rules) => format!("{name}:{rules}"),
        }
    }

    /// The hash of the settings.
    pub fn settings_hash(&self) -> u64 {
        xxh64(self.settings.as_bytes(), 0)
    }

    /// Whether the games of the other file come from the same engine, weights, settings and seed.
    pub fn same_source(&self, other: &Header) -> bool {
        let source = |header: &Header| Header { games: 0..0, ..header.clone() };
        source(self) == source(other)
    }

    /// What a file of these games is called: the seed, the ids, and a hash of all the rest.
    pub fn file_name(&self) -> String {
        let mut source = self.settings.clone().into_bytes();
        source.extend(self.engine.to_le_bytes());
        source.extend(self.weights.to_le_bytes());
        let last = self.games.end - 1;
        format!("s{}-{:07}-{last:07}-{:08x}.tgr", self.seed, self.games.start, xxh64(&source, 0) as u32)
    }

    /// The bytes of the header.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(FIXED + self.settings.len() + 8);
        bytes.extend(MAGIC);
        bytes.extend(self.version.to_le_bytes());
        bytes.extend([0; 2]);
        bytes.extend((self.settings.len() as u32).to_le_bytes());
        let numbers =
            [self.engine, self.weights, self.settings_hash(), self.seed, self.games.start, self.games.end];
        for number in numbers {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.settings.as_bytes());
        bytes.extend(xxh64(&bytes, 0).to_le_bytes());
        bytes
    }

    /// Reads the header at the beginning of a file; also says how long it is.
    pub(super) fn decode(file: &[u8]) -> Result<(Header, usize), HeaderFault> {
        let damaged = |reason: &str| HeaderFault::Damaged(reason.to_string());
        if !file.starts_with(&MAGIC) {
            return Err(HeaderFault::NotARecord);
        }
        let mut bytes = Bytes::new(&file[MAGIC.len()..]);
        let cut = || damaged("the file ends within it");
        let version = bytes.u16().ok_or_else(cut)?;
        if version == 0 || version > NEWEST_VERSION {
            return Err(HeaderFault::Version(version));
        }
        let reserved = bytes.u16().ok_or_else(cut)?;
        let settings_length = bytes.u32().ok_or_else(cut)? as usize;
        if reserved != 0 || settings_length > LONGEST_SETTINGS {
            return Err(damaged("impossible values"));
        }
        let mut number = || bytes.u64().ok_or_else(cut);
        let (engine, weights, settings_hash) = (number()?, number()?, number()?);
        let (seed, first, end) = (number()?, number()?, number()?);
        let text = bytes.take(settings_length).ok_or_else(cut)?;
        let checksum = bytes.u64().ok_or_else(cut)?;
        let length = FIXED + settings_length + 8;
        if checksum != xxh64(&file[..length - 8], 0) {
            return Err(damaged("its checksum does not match"));
        }
        let settings = String::from_utf8(text.to_vec()).map_err(|_| damaged("the settings are no text"))?;
        let header = Header { version, engine, weights, seed, games: first..end, settings };
        if settings_hash != header.settings_hash() || first >= end {
            return Err(damaged("it contradicts itself"));
        }
        if version > VERSION && !header.settings.starts_with("game=") {
            return Err(damaged("it does not name its game"));
        }
        Ok((header, length))
    }
}
