//! The last bytes of a record: where its blocks are, and the proof that nothing is missing.

use xxhash_rust::xxh64::xxh64;

use super::bytes::Bytes;
use super::frame::BlockHead;

const TAG: [u8; 4] = *b"TGRI";
const END: [u8; 8] = *b"TGR.END\n";
/// Bytes of one entry.
const ENTRY: usize = 24;
/// Tag and count before the entries; the footer's place, its checksum and the end mark after them.
const FIXED: usize = 8 + 24;

/// The index of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Footer {
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Entry {
    offset: u64,
    first: u64,
    games: u32,
    positions: u32,
}

impl Footer {
    /// The footer of a file with these blocks.
    pub fn of(blocks: &[(usize, BlockHead)]) -> Footer {
        let entry = |&(at, head): &(usize, BlockHead)| Entry {
            offset: at as u64,
            first: head.first,
            games: head.games,
            positions: head.positions,
        };
        Footer { entries: blocks.iter().map(entry).collect() }
    }

    /// Bytes of the footer.
    pub fn size(&self) -> usize {
        FIXED + self.entries.len() * ENTRY
    }

    /// The bytes of a footer that stands at `offset`.
    pub fn encode(&self, offset: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.size());
        bytes.extend(TAG);
        bytes.extend((self.entries.len() as u32).to_le_bytes());
        for entry in &self.entries {
            bytes.extend(entry.offset.to_le_bytes());
            bytes.extend(entry.first.to_le_bytes());
            bytes.extend(entry.games.to_le_bytes());
            bytes.extend(entry.positions.to_le_bytes());
        }
        bytes.extend((offset as u64).to_le_bytes());
        bytes.extend(xxh64(&bytes, 0).to_le_bytes());
        bytes.extend(END);
        bytes
    }

    /// Reads a footer at the beginning of `bytes`, which stand at `offset`; `None` if there is none.
    pub fn decode(bytes: &[u8], offset: usize) -> Option<Footer> {
        let mut fields = Bytes::new(bytes.strip_prefix(&TAG)?);
        let count = fields.u32()? as usize;
        // The end and the checksum first: until then the count is not to be believed. The end before the checksum:
        // a file may have millions of places that begin like a footer.
        let checked = count.checked_mul(ENTRY)?.checked_add(8 + 8)?;
        let (place, end) = (bytes.get(checked - 8..checked)?, bytes.get(checked + 8..checked + 16)?);
        if place != (offset as u64).to_le_bytes() || end != END {
            return None;
        }
        let hash = xxh64(bytes.get(..checked)?, 0);
        let mut entries = Vec::with_capacity(count);
        for _ in 0..count {
            let (offset, first) = (fields.u64()?, fields.u64()?);
            entries.push(Entry { offset, first, games: fields.u32()?, positions: fields.u32()? });
        }
        let whole = fields.u64()? == offset as u64 && fields.u64()? == hash && fields.take(8)? == END;
        whole.then_some(Footer { entries })
    }
}
