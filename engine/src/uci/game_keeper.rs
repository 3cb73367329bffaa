//! Follows the games that a GUI plays with the engine, and keeps those whose result is known in a log that
//! `selfplay learn` reads. Off until the option ExperienceLog names a folder.
//!
//! The protocol tells positions, not games: a position that goes on from the last one belongs to the same
//! game, anything else begins another. It tells no result either. It is known if somebody says so
//! (`experience result 1-0`), if the last position ended the game by the rules, or if our last score left no
//! doubt; a game without a result is not kept.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::board::Board;
use crate::book::game_log::{Evidence, GameLogWriter, GameResult, LoggedGame, LoggedPly, MOST_PLIES};
use crate::types::{Color, Move, Value};

/// A game in which we moved less often says nothing, and is more likely no game at all.
const FEWEST_OWN_MOVES: usize = 5;
/// From here on our last score decides: in centipawns.
const NO_DOUBT: Value = 1000;
/// A position that lacks more of the last moves than this is no correction of the last one (a move taken
/// back, another reply than the one pondered on), but another game.
const MOST_TAKEN_BACK: usize = 3;

/// Shared by the thread that reads positions and the one that finds moves.
#[derive(Clone, Default)]
pub struct GameKeeper(Arc<Mutex<Option<Keeping>>>);

/// What there is while a log is kept.
struct Keeping {
    log: GameLogWriter,
    game: Option<Game>,
}

struct Game {
    /// Empty: the initial position.
    first_fen: String,
    plies: Vec<LoggedPly>,
    /// After the moves.
    board: Board,
}

impl GameKeeper {
    fn lock(&self) -> MutexGuard<'_, Option<Keeping>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps games in a folder from now on, or no more.
    pub fn keep_in(&self, folder: Option<&Path>, source: u64) -> Result<(), String> {
        let log = match folder {
            None => None,
            Some(folder) if folder.is_dir() => Some(GameLogWriter::new(folder, source)),
            Some(folder) => return Err(format!("{} is no folder", folder.display())),
        };
        *self.lock() = log.map(|log| Keeping { log, game: None });
        Ok(())
    }

    /// A position was set up. Returns what to tell about the game it ended, if it did.
    pub fn position(&self, first_fen: Option<&str>, moves: &[Move]) -> Option<String> {
        let mut keeping = self.lock();
        let keeping = keeping.as_mut()?;
        let first_fen = first_fen.unwrap_or_default();
        let mut told = None;
        let goes_on = keeping.game.as_ref().is_some_and(|game| game.goes_on(first_fen, moves));
        if !goes_on {
            told = keeping.conclude(None);
            keeping.game = Game::begin(first_fen);
        }
        if let Some(game) = &mut keeping.game {
            game.follow(moves);
        }
        told
    }

    /// We chose a move in a position; it becomes part of the game if the position does.
    pub fn chosen(&self, board: &Board, m: Move, value_stm: Value, depth: u32) {
        let mut keeping = self.lock();
        let Some(game) = keeping.as_mut().and_then(|keeping| keeping.game.as_mut()) else { return };
        if game.board.key() == board.key() && game.board.is_legal(m) {
            game.push(LoggedPly { m, value_mover: Some(value_stm), depth: depth.min(255) as u8 });
        }
    }

    /// Somebody says how the game ended. Returns what came of it.
    pub fn result(&self, result: GameResult) -> Result<String, String> {
        let mut keeping = self.lock();
        let Some(keeping) = keeping.as_mut() else {
            return Err("no games are kept; set the option ExperienceLog to a folder first".to_string());
        };
        keeping.conclude(Some(result)).ok_or_else(|| "there is no game to end".to_string())
    }

    /// The game is over, however. Returns what to tell about it.
    pub fn end_game(&self) -> Option<String> {
        self.lock().as_mut()?.conclude(None)
    }
}

impl Keeping {
    /// Ends the game and keeps it if its result is known.
    fn conclude(&mut self, said: Option<GameResult>) -> Option<String> {
        let game = self.game.take()?;
        let own_moves = game.plies.iter().filter(|ply| ply.value_mover.is_some()).count();
        if own_moves == 0 || (said.is_none() && own_moves < FEWEST_OWN_MOVES) {
            return None;
        }
        let known = said.map(|result| (result, Evidence::Said));
        let Some((result, evidence)) = known.or_else(|| game.decided()) else {
            return Some(
                "experience: the last game was not kept, its result is unknown ('experience result 1-0' tells it)"
                    .to_string(),
            );
        };
        let plies = game.plies.len();
        let game = LoggedGame { first_fen: game.first_fen, plies: game.plies, result, evidence };
        let path = self.log.path().display().to_string();
        Some(match self.log.append(&game) {
            Ok(()) => format!("experience: a game of {plies} plies, {}, kept in {path}", result.pgn()),
            Err(cause) => complaint(&path, &cause),
        })
    }
}

fn complaint(path: &str, cause: &io::Error) -> String {
    format!("experience: cannot write {path}: {cause}; the game is lost")
}

impl Game {
    fn begin(first_fen: &str) -> Option<Game> {
        let board = if first_fen.is_empty() { Board::start() } else { Board::from_fen(first_fen).ok()? };
        Some(Game { first_fen: first_fen.to_string(), plies: Vec::new(), board })
    }

    fn common(&self, moves: &[Move]) -> usize {
        self.plies.iter().zip(moves).take_while(|(ply, m)| ply.m == **m).count()
    }

    fn goes_on(&self, first_fen: &str, moves: &[Move]) -> bool {
        self.first_fen == first_fen && self.common(moves) + MOST_TAKEN_BACK >= self.plies.len()
    }

