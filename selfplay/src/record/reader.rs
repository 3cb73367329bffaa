//! Reading records: one file, or the games of many in a stable order, on all cores.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use engine::board::zobrist::Key;
use rayon::prelude::*;

use super::block::{self, Outline};
use super::codec::BlockCodec;
use super::error::RecordError;
use super::footer::Footer;
use super::frame::{BlockHead, COLUMNS, HEAD};
use super::game::GameRecord;
use super::header::{Header, HeaderFault, LONGEST_HEADER, NEWEST_VERSION};

/// Blocks that are decoded at the same time for each thread: enough to keep all busy, few enough to
/// bound the memory.
const BLOCKS_AHEAD: usize = 2;

/// An open record.
pub struct Reader {
    path: PathBuf,
    bytes: Vec<u8>,
    header: Header,
    header_length: usize,
    blocks: Vec<(usize, BlockHead)>,
    damage: Vec<RecordError>,
}

impl Reader {
    /// Opens a record of chess and finds its blocks. An error means that there is nothing to be read at all; other
    /// damage is found too, but whole blocks can still be read: see [`Reader::damage`].
    pub fn open(path: impl AsRef<Path>) -> Result<Reader, RecordError> {
        Reader::open_any(path)?.of_game("chess")
    }

    /// As [`Reader::open`], a record of any game: [`Header::game`] says which.
    pub fn open_any(path: impl AsRef<Path>) -> Result<Reader, RecordError> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|source| RecordError::Io { path: path.into(), source })?;
        Reader::any_from_bytes(path, bytes)
    }

    /// The header alone, without the games.
    pub fn head(path: impl AsRef<Path>) -> Result<Header, RecordError> {
        let path = path.as_ref();
        let failed = |source| RecordError::Io { path: path.into(), source };
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path).map_err(failed)?;
        std::io::Read::read_to_end(&mut std::io::Read::take(file, LONGEST_HEADER), &mut bytes)
            .map_err(failed)?;
        Ok(Reader::any_from_bytes(path, bytes)?.header)
    }

    /// As [`Reader::open`], from the bytes of a file.
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Reader, RecordError> {
        Reader::any_from_bytes(path, bytes)?.of_game("chess")
    }

    /// This record, if it is one of the game with these rules.
    pub fn of_game(self, wanted: &str) -> Result<Reader, RecordError> {
        let found = self.header.game();
        match found == wanted {
            true => Ok(self),
            false => Err(RecordError::OtherGame { path: self.path, found, wanted: wanted.to_string() }),
        }
    }

    pub(super) fn any_from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Reader, RecordError> {
        let (header, header_length) = Header::decode(&bytes).map_err(|fault| {
            let path = path.to_path_buf();
            match fault {
                HeaderFault::NotARecord => RecordError::NotARecord { path },
                HeaderFault::Version(version) => {
                    RecordError::Version { path, version, newest: NEWEST_VERSION }
                }
                HeaderFault::Damaged(reason) => RecordError::Header { path, reason },
            }
        })?;
        let (blocks, damage) = (Vec::new(), Vec::new());
        let mut reader = Reader { path: path.into(), bytes, header, header_length, blocks, damage };
        reader.find_blocks();
        Ok(reader)
    }

    /// Walks from block to block; where the chain is broken, looks for the next head that is whole.
    fn find_blocks(&mut self) {
        let mut at = self.header_length;
        loop {
            let rest = &self.bytes[at..];
            if let Some(head) = BlockHead::decode(rest)
                && rest.len() >= head.size()
            {
                self.blocks.push((at, head));
                at += head.size();
            } else if let Some(footer) = Footer::decode(rest, at) {
                self.check_footer(&footer, at);
                return;
            } else {
                let found = (1..rest.len()).find(|&skip| {
                    let rest = &rest[skip..];
                    BlockHead::decode(rest).is_some_and(|head| rest.len() >= head.size())
                        || Footer::decode(rest, at + skip).is_some()
                });
                let Some(skipped) = found else {
                    let reason = match rest.len() {
                        0 => "the file ends without its footer".to_string(),
                        bytes => format!("{bytes} bytes that are no whole block"),
                    };
                    self.damaged(at, reason);
                    return;
                };
                let (path, offset) = (self.path.clone(), at as u64);
                let reason = format!("{skipped} bytes are neither block nor footer");
                self.damage.push(RecordError::Block { path, offset, reason });
                at += skipped;
            }
        }
    }

    fn damaged(&mut self, offset: usize, reason: String) {
        self.damage.push(RecordError::Incomplete { path: self.path.clone(), offset: offset as u64, reason });
    }

    /// The footer must name the blocks that were found, and they must hold the games that the header
    /// promises, one after the other.
    fn check_footer(&mut self, footer: &Footer, at: usize) {
        if at + footer.size() != self.bytes.len() {
            return self.damaged(at + footer.size(), "bytes after the footer".to_string());
        }
        if !self.damage.is_empty() {
            return;
        }
        if footer != &Footer::of(&self.blocks) {
            return self.damaged(at, "a footer that names other blocks".to_string());
        }
        let mut next = self.header.games.start;
        for (_, head) in &self.blocks {
            if head.first != next {
                return self.damaged(at, format!("game {next} is missing"));
            }
            next = next.saturating_add(u64::from(head.games));
        }
        if next != self.header.games.end {
            self.damaged(at, format!("game {next} is missing"));
        }
    }

    /// The first damage that was found; the reader then no longer knows of any.
    pub fn take_damage(&mut self) -> Option<RecordError> {
        let mut damage = std::mem::take(&mut self.damage);
        (!damage.is_empty()).then(|| damage.swap_remove(0))
    }

    /// What all games have in common.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Bytes of the header.
    pub fn header_length(&self) -> usize {
        self.header_length
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes of the file.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The heads of the blocks that were found.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = &BlockHead> {
        self.blocks.iter().map(|(_, head)| head)
    }

    /// What is missing or too much, in the order of the file. Damage within a block shows when it is
    /// decoded.
    pub fn damage(&self) -> &[RecordError] {
        &self.damage
    }

    /// As [`Reader::damage`], when the reader has served.
    pub fn into_damage(self) -> Vec<RecordError> {
        self.damage
    }

    /// The games of a block, by its number from 0.
    pub fn decode(&self, number: usize) -> Result<Vec<GameRecord>, RecordError> {
        Ok(self.decode_with_keys(number)?.into_iter().map(|(game, _)| game).collect())
    }

    /// As [`Reader::decode`], each game with the keys of the positions in which the engine moved.
    pub fn decode_with_keys(&self, number: usize) -> Result<Vec<(GameRecord, Vec<Key>)>, RecordError> {
        self.frame(number, block::decode)
    }

    /// The games of a block of any game.
    pub fn decode_by<C: BlockCodec>(&self, codec: &C, number: usize) -> Result<Vec<C::Game>, RecordError> {
        self.frame(number, |head, frame| codec.decode(head, frame))
    }

    /// What is known of a block's games without decoding their moves: quick.
    pub fn outlines(&self, number: usize) -> Result<Vec<Outline>, RecordError> {
        self.frame(number, block::outlines)
    }

    /// Bytes of each column of a block, in the order of [`COLUMNS`].
    pub fn column_sizes(&self, number: usize) -> Result<[usize; COLUMNS.len()], RecordError> {
        self.frame(number, block::column_sizes)
    }

    fn frame<T>(
        &self,
        number: usize,
        read: impl FnOnce(&BlockHead, &[u8]) -> Result<T, String>,
    ) -> Result<T, RecordError> {
        let (at, head) = &self.blocks[number];
        read(head, &self.bytes[at + HEAD..at + head.size()]).map_err(|reason| RecordError::Block {
            path: self.path.clone(),
            offset: *at as u64,
            reason,
        })
    }

    /// The games of the file by id, then an error for each damage.
    pub fn into_games(self) -> impl Iterator<Item = Result<GameRecord, RecordError>> {
        let mut reader = self;
        let damage = std::mem::take(&mut reader.damage);
        (0..reader.blocks.len())
            .flat_map(move |number| match reader.decode(number) {
                Ok(games) => games.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(error)],
            })
            .chain(damage.into_iter().map(Err))
    }
}

