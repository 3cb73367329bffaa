//! Writing a record so that nothing is lost and nothing half-written is ever taken for whole.
//!
//! Games arrive in any order. Each one goes at once to the journal (`NAME.tgr.journal`); as soon as all
//! games of the next block are there, the block is appended to the part file (`NAME.tgr.part`) and
//! synced. The last step writes the footer, syncs, links the part file to its final name (whoever is
//! first wins), and removes the rest. A process that dies loses the games it was playing and no other:
//! the next one reads what is whole, cuts off what is not, and goes on to the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use engine::unfinished_file::{self, LockError};

use super::block;
use super::codec::{BlockCodec, ChessCodec};
use super::error::RecordError;
use super::footer::Footer;
use super::frame::{BLOCK_GAMES, BlockHead};
use super::game::GameRecord;
use super::header::Header;
use super::reader::Reader;

/// Why a record could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The system would not.
    #[error("cannot {action} {path}: {source}; nothing that was saved is lost, the same command goes on")]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process writes the same record.
    #[error("{path} is being written by another process; wait for it or stop it")]
    Busy {
        /// The part file.
        path: PathBuf,
    },
    /// What is there comes from another run.
    #[error("{path} holds games of another run ({difference}); take another directory or remove it")]
    OtherRun {
        /// The file.
        path: PathBuf,
        /// What is different.
        difference: String,
    },
    /// The finished file is there and is not what it should be.
    #[error("{path} is there already and is damaged: {reason}; remove it to play its games again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Somebody published other bytes under the same name.
    #[error("{path} was published by another process with other bytes; ours stay in {part}")]
    Conflict {
        /// The final name.
        path: PathBuf,
        /// Our bytes.
        part: PathBuf,
    },
    /// The games to be written could not be read.
    #[error(transparent)]
    Source(#[from] RecordError),
}

fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> WriteError {
    move |source| WriteError::Io { action, path: path.into(), source }
}

/// The right to write a file that is not finished.
fn taken(path: &Path, file: Result<File, LockError>) -> Result<File, WriteError> {
    file.map_err(|cause| match cause {
        LockError::Busy => WriteError::Busy { path: path.into() },
        LockError::Io(source) => io_error("open", path)(source),
    })
}

fn take_over(path: &Path) -> Result<File, WriteError> {
    taken(path, unfinished_file::take_over(path))
}

fn begin(path: &Path) -> Result<File, WriteError> {
    taken(path, unfinished_file::begin(path))
}

/// What opening a record for writing finds.
pub enum Opened<C: BlockCodec = ChessCodec> {
    /// All of it is there and whole: nothing to do.
    Finished,
    /// Some or none of it is there.
    Going(Box<Writer<C>>),
}

/// A record that is being written.
pub struct Writer<C: BlockCodec = ChessCodec> {
    codec: C,
    path: PathBuf,
    part_path: PathBuf,
    journal_path: PathBuf,
    header: Header,
    /// Locked as long as it is open.
    part: File,
    part_length: usize,
    journal: File,
    blocks: Vec<(usize, BlockHead)>,
    /// The first game that is in no block yet.
    next: u64,
    /// Games that wait for their block.
    waiting: BTreeMap<u64, C::Game>,
}

impl Writer {
    /// Begins a record of chess, or goes on with it.
    pub fn open(path: &Path, header: &Header) -> Result<Opened, WriteError> {
        Writer::open_with(path, header, ChessCodec)
    }
}

impl<C: BlockCodec> Writer<C> {
    /// Begins a record of any game, or goes on with it.
    pub fn open_with(path: &Path, header: &Header, codec: C) -> Result<Opened<C>, WriteError> {
        loop {
            if finished(path, header)? {
                sweep(path);
                return Ok(Opened::Finished);
            }
            let part_path = with_ending(path, "part");
            let part = take_over(&part_path)?;
            // While we waited for it, another process may have published the record.
            if finished(path, header)? {
                continue;
            }
            return Writer::go_on(path, part_path, part, header, codec)
                .map(|writer| Opened::Going(Box::new(writer)));
        }
    }

