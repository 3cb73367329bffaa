//! Positions whose best moves are known: does an engine find them?

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

use engine::Board;
use engine::board::Epd;
use engine::types::Move;

use super::engine_spec::EngineSpec;
use super::fault::{Fault, NoMove};
use super::limit::MoveLimit;
use super::opening::Opening;
use super::player::{Choice, Player, Turn, start_player};
use super::uci_player::{Patience, StartError};

/// Why a file is no suite.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The file cannot be read.
    #[error("cannot read the suite {path}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is nothing in it.
    #[error("suite {path}: not a single position in it")]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// One line is wrong.
    #[error("suite {path}, line {line}: {reason}")]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

/// A position and the moves that solve it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The text of `id`, or the line of the file.
    pub id: String,
    /// The position.
    pub board: Board,
    /// `bm`: one of these must be played.
    pub best: Vec<Move>,
    /// `am`: none of these may be played.
    pub avoid: Vec<Move>,
}

impl Problem {
    /// From a line of EPD.
    fn read(text: &str, line: usize) -> Result<Problem, String> {
        let epd = Board::from_epd(text).map_err(|error| error.to_string())?;
        let moves = |opcode| Epd::moves(&epd, opcode).map_err(|error| format!("{opcode}: {error}"));
        let (best, avoid) = (moves("bm")?, moves("am")?);
        if best.is_empty() && avoid.is_empty() {
            return Err("neither a best move (bm) nor one to avoid (am)".to_string());
        }
        let id = epd.operation("id").and_then(|id| id.values().next().map(str::to_string));
        let id = id.unwrap_or_else(|| format!("line {line}"));
        Ok(Problem { id, board: epd.board, best, avoid })
    }

    /// Whether the move is among the best, where those are known, and not among the bad.
    pub fn is_solved_by(&self, m: Move) -> bool {
        (self.best.is_empty() || self.best.contains(&m)) && !self.avoid.contains(&m)
    }

    /// What solves it, in words: `Qg6`, `not Kxe5`.
    pub fn solution(&self) -> String {
        let join = |moves: &[Move]| moves.iter().map(|&m| self.board.san(m)).collect::<Vec<_>>().join(" or ");
        match (self.best.is_empty(), self.avoid.is_empty()) {
            (false, true) => join(&self.best),
            (true, _) => format!("not {}", join(&self.avoid)),
            (false, false) => format!("{}, not {}", join(&self.best), join(&self.avoid)),
        }
    }
}

/// A file of problems.
#[derive(Clone, Debug)]
pub struct Suite {
    /// In the order of the file.
    pub problems: Vec<Problem>,
}

/// What an engine said to a problem.
#[derive(Debug)]
pub struct Answer {
    /// Which one, from 0.
    pub problem: usize,
    /// The move; or the fault that there is none, after which the engine was started anew.
    pub choice: Result<Choice, Fault>,
}

/// How to ask.
pub struct SuiteRun<'a> {
    /// Whom.
    pub engine: &'a EngineSpec,
    /// For each problem.
    pub limit: MoveLimit,
    /// Problems at the same time, each with an engine of its own.
    pub concurrency: usize,
    /// With a process.
    pub patience: Patience,
}