    /// Takes back what was not played, and plays what was.
    fn follow(&mut self, moves: &[Move]) {
        let common = self.common(moves);
        while self.plies.len() > common {
            self.plies.pop();
            self.board.unmake();
        }
        for &m in &moves[common..] {
            self.push(LoggedPly { m, value_mover: None, depth: 0 });
        }
    }

    fn push(&mut self, ply: LoggedPly) {
        if self.plies.len() < MOST_PLIES {
            self.board.make(ply.m);
            self.plies.push(ply);
        }
    }

    /// The result, where it is beyond doubt.
    fn decided(&self) -> Option<(GameResult, Evidence)> {
        let board = &self.board;
        let wins = |color| if color == Color::White { GameResult::WhiteWins } else { GameResult::BlackWins };
        if board.count_legal_moves() == 0 {
            let result = if board.in_check() { wins(!board.side_to_move()) } else { GameResult::Draw };
            return Some((result, Evidence::Rules));
        }
        if board.repetitions() >= 3 || board.fifty_moves_passed() || board.insufficient_material() {
            return Some((GameResult::Draw, Evidence::Rules));
        }
        // The side to move now did not play the last ply; count back from there.
        let (back, value) =
            self.plies.iter().rev().enumerate().find_map(|(back, ply)| Some((back, ply.value_mover?)))?;
        let us = if back % 2 == 0 { !board.side_to_move() } else { board.side_to_move() };
        let winner = if value >= NO_DOUBT { us } else { !us };
        (value.abs() >= NO_DOUBT).then(|| (wins(winner), Evidence::Score))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::game_log::GameLog;
    use std::path::PathBuf;

    struct Session {
        keeper: GameKeeper,
        folder: PathBuf,
    }

    impl Session {
        fn new(name: &str) -> Session {
            let folder = std::env::temp_dir().join(format!("tabula-keeper-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&folder).unwrap();
            let keeper = GameKeeper::default();
            keeper.keep_in(Some(&folder), 5).unwrap();
            Session { keeper, folder }
        }

        /// Plays a game as a GUI does: we are the side that moves first in each pair.
        fn play(&self, moves: &str, value: Value) {
            let mut board = Board::start();
            let mut played = Vec::new();
            for (number, word) in moves.split_whitespace().enumerate() {
                let m = board.parse_uci(word).unwrap();
                if number % 2 == 0 {
                    self.keeper.position(None, &played);
                    self.keeper.chosen(&board, m, value, 7);
                }
                board.make(m);
                played.push(m);
            }
        }

        fn games(&self) -> Vec<LoggedGame> {
            let log = self.folder.join("games-0000000000000005.tgl");
            if log.exists() { GameLog::read(&log).unwrap().games } else { Vec::new() }
        }
    }

    impl Drop for Session {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }

    const KNIGHTS: &str = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 g1f3";
    const QUIET: &str = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1";

    #[test]
    fn a_result_by_the_rules_is_found() {
        let session = Session::new("rules");
        session.play(KNIGHTS, 12);
        assert!(session.keeper.end_game().unwrap().contains("1/2-1/2"));
        let games = session.games();
        assert_eq!((games.len(), games[0].result, games[0].evidence), (1, GameResult::Draw, Evidence::Rules));
        assert_eq!(games[0].plies.len(), 9);
        assert_eq!(games[0].plies[2].value_mover, Some(12));
        assert_eq!(games[0].plies[3].value_mover, None);
    }

    #[test]
    fn a_score_without_doubt_decides_and_others_do_not() {
        let session = Session::new("score");
        session.play(QUIET, 40);
        assert!(session.keeper.end_game().unwrap().contains("unknown"));
        session.play(QUIET, -1500);
        // The next game begins without a word.
        session.play("d2d4", 0);
        session.play(QUIET, 1500);
        assert!(session.keeper.end_game().unwrap().contains("1-0"));
        let results: Vec<_> = session.games().iter().map(|game| (game.result, game.evidence)).collect();
        let score = Evidence::Score;
        assert_eq!(results, [(GameResult::BlackWins, score), (GameResult::WhiteWins, score)]);
    }

    #[test]
    fn what_is_said_counts_once() {
        let session = Session::new("said");
        session.play(QUIET, 40);
        assert!(session.keeper.result(GameResult::WhiteWins).unwrap().contains("1-0"));
        assert!(session.keeper.result(GameResult::WhiteWins).is_err());
        assert_eq!(session.keeper.end_game(), None);
        assert_eq!(session.games()[0].evidence, Evidence::Said);
    }

    #[test]
    fn a_reply_that_was_not_expected_corrects_the_game() {
        let session = Session::new("ponder");
        session.play(QUIET, 40);
        let mut board = Board::start();
        let mut moves: Vec<Move> = Vec::new();
        for word in QUIET.split_whitespace().chain(["b7b5", "a4b3"]) {
            let m = board.parse_uci(word).unwrap();
            board.make(m);
            moves.push(m);
        }
        // Pondered on b7b5 and found a4b3; d7d6 was played.
        session.keeper.position(None, &moves[..12]);
        board.unmake();
        session.keeper.chosen(&board, moves[12], 30, 9);
        board.unmake();
        moves.truncate(11);
        moves.push(board.parse_uci("d7d6").unwrap());
        session.keeper.position(None, &moves);
        session.keeper.result(GameResult::Draw).unwrap();
        let game = &session.games()[0];
        assert_eq!(game.plies.iter().map(|ply| ply.m).collect::<Vec<_>>(), moves);
    }

    #[test]
    fn nothing_is_kept_unless_asked_for() {
        let keeper = GameKeeper::default();
        assert_eq!(keeper.position(None, &[]), None);
        assert!(keeper.result(GameResult::Draw).unwrap_err().contains("ExperienceLog"));
        assert!(keeper.keep_in(Some(Path::new("no such folder")), 1).is_err());
    }
}