    fn go_on(
        path: &Path,
        part_path: PathBuf,
        part: File,
        header: &Header,
        codec: C,
    ) -> Result<Writer<C>, WriteError> {
        let journal_path = with_ending(path, "journal");
        let journal = take_over(&journal_path)?;
        let mut writer = Writer {
            codec,
            path: path.into(),
            part_path,
            journal_path,
            header: header.clone(),
            part,
            part_length: 0,
            journal,
            blocks: Vec::new(),
            next: header.games.start,
            waiting: BTreeMap::new(),
        };
        writer.recover_part()?;
        writer.recover_journal()?;
        writer.write_full_blocks()?;
        Ok(writer)
    }

    /// Keeps the whole blocks at the beginning of the part file and cuts off the rest.
    fn recover_part(&mut self) -> Result<(), WriteError> {
        let bytes = fs::read(&self.part_path).map_err(io_error("read", &self.part_path))?;
        let header = self.header.encode();
        if bytes.len() < header.len() && header.starts_with(&bytes) {
            return self.restart_part(&header);
        }
        let reader = self.read_own(&self.part_path.clone(), bytes)?;
        let mut length = reader.header_length();
        for (number, head) in reader.blocks().enumerate() {
            let in_place = head.first == self.next && self.block_is_full(head);
            if !in_place || reader.decode_by(&self.codec, number).is_err() {
                break;
            }
            self.blocks.push((length, *head));
            length += head.size();
            self.next += u64::from(head.games);
        }
        self.part_length = length;
        self.part.set_len(length as u64).map_err(io_error("shorten", &self.part_path))?;
        self.part.seek(SeekFrom::End(0)).map_err(io_error("read", &self.part_path))?;
        Ok(())
    }

    fn block_is_full(&self, head: &BlockHead) -> bool {
        head.first + u64::from(head.games) == self.end_of_block(head.first)
    }

    /// The id after the last game of the block that a game belongs to.
    fn end_of_block(&self, game: u64) -> u64 {
        (game / BLOCK_GAMES + 1).saturating_mul(BLOCK_GAMES).min(self.header.games.end)
    }

    fn restart_part(&mut self, header: &[u8]) -> Result<(), WriteError> {
        let path = self.part_path.clone();
        self.part.set_len(0).map_err(io_error("shorten", &path))?;
        self.part.rewind().map_err(io_error("write", &path))?;
        self.part.write_all(header).map_err(io_error("write", &path))?;
        self.part.sync_data().map_err(io_error("sync", &path))?;
        self.part_length = header.len();
        Ok(())
    }

    /// The journal is a record too: one game a block, in the order in which they ended.
    fn recover_journal(&mut self) -> Result<(), WriteError> {
        let bytes = fs::read(&self.journal_path).map_err(io_error("read", &self.journal_path))?;
        if bytes.len() >= self.header.encode().len() {
            let reader = self.read_own(&self.journal_path.clone(), bytes)?;
            for number in 0..reader.blocks().len() {
                for game in reader.decode_by(&self.codec, number).into_iter().flatten() {
                    let id = C::id(&game);
                    if (self.next..self.header.games.end).contains(&id) {
                        self.waiting.insert(id, game);
                    }
                }
            }
        }
        self.rewrite_journal()
    }

    fn read_own(&self, path: &Path, bytes: Vec<u8>) -> Result<Reader, WriteError> {
        let other = |difference: String| WriteError::OtherRun { path: path.into(), difference };
        let reader = Reader::any_from_bytes(path, bytes).map_err(|error| other(error.to_string()))?;
        match difference(reader.header(), &self.header) {
            Some(difference) => Err(other(difference)),
            None => Ok(reader),
        }
    }

