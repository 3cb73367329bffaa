//! What a match has played so far, on disk: after a power cut or `kill -9` the same command goes on.
//!
//! One line a game, each with a checksum, written after the game's PGN:
//!
//! ```text
//! tabula-journal 1
//! 5a0c77f1 {"match":[["engine 1","self:…"],["games","100"],…],"pgn_start":0}
//! 91be03d2 {"game":0,"outcome":"1-0","plies":87,"failure":null,"adjudicated":false,"seconds":2.1,"pgn":{…}}
//! ```
//!
//! A last line that was cut off is forgotten, and what the PGN file has beyond the last whole line is cut:
//! that game is played again. So every game is in both files, or in neither.

use std::collections::HashSet;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::scoreboard::GameSummary;

/// The first line of every journal of this layout.
const FIRST_LINE: &str = "tabula-journal 1";

/// What makes a match the match it is: a name and a value for everything that decides its games.
pub type MatchIdentity = Vec<(String, String)>;

/// Why a journal was refused.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Reading or writing failed.
    #[error("the journal {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The PGN file could not be read or cut.
    #[error("the games {path}: {source}")]
    Pgn {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Two commands at once.
    #[error("the journal {0} is in use: the match is being played by another process")]
    InUse(PathBuf),
    /// Not a journal.
    #[error("{0} is no match journal (its first line is not 'tabula-journal 1'); name another file")]
    NotAJournal(PathBuf),
    /// A line in its middle is damaged.
    #[error(
        "the journal {path}, line {line}: damaged; delete this line and all after it to play those games \
         again, or delete the file to begin anew"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
    },
    /// It belongs to a match with other settings.
    #[error(
        "the journal {path} belongs to a match that is not finished and was started differently: {changes}; \
         give the same command to go on, or delete the journal to begin anew"
    )]
    OtherMatch {
        /// The file.
        path: PathBuf,
        /// What is different.
        changes: String,
    },
    /// A game of the journal is not in the PGN file as it was written.
    #[error(
        "the games {pgn} are not what the journal {journal} says: game {game} is missing or was changed; \
         restore the file, or delete the journal to begin anew"
    )]
    GamesChanged {
        /// The journal.
        journal: PathBuf,
        /// The PGN file.
        pgn: PathBuf,
        /// From 1.
        game: usize,
    },
}

/// Where a game stands in the PGN file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct PgnPlace {
    start: u64,
    length: u64,
    crc32: u32,
}

/// A finished game.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    /// Its number in the schedule.
    game: usize,
    #[serde(flatten)]
    summary: GameSummary,
    /// How long the match had been played when it ended.
    seconds: f64,
    pgn: Option<PgnPlace>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    Begin(Beginning),
    Game(Entry),
    /// The last one of a match that came to its end.
    End {
        finished: bool,
    },
}

/// The first line after the file's own.
#[derive(Serialize, Deserialize)]
struct Beginning {
    #[serde(rename = "match")]
    identity: MatchIdentity,
    /// How long the PGN file was.
    pgn_start: Option<u64>,
}

/// The journal of a match, open for more games.
pub struct Journal {
    path: PathBuf,
    file: File,
    pgn: Option<PgnFile>,
    /// Seconds that earlier runs took.
    seconds_before: f64,
    finished: bool,
    failed: bool,
}

/// A match, its games by their numbers, and whether it came to its end.
pub type Look = (MatchIdentity, Vec<(usize, GameSummary)>, bool);

/// The games that a journal already knows.
pub struct PlayedBefore {
    /// Number in the schedule and result, in the order in which they ended.
    pub games: Vec<(usize, GameSummary)>,
}

impl PlayedBefore {
    /// The numbers alone.
    pub fn numbers(&self) -> HashSet<usize> {
        self.games.iter().map(|(game, _)| *game).collect()
    }
}

/// The file that games are appended to.
struct PgnFile {
    path: PathBuf,
    file: File,
    length: u64,
}

