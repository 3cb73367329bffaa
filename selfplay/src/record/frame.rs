//! The frame around a block of games of any kind: its head, its columns, its checksums.

use xxhash_rust::xxh64::xxh64;

use super::bytes::Bytes;

/// Games of a block: those whose ids have the same quotient by this number.
pub const BLOCK_GAMES: u64 = 1000;
/// The first bytes of a block.
pub const TAG: [u8; 4] = *b"TGRB";
/// Bytes before the frame.
pub const HEAD: usize = 40;
/// The columns are compressed already; the frame is there for its length and its checksum.
const ZSTD_LEVEL: i32 = 1;
/// No block is larger; a larger number is damage, not a wish for memory.
const LARGEST: usize = 1 << 28;
/// What the columns hold, in their order.
pub const COLUMNS: [&str; 5] = ["results", "openings", "depths", "scores", "moves"];

/// What stands before the frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockHead {
    /// The id of the first game.
    pub first: u64,
    /// How many games; their ids follow each other.
    pub games: u32,
    /// How many moves the engine made in them.
    pub positions: u32,
    /// Bytes of the frame.
    pub length: u32,
    frame_hash: u64,
}

impl BlockHead {
    fn encode(&self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..4].copy_from_slice(&TAG);
        bytes[4..8].copy_from_slice(&self.length.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.first.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.games.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.positions.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.frame_hash.to_le_bytes());
        let hash = xxh64(&bytes[..32], 0);
        bytes[32..].copy_from_slice(&hash.to_le_bytes());
        bytes
    }

    /// Reads a head; `None` if these bytes are none.
    pub fn decode(bytes: &[u8]) -> Option<BlockHead> {
        let mut fields = Bytes::new(bytes.strip_prefix(&TAG)?);
        let length = fields.u32()?;
        let (first, games, positions) = (fields.u64()?, fields.u32()?, fields.u32()?);
        let frame_hash = fields.u64()?;
        let whole = fields.u64()? == xxh64(&bytes[..32], 0);
        whole.then_some(BlockHead { first, games, positions, length, frame_hash })
    }

    /// Bytes of head and frame.
    pub fn size(&self) -> usize {
        HEAD + self.length as usize
    }
}

/// A block of columns that are coded already.
pub fn pack(first: u64, games: u32, positions: u32, columns: &[Vec<u8>; COLUMNS.len()]) -> Vec<u8> {
    let mut payload = Vec::with_capacity(columns.iter().map(Vec::len).sum::<usize>() + 4 * COLUMNS.len());
    for column in columns {
        payload.extend((column.len() as u32).to_le_bytes());
    }
    columns.iter().for_each(|column| payload.extend(column));
    let frame = compress(&payload).expect("compressing in memory does not fail");
    let length = frame.len() as u32;
    let head = BlockHead { first, games, positions, length, frame_hash: xxh64(&frame, 0) };
    [&head.encode()[..], &frame].concat()
}

fn compress(payload: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut compressor = zstd::bulk::Compressor::new(ZSTD_LEVEL)?;
    // Off by default.
    compressor.set_parameter(zstd::zstd_safe::CParameter::ChecksumFlag(true))?;
    compressor.set_parameter(zstd::zstd_safe::CParameter::ContentSizeFlag(true))?;
    compressor.compress(payload)
}

/// The payload of a frame: the lengths of the columns, then the columns.
pub fn payload(head: &BlockHead, frame: &[u8]) -> Result<Vec<u8>, String> {
    if xxh64(frame, 0) != head.frame_hash {
        return Err("its checksum does not match".to_string());
    }
    let size = zstd::zstd_safe::get_frame_content_size(frame).ok().flatten().unwrap_or(0);
    if size > LARGEST as u64 {
        return Err(format!("it claims to hold {size} bytes"));
    }
    zstd::bulk::decompress(frame, size as usize).map_err(|error| format!("zstd: {error}"))
}

/// The columns of a payload.
pub fn split(payload: &[u8]) -> Option<[&[u8]; COLUMNS.len()]> {
    let mut bytes = Bytes::new(payload);
    let mut lengths = [0; COLUMNS.len()];
    for length in &mut lengths {
        *length = bytes.u32()? as usize;
    }
    let mut columns = [&[][..]; COLUMNS.len()];
    for (column, length) in columns.iter_mut().zip(lengths) {
        *column = bytes.take(length)?;
    }
    bytes.rest().is_empty().then_some(columns)
}

/// A block around any payload, with all checksums right: what somebody could forge.
#[cfg(test)]
pub fn forged(games: u32, payload: &[u8]) -> (BlockHead, Vec<u8>) {
    let frame = compress(payload).unwrap();
    let (length, frame_hash) = (frame.len() as u32, xxh64(&frame, 0));
    (BlockHead { first: 0, games, positions: 0, length, frame_hash }, frame)
}

/// A payload of columns of nonsense.
#[cfg(test)]
pub fn any_payload(dice: &mut crate::play::Dice) -> Vec<u8> {
    let mut payload = Vec::new();
    let lengths: [usize; COLUMNS.len()] = std::array::from_fn(|_| dice.below(200) as usize);
    lengths.iter().for_each(|&length| payload.extend((length as u32).to_le_bytes()));
    // Long runs of one byte steer the models to their ends.
    let fill = [0, 0xFF, dice.below(256) as u8][dice.below(3) as usize];
    for _ in 0..lengths.iter().sum() {
        payload.push(if dice.below(3) == 0 { dice.below(256) as u8 } else { fill });
    }
    payload
}