    /// Replaces the journal by one that holds just the games that wait.
    fn rewrite_journal(&mut self) -> Result<(), WriteError> {
        let new_path = with_ending(&self.path, "journal.new");
        let mut bytes = self.header.encode();
        for game in self.waiting.values() {
            bytes.extend(self.codec.encode(std::slice::from_ref(game)));
        }
        let mut new = begin(&new_path)?;
        new.write_all(&bytes).map_err(io_error("write", &new_path))?;
        new.sync_data().map_err(io_error("sync", &new_path))?;
        fs::rename(&new_path, &self.journal_path).map_err(io_error("replace", &self.journal_path))?;
        self.journal = new;
        Ok(())
    }

    /// The ids of the games that are still to be played, rising.
    pub fn missing(&self) -> impl Iterator<Item = u64> + Send + use<C> {
        let saved: BTreeSet<u64> = self.waiting.keys().copied().collect();
        (self.next..self.header.games.end).filter(move |id| !saved.contains(id))
    }

    /// How many games are saved.
    pub fn saved(&self) -> u64 {
        self.next - self.header.games.start + self.waiting.len() as u64
    }

    /// Saves a game. When this returns, the death of the process does not lose it.
    pub fn add(&mut self, game: C::Game) -> Result<(), WriteError> {
        let id = C::id(&game);
        debug_assert!(self.header.games.contains(&id));
        if id < self.next || self.waiting.contains_key(&id) {
            return Ok(());
        }
        let bytes = self.codec.encode(std::slice::from_ref(&game));
        self.journal.write_all(&bytes).map_err(io_error("write", &self.journal_path))?;
        self.waiting.insert(id, game);
        match self.write_full_blocks()? {
            true => self.rewrite_journal(),
            false => Ok(()),
        }
    }

    /// Appends every block whose games are all there; says whether there was one.
    fn write_full_blocks(&mut self) -> Result<bool, WriteError> {
        let mut wrote = false;
        while self.next < self.header.games.end {
            let end = self.end_of_block(self.next);
            if self.waiting.range(self.next..end).count() as u64 != end - self.next {
                break;
            }
            let later = self.waiting.split_off(&end);
            let games: Vec<C::Game> = std::mem::replace(&mut self.waiting, later).into_values().collect();
            self.append(&self.codec.encode(&games))?;
            self.next = end;
            wrote = true;
        }
        Ok(wrote)
    }

    fn append(&mut self, block: &[u8]) -> Result<(), WriteError> {
        let path = &self.part_path;
        self.part.write_all(block).map_err(io_error("write", path))?;
        self.part.sync_data().map_err(io_error("sync", path))?;
        if let Some(head) = BlockHead::decode(block) {
            self.blocks.push((self.part_length, head));
        }
        self.part_length += block.len();
        Ok(())
    }

    /// Publishes the record; to be called when all games are saved.
    pub fn finish(mut self) -> Result<(), WriteError> {
        assert_eq!(self.next, self.header.games.end, "a record is published when all games are there");
        let footer = Footer::of(&self.blocks).encode(self.part_length);
        self.part.write_all(&footer).map_err(io_error("write", &self.part_path))?;
        self.part.sync_all().map_err(io_error("sync", &self.part_path))?;
        publish(&self.part_path, &self.path)?;
        // Should this fail, a file is left over that nobody will read.
        let _ = fs::remove_file(&self.journal_path);
        sync_directory(&self.path)
    }
}

/// Gives a synced file its final name, first wins; the old name goes.
fn publish(part: &Path, path: &Path) -> Result<(), WriteError> {
    match fs::hard_link(part, path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let ours = fs::read(part).map_err(io_error("read", part))?;
            if fs::read(path).map_err(io_error("read", path))? != ours {
                return Err(WriteError::Conflict { path: path.into(), part: part.into() });
            }
        }
        Err(source) => return Err(io_error("publish", path)(source)),
    }
    sync_directory(path)?;
    fs::remove_file(part).map_err(io_error("remove", part))
}