impl Journal {
    /// Opens or begins the journal of a match. With `pgn`, games are appended to that file.
    pub fn open(
        path: &Path,
        identity: &MatchIdentity,
        pgn: Option<&Path>,
    ) -> Result<(Journal, PlayedBefore), JournalError> {
        let io_error = |source| JournalError::Io { path: path.to_path_buf(), source };
        let mut file = File::options().create(true).read(true).append(true).open(path).map_err(io_error)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::InUse(path.to_path_buf())),
            Err(TryLockError::Error(source)) => return Err(io_error(source)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io_error)?;
        let mut pgn = pgn.map(PgnFile::open).transpose()?;
        let content = Content::read(path, &bytes)?;
        let begin_anew = match &content.beginning {
            None => true,
            Some(known) if known.identity == *identity => false,
            // That match came to its end; this one is another.
            Some(_) if content.finished => true,
            Some(known) => {
                let changes = changes(&known.identity, identity);
                return Err(JournalError::OtherMatch { path: path.to_path_buf(), changes });
            }
        };
        let mut entries = content.entries;
        if begin_anew {
            entries.clear();
            file.set_len(0).map_err(io_error)?;
        } else {
            file.set_len(content.length).map_err(io_error)?;
            if let Some(pgn) = &mut pgn {
                let start = content.beginning.and_then(|beginning| beginning.pgn_start);
                pgn.cut_behind(start, &entries, path)?;
            }
        }
        let mut journal = Journal {
            path: path.to_path_buf(),
            file,
            pgn,
            seconds_before: entries.last().map_or(0.0, |entry| entry.seconds),
            finished: !begin_anew && content.finished,
            failed: false,
        };
        if begin_anew {
            let pgn_start = journal.pgn.as_ref().map(|pgn| pgn.length);
            let beginning = Line::Begin(Beginning { identity: identity.clone(), pgn_start });
            let first = format!("{FIRST_LINE}\n{}", checked(&beginning).map_err(io_error)?);
            journal.file.write_all(first.as_bytes()).map_err(io_error)?;
        }
        let games = entries.into_iter().map(|entry| (entry.game, entry.summary)).collect();
        Ok((journal, PlayedBefore { games }))
    }

    /// The games of a journal that another process writes, or wrote; nothing if it is not there yet.
    pub fn peek(path: &Path, identity: &MatchIdentity) -> Result<Vec<(usize, GameSummary)>, JournalError> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(JournalError::Io { path: path.to_path_buf(), source }),
        };
        let content = Content::read(path, &bytes)?;
        match content.beginning {
            Some(known) if known.identity != *identity => {
                let changes = changes(&known.identity, identity);
                Err(JournalError::OtherMatch { path: path.to_path_buf(), changes })
            }
            _ => Ok(content.entries.into_iter().map(|entry| (entry.game, entry.summary)).collect()),
        }
    }

    /// What any journal says of its match, its games in the order in which they ended, and whether it came to its end.
    /// Nothing is locked or changed.
    pub fn look(path: &Path) -> Result<Look, JournalError> {
        let bytes =
            std::fs::read(path).map_err(|source| JournalError::Io { path: path.to_path_buf(), source })?;
        let content = Content::read(path, &bytes)?;
        let Some(beginning) = content.beginning else {
            return Err(JournalError::NotAJournal(path.to_path_buf()));
        };
        let games = content.entries.into_iter().map(|entry| (entry.game, entry.summary)).collect();
        Ok((beginning.identity, games, content.finished))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Seconds that earlier runs of the match took.
    pub fn seconds_before(&self) -> f64 {
        self.seconds_before
    }

    /// Whether the match came to its end in an earlier run.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// Writes a game to the PGN file and then to the journal. `elapsed` is the time since this run began.
    pub fn record(&mut self, game: usize, summary: &GameSummary, text: &str, elapsed: f64) -> io::Result<()> {
        if self.failed {
            return Err(io::Error::other("an earlier write failed"));
        }
        // Set until all is written: after a half-written game nothing may follow in either file.
        self.failed = true;
        let pgn = match &mut self.pgn {
            Some(pgn) => Some(pgn.append(text)?),
            None => None,
        };
        let seconds = self.seconds_before + elapsed;
        let line = checked(&Line::Game(Entry { game, summary: *summary, seconds, pgn }))?;
        // One write, to the system at once: what was written survives the end of this process.
        self.file.write_all(line.as_bytes())?;
        self.failed = false;
        Ok(())
    }

    /// Marks the match as finished: the next match may take the file.
    pub fn finish(&mut self) -> io::Result<()> {
        if !self.finished && !self.failed {
            self.file.write_all(checked(&Line::End { finished: true })?.as_bytes())?;
            self.file.sync_data()?;
            self.finished = true;
        }
        Ok(())
    }
}

impl PgnFile {
    fn open(path: &Path) -> Result<PgnFile, JournalError> {
        let error = |source| JournalError::Pgn { path: path.to_path_buf(), source };
        let file = File::options().create(true).read(true).append(true).open(path).map_err(error)?;
        let length = file.metadata().map_err(error)?.len();
        Ok(PgnFile { path: path.to_path_buf(), file, length })
    }

    fn append(&mut self, text: &str) -> io::Result<PgnPlace> {
        self.file.write_all(text.as_bytes())?;
        let place = PgnPlace {
            start: self.length,
            length: text.len() as u64,
            crc32: crc32fast::hash(text.as_bytes()),
        };
        self.length += place.length;
        Ok(place)
    }

