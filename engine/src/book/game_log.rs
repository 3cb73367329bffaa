//! Games that the engine played for somebody else, kept for learning: one file a process, one frame a game.
//!
//! UCI has no word for the end of a game, so a frame also says how its result is known. A frame is written
//! in one go and forced to the disk; if the process dies in the middle of it, the games before it are whole.
//! `docs/2-formats.md` has the layout byte by byte.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::experience::checksum;
use crate::types::{Move, Value};

/// The first bytes of every log.
const MAGIC: [u8; 8] = *b"TABULAGL";
/// The version written.
const VERSION: u32 = 1;
/// Magic, version, reserve, source, checksum.
const HEADER_BYTES: usize = 32;
/// A game has no more plies.
pub const MOST_PLIES: usize = 10_000;
/// A frame cannot be longer: what claims to be is damage.
const MOST_FRAME: usize = 1 << 17;
/// The value of a move that was not the engine's.
const NO_VALUE: i16 = i16::MIN;
/// Bytes of a ply: the move, the value, the depth.
const PLY_BYTES: usize = 5;
/// What the names of logs end in.
pub const ENDING: &str = "tgl";

/// Who won.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum GameResult {
    /// Black did.
    BlackWins = 0,
    /// Nobody did.
    Draw = 1,
    /// White did.
    WhiteWins = 2,
}

impl GameResult {
    const ALL: [GameResult; 3] = [GameResult::BlackWins, GameResult::Draw, GameResult::WhiteWins];

    /// As PGN writes it.
    pub const fn pgn(self) -> &'static str {
        match self {
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::WhiteWins => "1-0",
        }
    }

    /// The result of PGN's text.
    pub fn from_pgn(text: &str) -> Option<GameResult> {
        GameResult::ALL.into_iter().find(|result| result.pgn() == text)
    }
}

/// How a result is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Evidence {
    /// Somebody said so.
    Said = 0,
    /// The rules of chess ended the game.
    Rules = 1,
    /// The engine's last score left no doubt.
    Score = 2,
}

impl Evidence {
    const ALL: [Evidence; 3] = [Evidence::Said, Evidence::Rules, Evidence::Score];
}

/// A move of a logged game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoggedPly {
    /// The move.
    pub m: Move,
    /// What the engine thought of it, if it was its move; for the side that played it.
    pub value_mover: Option<Value>,
    /// How deep it looked.
    pub depth: u8,
}

/// A game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoggedGame {
    /// The first position; empty: the initial one.
    pub first_fen: String,
    /// The moves.
    pub plies: Vec<LoggedPly>,
    /// Who won.
    pub result: GameResult,
    /// How that is known.
    pub evidence: Evidence,
}

impl LoggedGame {
    /// Length, content, checksum; `None` if the game is too long for a frame.
    fn to_frame(&self) -> Option<Vec<u8>> {
        if self.plies.len() > MOST_PLIES || self.first_fen.len() > 255 {
            return None;
        }
        let mut frame = vec![0; 4];
        frame.extend([self.result as u8, self.evidence as u8, self.first_fen.len() as u8]);
        frame.extend(self.first_fen.bytes());
        frame.extend((self.plies.len() as u16).to_le_bytes());
        for ply in &self.plies {
            frame.extend(ply.m.bits().to_le_bytes());
            let value = ply.value_mover.map_or(NO_VALUE, |value| value.clamp(-32_001, 32_001) as i16);
            frame.extend(value.to_le_bytes());
            frame.push(ply.depth);
        }
        let len = (frame.len() - 4) as u32;
        frame[..4].copy_from_slice(&len.to_le_bytes());
        let check = checksum(&frame);
        frame.extend(check.to_le_bytes());
        Some(frame)
    }

    /// Of a frame's content.
    fn from_content(content: &[u8]) -> Option<LoggedGame> {
        let (&[result, evidence, fen_len], rest) = content.split_first_chunk()?;
        let (fen, rest) = rest.split_at_checked(usize::from(fen_len))?;
        let (count, rest) = rest.split_first_chunk()?;
        let (plies, []) = rest.as_chunks::<PLY_BYTES>() else { return None };
        if plies.len() != usize::from(u16::from_le_bytes(*count)) {
            return None;
        }
        let ply = |&[low, high, value_low, value_high, depth]: &[u8; PLY_BYTES]| {
            let value = i16::from_le_bytes([value_low, value_high]);
            let m = Move::from_bits(u16::from_le_bytes([low, high]))?;
            Some(LoggedPly { m, value_mover: (value != NO_VALUE).then_some(value.into()), depth })
        };
        Some(LoggedGame {
            first_fen: String::from_utf8(fen.to_vec()).ok()?,
            plies: plies.iter().map(ply).collect::<Option<_>>()?,
            result: *GameResult::ALL.get(usize::from(result))?,
            evidence: *Evidence::ALL.get(usize::from(evidence))?,
        })
    }
}

/// A log that is being written. The file is made with the first game.
pub struct GameLogWriter {
    path: PathBuf,
    source: u64,
    file: Option<File>,
}

impl GameLogWriter {
    /// A log in a folder. `source` tells it from all others, for ever.
    pub fn new(folder: &Path, source: u64) -> GameLogWriter {
        let path = folder.join(format!("games-{source:016x}.{ENDING}"));
        GameLogWriter { path, source, file: None }
    }

