//! Files of positions, whatever they are packed in, in blocks of whole lines (or whole packed positions).

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;
use std::rc::Rc;

use flate2::read::MultiGzDecoder;

use crate::packed::PackedPosition;

/// How much is handed to a worker at a time.
const BLOCK: usize = 256 * 1024;

/// A longer line than this is no line.
const LONGEST_LINE: usize = 64 * 1024;

const GZIP: [u8; 2] = [0x1F, 0x8B];
const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// What a block holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// Lines of EPD.
    Lines,
    /// Positions as `tune extract` writes them.
    Packed,
}

/// Some lines, or some packed positions.
pub struct Block {
    /// Which.
    pub content: Content,
    /// The bytes, whole lines or positions.
    pub bytes: Vec<u8>,
}

/// A file being read.
pub struct Input {
    name: String,
    content: Content,
    reader: Box<dyn Read>,
    /// The beginning of a line whose end was not read yet.
    pending: Vec<u8>,
    ended: bool,
}

impl Input {
    /// Opens a file; `-` is standard input. `hash` is carried on over the bytes as they are on the disk.
    pub fn open(path: &Path, hash: Rc<Cell<u64>>) -> io::Result<Input> {
        let (name, raw): (String, Box<dyn Read>) = if path == Path::new("-") {
            ("standard input".to_owned(), Box::new(io::stdin()))
        } else {
            (path.display().to_string(), Box::new(File::open(path)?))
        };
        let mut reader = BufReader::with_capacity(1 << 16, Hashed { reader: raw, hash });
        // The first bytes tell formats apart. A pipe may hand them over one by one.
        let mut head = Vec::with_capacity(PackedPosition::HEADER);
        reader.by_ref().take(PackedPosition::HEADER as u64).read_to_end(&mut head)?;
        let (content, reader): (Content, Box<dyn Read>) = if head.starts_with(&PackedPosition::MAGIC) {
            PackedPosition::check_version(&head)?;
            (Content::Packed, Box::new(zstd::Decoder::with_buffer(reader)?))
        } else if head.starts_with(&ZSTD) {
            (Content::Lines, Box::new(zstd::Decoder::with_buffer(Cursor::new(head).chain(reader))?))
        } else if head.starts_with(&GZIP) {
            (Content::Lines, Box::new(MultiGzDecoder::new(Cursor::new(head).chain(reader))))
        } else {
            (Content::Lines, Box::new(Cursor::new(head).chain(reader)))
        };
        Ok(Input { name, content, reader, pending: Vec::new(), ended: false })
    }

    /// What it is called in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The next block, `None` at the end.
    pub fn next_block(&mut self) -> io::Result<Option<Block>> {
        let mut bytes = std::mem::take(&mut self.pending);
        bytes.reserve(BLOCK + 4096 + LONGEST_LINE);
        while !self.ended {
            let wanted = (BLOCK + 4096).saturating_sub(bytes.len()).max(4096);
            let got = self.reader.by_ref().take(wanted as u64).read_to_end(&mut bytes)?;
            self.ended = got < wanted;
            let whole = match self.content {
                Content::Lines => memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1),
                Content::Packed => bytes.len() / PackedPosition::SIZE * PackedPosition::SIZE,
            };
            if whole > 0 && !self.ended {
                self.pending = bytes.split_off(whole);
                break;
            }
            if whole == 0 && bytes.len() > LONGEST_LINE {
                return Err(io::Error::other(format!(
                    "a line of more than {LONGEST_LINE} bytes: is this EPD?"
                )));
            }
        }
        if self.content == Content::Packed && !bytes.len().is_multiple_of(PackedPosition::SIZE) {
            return Err(io::Error::other(
                "the file ends within a position: it was cut off; extract it again",
            ));
        }
        Ok((!bytes.is_empty()).then_some(Block { content: self.content, bytes }))
    }
}

/// Hashes what passes through: FNV-1a.
struct Hashed {
    reader: Box<dyn Read>,
    hash: Rc<Cell<u64>>,
}

/// What a hash begins with.
pub const HASH_OF_NOTHING: u64 = 0xCBF2_9CE4_8422_2325;

impl Read for Hashed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        let hash = buffer[..read]
            .iter()
            .fold(self.hash.get(), |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3));
        self.hash.set(hash);
        Ok(read)
    }
}