    /// Checks that the games of the journal are there, and cuts what follows them: a game that was being
    /// written when the match was killed.
    fn cut_behind(
        &mut self,
        start: Option<u64>,
        entries: &[Entry],
        journal: &Path,
    ) -> Result<(), JournalError> {
        let error = |source| JournalError::Pgn { path: self.path.clone(), source };
        for entry in entries {
            let Some(place) = entry.pgn else { continue };
            let mut text = Vec::new();
            self.file.seek(SeekFrom::Start(place.start)).map_err(error)?;
            (&mut self.file).take(place.length).read_to_end(&mut text).map_err(error)?;
            if text.len() as u64 != place.length || crc32fast::hash(&text) != place.crc32 {
                return Err(JournalError::GamesChanged {
                    journal: journal.to_path_buf(),
                    pgn: self.path.clone(),
                    game: entry.game + 1,
                });
            }
        }
        let last = entries.iter().rev().find_map(|entry| entry.pgn);
        if let Some(end) = last.map(|place| place.start + place.length).or(start) {
            // Never longer: what is missing at the end cannot be made up for by zeros.
            self.length = self.length.min(end);
            self.file.set_len(self.length).map_err(error)?;
        }
        Ok(())
    }
}

/// What a journal's bytes say.
struct Content {
    beginning: Option<Beginning>,
    entries: Vec<Entry>,
    finished: bool,
    /// Up to the end of the last whole line.
    length: u64,
}

impl Content {
    fn read(path: &Path, bytes: &[u8]) -> Result<Content, JournalError> {
        let mut content = Content { beginning: None, entries: Vec::new(), finished: false, length: 0 };
        let mut games = HashSet::new();
        let mut lines = bytes.split_inclusive(|&byte| byte == b'\n').enumerate().peekable();
        while let Some((number, bytes)) = lines.next() {
            let is_last = lines.peek().is_none();
            // A line without its end was cut off while it was being written.
            let Some(whole) = bytes.strip_suffix(b"\n") else {
                // Nothing but a beginning of our own first line may be overwritten.
                if number == 0 && !FIRST_LINE.as_bytes().starts_with(bytes) {
                    return Err(JournalError::NotAJournal(path.to_path_buf()));
                }
                break;
            };
            if number == 0 {
                if whole != FIRST_LINE.as_bytes() {
                    return Err(JournalError::NotAJournal(path.to_path_buf()));
                }
                content.length += bytes.len() as u64;
                continue;
            }
            match unchecked(whole) {
                Some(Line::Begin(beginning)) if number == 1 => content.beginning = Some(beginning),
                Some(Line::Game(entry)) if number > 1 && games.insert(entry.game) => {
                    content.entries.push(entry);
                }
                Some(Line::End { finished }) if number > 1 => content.finished = finished,
                // After a power cut the last block may be there without its content.
                None if is_last && number > 1 => break,
                _ => return Err(JournalError::Damaged { path: path.to_path_buf(), line: number + 1 }),
            }
            content.length += bytes.len() as u64;
        }
        Ok(content)
    }
}

/// A line with its checksum and its end.
fn checked(line: &Line) -> io::Result<String> {
    let json = serde_json::to_string(line)?;
    Ok(format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes())))
}

/// A line without them; `None`: the checksum is wrong, or it says nothing we know.
fn unchecked(line: &[u8]) -> Option<Line> {
    let (checksum, json) = line.split_at_checked(8)?;
    let json = json.strip_prefix(b" ")?;
    let expected = format!("{:08x}", crc32fast::hash(json));
    (checksum == expected.as_bytes()).then(|| serde_json::from_slice(json).ok()).flatten()
}