    /// Where it is, or will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a game. When this returns, it is on the disk.
    pub fn append(&mut self, game: &LoggedGame) -> io::Result<()> {
        let Some(frame) = game.to_frame() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the game is too long"));
        };
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let mut file = OpenOptions::new().append(true).create_new(true).open(&self.path)?;
                let mut header = Vec::with_capacity(HEADER_BYTES);
                header.extend(MAGIC);
                header.extend(VERSION.to_le_bytes());
                header.extend([0; 4]);
                header.extend(self.source.to_le_bytes());
                let check = checksum(&header);
                header.extend(check.to_le_bytes());
                file.write_all(&header)?;
                self.file.insert(file)
            }
        };
        file.write_all(&frame)?;
        file.sync_data()
    }
}

/// Why a file is no log.
#[derive(Debug, thiserror::Error)]
pub enum GameLogError {
    /// The system refuses.
    #[error("cannot read the log {path}: {cause}")]
    Io {
        /// The log.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// Something else.
    #[error("{path} is no game log (it does not begin with TABULAGL), or its first bytes are damaged")]
    NotALog {
        /// The file.
        path: PathBuf,
    },
    /// Written by a later version.
    #[error("{path} has format version {found}; this program knows {VERSION}: use a newer one")]
    Version {
        /// The file.
        path: PathBuf,
        /// In the file.
        found: u32,
    },
}

/// A log that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameLog {
    /// Tells it from all others.
    pub source: u64,
    /// The games, in order.
    pub games: Vec<LoggedGame>,
    /// Where it stops making sense, in bytes from its beginning; `None`: nowhere. What was being written when
    /// the process died looks so.
    pub torn_at: Option<usize>,
}

impl GameLog {
    /// Reads all whole games from the beginning on.
    pub fn read(path: &Path) -> Result<GameLog, GameLogError> {
        let bytes =
            std::fs::read(path).map_err(|cause| GameLogError::Io { path: path.to_path_buf(), cause })?;
        let not_a_log = || GameLogError::NotALog { path: path.to_path_buf() };
        let header: &[u8; HEADER_BYTES] = bytes.first_chunk().ok_or_else(not_a_log)?;
        let (body, check) = header.split_at(HEADER_BYTES - 8);
        if !body.starts_with(&MAGIC) || check != checksum(body).to_le_bytes() {
            return Err(not_a_log());
        }
        let long = |at: usize| body[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let version = long(8) as u32;
        if version != VERSION {
            return Err(GameLogError::Version { path: path.to_path_buf(), found: version });
        }
        let mut log = GameLog { source: long(16), games: Vec::new(), torn_at: None };
        let mut at = HEADER_BYTES;
        while at < bytes.len() {
            let Some((game, len)) = read_frame(&bytes[at..]) else {
                log.torn_at = Some(at);
                break;
            };
            log.games.push(game);
            at += len;
        }
        Ok(log)
    }
}

/// The game at the beginning of some bytes, and how many of them it takes.
fn read_frame(bytes: &[u8]) -> Option<(LoggedGame, usize)> {
    let len = u32::from_le_bytes(*bytes.first_chunk()?) as usize;
    if len > MOST_FRAME {
        return None;
    }
    let (frame, rest) = bytes.split_at_checked(4 + len)?;
    let check: &[u8; 8] = rest.first_chunk()?;
    if checksum(frame).to_le_bytes() != *check {
        return None;
    }
    Some((LoggedGame::from_content(&frame[4..])?, 4 + len + 8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    fn game(plies: usize) -> LoggedGame {
        let m = Board::start().legal_moves()[3];
        let ply = |number: usize| LoggedPly {
            m,
            value_mover: number.is_multiple_of(2).then_some(number as Value - 300),
            depth: 9,
        };
        LoggedGame {
            first_fen: if plies.is_multiple_of(3) { String::new() } else { Board::start().fen() },
            plies: (0..plies).map(ply).collect(),
            result: GameResult::ALL[plies % 3],
            evidence: Evidence::ALL[plies % 2],
        }
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("tabula-log-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn every_cut_leaves_the_games_before_it() {
        let folder = folder("cut");
        let mut writer = GameLogWriter::new(&folder, 7);
        let games = [game(30), game(0), game(61)];
        let mut ends = vec![HEADER_BYTES];
        for game in &games {
            writer.append(game).unwrap();
            ends.push(std::fs::metadata(writer.path()).unwrap().len() as usize);
        }
        let whole = std::fs::read(writer.path()).unwrap();
        let cut = folder.join("cut.tgl");
        for len in 0..=whole.len() {
            std::fs::write(&cut, &whole[..len]).unwrap();
            let Ok(log) = GameLog::read(&cut) else {
                assert!(len < HEADER_BYTES);
                continue;
            };
            let complete = ends.iter().filter(|&&end| end <= len).count() - 1;
            assert_eq!((log.source, log.games.as_slice()), (7, &games[..complete]), "cut at {len}");
            assert_eq!(log.torn_at, (!ends.contains(&len)).then_some(ends[complete]), "cut at {len}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn no_flipped_bit_is_taken_for_a_game() {
        let folder = folder("flip");
        let mut writer = GameLogWriter::new(&folder, 9);
        writer.append(&game(12)).unwrap();
        let whole = std::fs::read(writer.path()).unwrap();
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(writer.path(), &bytes).unwrap();
            assert!(
                GameLog::read(writer.path()).is_err_and(|_| bit < 8 * HEADER_BYTES)
                    || GameLog::read(writer.path()).is_ok_and(|log| log.games.is_empty()),
                "bit {bit}"
            );
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
