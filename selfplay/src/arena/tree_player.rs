//! A player of chess by Monte-Carlo tree search with our own evaluation: the second searcher, for comparison.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use engine::eval::EvalParams;
use engine::types::{Color, Move};

use super::engine_score::EngineScore;
use super::engine_spec::SelfSpec;
use super::fault::{Fault, NoMove};
use super::limit::MoveLimit;
use super::opening::Opening;
use super::player::{Choice, Player, Turn};
use super::self_player::{SetupError, read_weights};
use crate::games::chess::Chess;
use crate::games::search::{Knowledge, SearchKind, think};
use crate::play::Dice;

/// Ready to play.
pub struct TreePlayer {
    game: Chess,
    stop: Arc<AtomicBool>,
}

impl TreePlayer {
    /// Reads the weights that the spec names.
    pub fn new(spec: &SelfSpec, stop: Arc<AtomicBool>) -> Result<TreePlayer, SetupError> {
        let params = match &spec.weights {
            Some(path) => read_weights(path)?,
            None => EvalParams::embedded(),
        };
        Ok(TreePlayer { game: Chess::new(&params), stop })
    }
}

impl Player for TreePlayer {
    fn new_game(&mut self, _opening: &Opening, _color: Color) -> Result<(), NoMove> {
        Ok(())
    }

    fn choose(&mut self, turn: &Turn) -> Result<Choice, NoMove> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(NoMove::Stopped);
        }
        let asked = Instant::now();
        let (MoveLimit::Nodes(nodes) | MoveLimit::SoftNodes(nodes)) = turn.limit else {
            return Err(Fault::Garbage("search=mcts is limited by nodes alone".to_string()).into());
        };
        let mut dice = Dice::for_game(turn.board.key(), nodes);
        let thought =
            think(&self.game, turn.board, SearchKind::Mcts, &Knowledge::default(), nodes, &mut dice);
        let chosen = Move::from_bits(thought.action);
        let chosen = chosen.ok_or_else(|| Fault::IllegalMove("none found".to_string()))?;
        Ok(Choice {
            chosen,
            elapsed: asked.elapsed(),
            score: Some(EngineScore::from_value(thought.value_stm / 10)),
            depth: Some(u32::from(thought.depth)),
            nodes: Some(nodes),
        })
    }
}