/// What is different, in words.
fn changes(before: &MatchIdentity, now: &MatchIdentity) -> String {
    let value = |identity: &MatchIdentity, name: &str| {
        identity.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    };
    let mut names: Vec<&String> = before.iter().chain(now).map(|(name, _)| name).collect();
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(*name));
    let shown = |value: Option<String>| value.map_or("not given".to_string(), |value| format!("'{value}'"));
    let different = names.into_iter().filter_map(|name| {
        let (before, now) = (value(before, name), value(now, name));
        (before != now).then(|| format!("{name} was {} and is now {}", shown(before), shown(now)))
    });
    different.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcome;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("tabula-journal-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Folder(path)
        }

        fn files(&self) -> (PathBuf, PathBuf) {
            (self.0.join("journal"), self.0.join("games.pgn"))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn identity(seed: &str) -> MatchIdentity {
        vec![("--seed".to_string(), seed.to_string()), ("--games".to_string(), "10".to_string())]
    }

    fn summary(plies: u32) -> GameSummary {
        GameSummary { outcome: Outcome::Draw, plies, failure: None, adjudicated: true }
    }

    /// Three games on top of a PGN file that had something in it.
    fn three_games(folder: &Folder) {
        let (path, pgn) = folder.files();
        std::fs::write(&pgn, "an older game\n").unwrap();
        let (mut journal, before) = Journal::open(&path, &identity("1"), Some(&pgn)).unwrap();
        assert!(before.games.is_empty());
        for game in [0, 2, 1] {
            journal.record(game, &summary(10 + game as u32), &format!("game {game}\n"), 1.5).unwrap();
        }
    }

    #[test]
    fn what_was_recorded_is_there_again_and_seconds_add_up() {
        let folder = Folder::new("again");
        three_games(&folder);
        let (path, pgn) = folder.files();
        let (mut journal, before) = Journal::open(&path, &identity("1"), Some(&pgn)).unwrap();
        assert_eq!(before.games, [(0, summary(10)), (2, summary(12)), (1, summary(11))]);
        assert_eq!(journal.seconds_before(), 1.5);
        journal.record(3, &summary(9), "game 3\n", 2.0).unwrap();
        drop(journal);
        let (journal, before) = Journal::open(&path, &identity("1"), Some(&pgn)).unwrap();
        assert_eq!((before.games.len(), journal.seconds_before()), (4, 3.5));
        let text = std::fs::read_to_string(&pgn).unwrap();
        assert_eq!(text, "an older game\ngame 0\ngame 2\ngame 1\ngame 3\n");
    }

    /// Whatever the moment of the kill: each prefix of what was written is a state in which it can stop.
    #[test]
    fn every_torn_end_is_mended() {
        let folder = Folder::new("torn");
        three_games(&folder);
        let (path, pgn) = folder.files();
        let (journal_bytes, pgn_bytes) = (std::fs::read(&path).unwrap(), std::fs::read(&pgn).unwrap());
        for length in 0..journal_bytes.len() {
            std::fs::write(&path, &journal_bytes[..length]).unwrap();
            std::fs::write(&pgn, &pgn_bytes).unwrap();
            let (_, before) = Journal::open(&path, &identity("1"), Some(&pgn)).unwrap();
            let ends = journal_bytes[..length].iter().filter(|&&byte| byte == b'\n').count();
            let games = ends.saturating_sub(2);
            assert_eq!(before.games.len(), games, "{length}");
            let lines = std::fs::read_to_string(&pgn).unwrap().lines().count();
            // Before the journal says how long the PGN was, no game can have been written.
            assert_eq!(lines, if ends < 2 { 4 } else { 1 + games }, "{length}");
        }
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let folder = Folder::new("flipped");
        three_games(&folder);
        let (path, _) = folder.files();
        let bytes = std::fs::read(&path).unwrap();
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << (place % 8);
            std::fs::write(&path, &damaged).unwrap();
            match Journal::open(&path, &identity("1"), None) {
                // Damage in the last line looks like a torn end.
                Ok((_, before)) => assert!(before.games.len() <= 2, "{place}"),
                Err(error) => {
                    let text = error.to_string();
                    assert!(text.contains("damaged") || text.contains("no match journal"), "{place}: {text}");
                }
            }
        }
    }

    #[test]
    fn another_match_is_refused_until_this_one_is_finished() {
        let folder = Folder::new("other");
        three_games(&folder);
        let (path, pgn) = folder.files();
        let refused =
            |result: Result<(Journal, PlayedBefore), JournalError>| result.err().unwrap().to_string();
        let message = refused(Journal::open(&path, &identity("2"), Some(&pgn)));
        assert!(
            message.contains("--seed was '1' and is now '2'") && !message.contains("--games"),
            "{message}"
        );
        let (mut journal, _) = Journal::open(&path, &identity("1"), Some(&pgn)).unwrap();
        assert!(refused(Journal::open(&path, &identity("1"), Some(&pgn))).contains("in use"));
        journal.finish().unwrap();
        drop(journal);
        let (journal, before) = Journal::open(&path, &identity("1"), Some(&pgn)).unwrap();
        assert!(journal.is_finished() && before.games.len() == 3);
        drop(journal);
        let (journal, before) = Journal::open(&path, &identity("2"), Some(&pgn)).unwrap();
        assert!(!journal.is_finished() && before.games.is_empty());
    }

    #[test]
    fn what_is_no_journal_is_left_alone() {
        let folder = Folder::new("foreign");
        let (path, pgn) = folder.files();
        for text in ["[Event \"x\"]\n", "no line end", "tabula-journal 2\n"] {
            std::fs::write(&path, text).unwrap();
            assert!(matches!(Journal::open(&path, &identity("1"), None), Err(JournalError::NotAJournal(_))));
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        std::fs::remove_file(&path).unwrap();
        three_games(&folder);
        let text = std::fs::read_to_string(&pgn).unwrap();
        std::fs::write(&pgn, text.replace("game 2", "gone 2")).unwrap();
        let error = Journal::open(&path, &identity("1"), Some(&pgn)).err().unwrap().to_string();
        assert!(error.contains("game 3 is missing or was changed"), "{error}");
    }
}