fn sync_directory(path: &Path) -> Result<(), WriteError> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(directory).and_then(|directory| directory.sync_all()).map_err(io_error("sync", directory))
}

/// Writes a whole record of games in order, and publishes it.
pub fn write_record(
    path: &Path,
    header: &Header,
    games: impl IntoIterator<Item = Result<GameRecord, RecordError>>,
) -> Result<(), WriteError> {
    let part_path = with_ending(path, "part");
    let mut part = begin(&part_path)?;
    let mut blocks = Vec::new();
    let mut length = 0;
    let mut append = |bytes: &[u8]| {
        length += bytes.len();
        part.write_all(bytes).map_err(io_error("write", &part_path)).map(|()| length)
    };
    let mut end = append(&header.encode())?;
    let mut block_of = |games: &mut Vec<GameRecord>| -> Result<(), WriteError> {
        let block = block::encode(games);
        games.clear();
        if let Some(head) = BlockHead::decode(&block) {
            blocks.push((end, head));
        }
        end = append(&block)?;
        Ok(())
    };
    let mut waiting: Vec<GameRecord> = Vec::new();
    for game in games {
        let game = game?;
        if waiting.last().is_some_and(|last| last.id / BLOCK_GAMES != game.id / BLOCK_GAMES) {
            block_of(&mut waiting)?;
        }
        waiting.push(game);
    }
    if !waiting.is_empty() {
        block_of(&mut waiting)?;
    }
    append(&Footer::of(&blocks).encode(end))?;
    part.sync_all().map_err(io_error("sync", &part_path))?;
    publish(&part_path, path)
}

/// Looks at the final name: is the record there, and is it ours and whole?
fn finished(path: &Path, header: &Header) -> Result<bool, WriteError> {
    match path.try_exists() {
        Ok(true) => {}
        Ok(false) => return Ok(false),
        Err(source) => return Err(io_error("look for", path)(source)),
    }
    let damaged = |reason: String| WriteError::Damaged { path: path.into(), reason };
    let reader = Reader::open_any(path).map_err(|error| damaged(error.to_string()))?;
    if let Some(difference) = difference(reader.header(), header) {
        return Err(WriteError::OtherRun { path: path.into(), difference });
    }
    match reader.damage().first() {
        Some(damage) => Err(damaged(damage.to_string())),
        None => Ok(true),
    }
}

/// Removes what a process left behind that died between publishing and tidying up. Should that fail, a
/// file is left over that nobody will read.
fn sweep(path: &Path) {
    let part = with_ending(path, "part");
    if let Ok(file) = File::open(&part)
        && file.try_lock().is_err()
    {
        // Somebody is at work on it, and will tidy up.
        return;
    }
    for ending in ["part", "journal", "journal.new"] {
        let _ = fs::remove_file(with_ending(path, ending));
    }
}

/// What two headers do not agree on.
fn difference(theirs: &Header, ours: &Header) -> Option<String> {
    if theirs == ours {
        return None;
    }
    let number = |name: &str, theirs: u64, ours: u64| {
        (theirs != ours).then(|| format!("its {name} is {theirs:016x}, ours {ours:016x}"))
    };
    let settings = || {
        let (theirs, ours) = (theirs.settings.lines(), ours.settings.lines());
        let (theirs, ours) = theirs.zip(ours).find(|(theirs, ours)| theirs != ours)?;
        Some(format!("it has {theirs}, we have {ours}"))
    };
    number("seed", theirs.seed, ours.seed)
        .or_else(|| number("engine's fingerprint", theirs.engine, ours.engine))
        .or_else(|| number("weights' hash", theirs.weights, ours.weights))
        .or_else(settings)
        .or_else(|| Some(format!("its games are {:?}, ours {:?}", theirs.games, ours.games)))
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}
