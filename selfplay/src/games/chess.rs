//! Chess as one game among others: a thin adapter, so that searches for any game can be compared with the engine's own.
//! Nothing else of chess goes through it.

use std::sync::Arc;

use engine::Board;
use engine::eval::{EvalParams, Weights, evaluate_white};
use engine::types::{Color, Move};

use super::Game;
use crate::Outcome;
use crate::arena::game::end_by_rules;

/// Centipawns at which a side is expected to score about 73%.
const CENTIPAWNS: f32 = 200.0;

/// Chess, with the weights of the engine's evaluation.
#[derive(Clone)]
pub struct Chess {
    weights: Arc<Weights>,
}

impl Chess {
    /// With these weights.
    pub fn new(params: &EvalParams) -> Chess {
        Chess { weights: Arc::new(Weights::new(params)) }
    }
}

impl Game for Chess {
    type State = Board;
    const NAME: &'static str = "chess";

    fn with_rules(rules: &str) -> Result<Chess, String> {
        let params = EvalParams::embedded();
        if rules.is_empty() {
            Ok(Chess::new(&params))
        } else {
            Err(format!("there are no rules '{rules}' to choose"))
        }
    }

    fn rules(&self) -> String {
        String::new()
    }

    fn start(&self) -> Board {
        Board::start()
    }

    fn mover(&self, state: &Board) -> Color {
        state.side_to_move()
    }

    fn outcome(&self, state: &Board) -> Option<Outcome> {
        end_by_rules(state).map(|(outcome, _)| outcome)
    }

    fn actions(&self, state: &Board, actions: &mut Vec<u16>) {
        actions.extend(state.legal_moves().iter().map(|m| m.bits()));
    }

    fn apply(&self, state: &mut Board, action: u16) {
        if let Some(m) = Move::from_bits(action) {
            state.make(m);
        }
    }

    fn key(&self, state: &Board) -> u64 {
        state.key()
    }

    fn action_text(&self, state: &Board, action: u16) -> String {
        Move::from_bits(action).map_or(String::new(), |m| state.san(m))
    }

    fn diagram(&self, state: &Board) -> String {
        state.to_string()
    }

    fn judgement_white(&self, state: &Board) -> Option<f32> {
        Some((evaluate_white(state, &self.weights) as f32 / (2.0 * CENTIPAWNS)).tanh())
    }
}