/// The games of many files: files in the order given, games by id. A file that cannot be read, a damaged
/// block or a missing end is an error in its place; what is whole comes all the same.
pub fn games<P: AsRef<Path>>(
    paths: impl IntoIterator<Item = P>,
) -> impl Iterator<Item = Result<GameRecord, RecordError>> {
    paths.into_iter().flat_map(|path| -> Box<dyn Iterator<Item = _>> {
        match Reader::open(path) {
            Ok(reader) => Box::new(reader.into_games()),
            Err(error) => Box::new(std::iter::once(Err(error))),
        }
    })
}

/// Decodes the blocks of many files on all cores and hands what `map` makes of each to `sink`, in the
/// order of [`games`] whatever the number of threads. `sink` may break off. The first damage ends it.
pub fn map_blocks<P: AsRef<Path>, T: Send>(
    paths: impl IntoIterator<Item = P>,
    map: impl Fn(&Header, Vec<GameRecord>) -> T + Sync,
    sink: impl FnMut(T) -> ControlFlow<()>,
) -> Result<(), RecordError> {
    map_readers(paths, |reader, number| Ok(map(&reader.header, reader.decode(number)?)), sink)
}

/// As [`map_blocks`], each game with the keys of the positions in which the engine moved.
pub fn map_blocks_with_keys<P: AsRef<Path>, T: Send>(
    paths: impl IntoIterator<Item = P>,
    map: impl Fn(Vec<(GameRecord, Vec<Key>)>) -> T + Sync,
    sink: impl FnMut(T) -> ControlFlow<()>,
) -> Result<(), RecordError> {
    map_readers(paths, |reader, number| Ok(map(reader.decode_with_keys(number)?)), sink)
}

fn map_readers<P: AsRef<Path>, T: Send>(
    paths: impl IntoIterator<Item = P>,
    map: impl Fn(&Reader, usize) -> Result<T, RecordError> + Sync,
    mut sink: impl FnMut(T) -> ControlFlow<()>,
) -> Result<(), RecordError> {
    let at_once = BLOCKS_AHEAD * rayon::current_num_threads();
    for path in paths {
        let mut reader = Reader::open(path)?;
        let numbers: Vec<usize> = (0..reader.blocks.len()).collect();
        for numbers in numbers.chunks(at_once) {
            let mapped: Vec<Result<T, RecordError>> =
                numbers.par_iter().map(|&number| map(&reader, number)).collect();
            for result in mapped {
                if sink(result?).is_break() {
                    return Ok(());
                }
            }
        }
        if !reader.damage.is_empty() {
            return Err(reader.damage.swap_remove(0));
        }
    }
    Ok(())
}

/// Calls `see` with every game of many files, in the order of [`games`]; the files are decoded on all
/// cores. The first damage ends it.
pub fn for_each_game<P: AsRef<Path>>(
    paths: impl IntoIterator<Item = P>,
    mut see: impl FnMut(&Header, &GameRecord),
) -> Result<(), RecordError> {
    map_blocks(
        paths,
        |header, games| (header.clone(), games),
        |(header, games)| {
            games.iter().for_each(|game| see(&header, game));
            ControlFlow::Continue(())
        },
    )
}
