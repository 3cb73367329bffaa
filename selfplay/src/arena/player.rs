//! Who makes the moves.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use engine::Board;
use engine::types::{Color, Move};

use super::engine_score::EngineScore;
use super::engine_spec::{EngineKind, EngineSpec};
use super::fault::NoMove;
use super::limit::{Clock, MoveLimit};
use super::opening::Opening;
use super::self_player::SelfPlayer;
use super::tree_player::TreePlayer;
use super::uci_player::{Patience, StartError, UciPlayer};

/// What a player is asked: a move in this position, within this limit.
pub struct Turn<'a> {
    /// The position, with the history of the game.
    pub board: &'a Board,
    /// All moves since the opening's first position, the opening's own among them.
    pub moves: &'a [Move],
    /// The limit of the player to move.
    pub limit: MoveLimit,
    /// `// [color]` the clocks of those who play by one
    pub clocks: [Option<Clock>; 2],
    /// After so long the game is lost anyway, whatever the answer.
    pub forfeit_after: Option<Duration>,
}

impl Turn<'_> {
    /// The clock of the player to move.
    pub fn own_clock(&self) -> Option<&Clock> {
        self.clocks[self.board.side_to_move().index()].as_ref()
    }

    /// The clock of the opponent, or one's own where the opponent has none.
    pub fn clock_of(&self, color: Color) -> Option<&Clock> {
        self.clocks[color.index()].as_ref().or(self.own_clock())
    }
}

/// The answer.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The move; the referee checks it.
    pub chosen: Move,
    /// From asking to the answer.
    pub elapsed: Duration,
    /// What the player thinks of its position.
    pub score: Option<EngineScore>,
    /// How deep it looked.
    pub depth: Option<u32>,
    /// How much it looked at.
    pub nodes: Option<u64>,
}

/// An engine, in process or outside.
pub trait Player {
    /// A new game begins from this opening, with this side to play.
    fn new_game(&mut self, opening: &Opening, color: Color) -> Result<(), NoMove>;

    /// Asks for a move; blocks until there is one, or none can be had.
    fn choose(&mut self, turn: &Turn) -> Result<Choice, NoMove>;

    /// The last words of the conversation, for the log of faults; empty where there is none.
    fn recent_traffic(&self) -> String {
        String::new()
    }
}

/// Starts what a spec names. The standard error of a process is appended to `stderr_file`, or dropped.
pub fn start_player(
    spec: &EngineSpec,
    stderr_file: Option<PathBuf>,
    patience: Patience,
    chess960: bool,
    stop: &Arc<AtomicBool>,
) -> Result<Box<dyn Player>, StartError> {
    Ok(match &spec.kind {
        EngineKind::Process(process) => {
            Box::new(UciPlayer::start(process, stderr_file, patience, chess960, stop.clone())?)
        }
        EngineKind::InProcess(own) if own.tree_search => Box::new(TreePlayer::new(own, stop.clone())?),
        EngineKind::InProcess(own) => Box::new(SelfPlayer::new(own, stop.clone())?),
    })
}