impl Suite {
    /// Reads a file of EPD lines; empty lines and those that begin with `#` are skipped.
    pub fn open(path: &Path) -> Result<Suite, SuiteError> {
        let bytes = fs::read(path).map_err(|source| SuiteError::Read { path: path.into(), source })?;
        let text = String::from_utf8_lossy(&bytes);
        let mut problems = Vec::new();
        for (index, line) in text.lines().map(str::trim).enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let problem = Problem::read(line, index + 1);
            problems.push(problem.map_err(|reason| {
                let path = path.into();
                SuiteError::Line { path, line: index + 1, reason }
            })?);
        }
        if problems.is_empty() {
            return Err(SuiteError::Empty { path: path.into() });
        }
        Ok(Suite { problems })
    }

    /// Asks for a move in every position, each as a new game, until the end or the stop flag. Answers
    /// come in the order in which they are found, on the caller's thread.
    pub fn run(
        &self,
        run: &SuiteRun,
        stop: &Arc<AtomicBool>,
        observer: &mut dyn FnMut(Answer),
    ) -> Result<(), StartError> {
        let next = AtomicUsize::new(0);
        let (sender, answers) = channel();
        std::thread::scope(|scope| {
            for _ in 0..run.concurrency.clamp(1, self.problems.len().max(1)) {
                let sender = sender.clone();
                let next = &next;
                scope.spawn(move || self.work(run, next, stop, &sender));
            }
            drop(sender);
            let mut outcome = Ok(());
            for answer in answers {
                match answer {
                    Ok(answer) => observer(answer),
                    Err(StartError::Stopped) => {}
                    Err(error) => {
                        outcome = Err(error);
                        stop.store(true, Ordering::Relaxed);
                    }
                }
            }
            outcome
        })
    }

    /// One thread with an engine: takes problems until there are none.
    fn work(
        &self,
        run: &SuiteRun,
        next: &AtomicUsize,
        stop: &Arc<AtomicBool>,
        answers: &Sender<Result<Answer, StartError>>,
    ) {
        let mut seat: Option<Box<dyn Player>> = None;
        while !stop.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(problem) = self.problems.get(index) else { return };
            let mut player = match seat.take() {
                Some(player) => player,
                None => match start_player(run.engine, None, run.patience, false, stop) {
                    Ok(player) => player,
                    Err(error) => {
                        // A receiver that is gone has no use for the error either.
                        let _ = answers.send(Err(error));
                        return;
                    }
                },
            };
            let choice = match ask(player.as_mut(), problem, run.limit) {
                Ok(choice) => {
                    seat = Some(player);
                    Ok(choice)
                }
                Err(NoMove::Fault(fault)) => Err(fault),
                Err(NoMove::Stopped) => return,
            };
            if answers.send(Ok(Answer { problem: index, choice })).is_err() {
                return;
            }
        }
    }
}

/// Asks for one move, without any memory of the positions before.
fn ask(player: &mut dyn Player, problem: &Problem, limit: MoveLimit) -> Result<Choice, NoMove> {
    player.new_game(&Opening::at(&problem.board), problem.board.side_to_move())?;
    let turn = Turn { board: &problem.board, moves: &[], limit, clocks: [None; 2], forfeit_after: None };
    player.choose(&turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(operations: &str) -> Result<Problem, String> {
        Problem::read(&format!("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - {operations}"), 7)
    }

    #[test]
    fn best_moves_and_moves_to_avoid() {
        let m = |problem: &Problem, text: &str| problem.board.parse_uci(text).unwrap();
        let mate = problem("bm Ra8#; id \"back rank\";").unwrap();
        assert_eq!((mate.id.as_str(), mate.solution().as_str()), ("back rank", "Ra8#"));
        assert!(mate.is_solved_by(m(&mate, "a1a8")) && !mate.is_solved_by(m(&mate, "a1a7")));
        let careful = problem("am Ra7 Ra6").unwrap();
        assert_eq!((careful.id.as_str(), careful.solution().as_str()), ("line 7", "not Ra7 or Ra6"));
        assert!(careful.is_solved_by(m(&careful, "a1a8")) && !careful.is_solved_by(m(&careful, "a1a6")));
        let both = problem("am Ra7; bm Ra8 h4").unwrap();
        assert!(both.is_solved_by(m(&both, "h2h4")) && !both.is_solved_by(m(&both, "h2h3")));
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(problem("id \"nothing to find\";").unwrap_err().contains("neither a best move"));
        assert!(problem("bm Rb9;").unwrap_err().starts_with("bm: "));
        assert!(problem("am Qa1;").unwrap_err().starts_with("am: "));
    }
}
