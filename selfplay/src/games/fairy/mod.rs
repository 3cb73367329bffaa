//! Fairy chess: pieces are lists of modifiers, variants are files. `docs/14-fairy.md` says what can be written.
//!
//! From below: [`geometry`], [`modifier`] (the vocabulary) and [`pipeline`] (the interpreter), [`betza`]; [`compile`] makes
//! tables of what the interpreter finds on an empty board; [`rules`] plays moves, [`searcher`] searches.

pub mod betza;
pub mod commit;
pub mod compile;

pub mod features;
pub mod fen;
pub mod geometry;
pub mod modifier;
pub mod notation;
pub mod pipeline;
pub mod ply;
pub mod position;
pub mod rules;
pub mod searcher;
pub mod shipped;
pub mod variant;
pub mod variant_file;
pub mod worth;

use std::sync::Arc;

use engine::types::Color;

use self::features::{Feature, Worths};
use self::ply::Ply;
use self::position::Position;
use self::rules::{How, color_of};
use self::variant::Variant;
use super::Game;
use super::search::{Knowledge, Thought};
use crate::Outcome;
use crate::play::Dice;

/// Chess by the rules of a file: `fairy:FILE`, or `fairy:NAME` for those that are shipped.
#[derive(Clone)]
pub struct Fairy {
    /// The rules.
    pub variant: Arc<Variant>,
    /// The evaluation of one who has learned nothing.
    untaught: Arc<Vec<f32>>,
}

/// A position with its past.
#[derive(Clone)]
pub struct FairyState {
    /// What stands where.
    pub position: Position,
    /// Keys of the positions since the last move that cannot be taken back.
    pub past: Arc<Vec<u64>>,
    /// All legal moves, in order.
    pub legal: Arc<Vec<Ply>>,
    /// The result, if the game is over.
    pub outcome: Option<Outcome>,
}

impl Fairy {
    /// A game from the text of a file.
    pub fn from_text(text: &str) -> Result<Fairy, variant_file::FileError> {
        Ok(Fairy::of(variant_file::parse(text)?))
    }

    /// A game by these rules.
    pub fn of(variant: Variant) -> Fairy {
        let untaught = Arc::new(features::first_weights(&variant));
        Fairy { variant: Arc::new(variant), untaught }
    }

    /// The evaluation of a player.
    fn worths_of(&self, knowledge: &Knowledge) -> Worths {
        let learned = knowledge.weights.as_ref().map(|weights| &weights.value);
        Worths::of(&self.variant, learned.filter(|value| !value.is_empty()).unwrap_or(&self.untaught))
    }

    /// A position as the beginning of a game, or of its rest.
    pub fn state_of(&self, position: Position) -> FairyState {
        let past = Arc::new(vec![position.key(&self.variant)]);
        self.state_after(position, past)
    }

    fn state_after(&self, position: Position, past: Arc<Vec<u64>>) -> FairyState {
        let variant = &self.variant;
        let goals = &variant.goals;
        let key = past.last().copied();
        let times = past.iter().filter(|known| Some(**known) == key).count();
        let is_quiet = goals.quiet_moves > 0 && position.tail.clock >= 2 * goals.quiet_moves;
        let mut outcome = variant.goal_reached(&position);
        let is_dead = variant.is_dead(&position);
        if outcome.is_none()
            && (is_dead || is_quiet || (goals.repetition > 0 && times >= usize::from(goals.repetition)))
        {
            outcome = Some(Outcome::Draw);
        }
        let legal = if outcome.is_none() { variant.legal(&position, How::Compiled) } else { Vec::new() };
        if outcome.is_none() && legal.is_empty() {
            outcome = Some(variant.result_without_moves(&position));
        }
        FairyState { position, past, legal: Arc::new(legal), outcome }
    }

    /// After a legal move.
    pub fn after(&self, state: &FairyState, ply: &Ply) -> FairyState {
        let mut position = state.position.clone();
        let mover = position.side();
        self.variant.advance(&mut position, ply);
        self.variant.settle(&mut position, mover, How::Compiled);
        let mut past = if position.tail.clock == 0 { Vec::new() } else { state.past.as_ref().clone() };
        past.push(position.key(&self.variant));
        self.state_after(position, Arc::new(past))
    }
}

impl Game for Fairy {
    type State = FairyState;
    const NAME: &'static str = "fairy";

    fn with_rules(rules: &str) -> Result<Fairy, String> {
        shipped::open(rules)
    }

    fn rules(&self) -> String {
        format!("{}@{:016x}", self.variant.name, self.variant.hash)
    }

    fn start(&self) -> FairyState {
        self.state_of(self.variant.start.clone())
    }

    fn mover(&self, state: &FairyState) -> Color {
        color_of(state.position.side())
    }

    fn outcome(&self, state: &FairyState) -> Option<Outcome> {
        state.outcome
    }

    fn actions(&self, state: &FairyState, actions: &mut Vec<u16>) {
        actions.extend(0..state.legal.len() as u16);
    }

    fn apply(&self, state: &mut FairyState, action: u16) {
        if let Some(ply) = state.legal.get(usize::from(action)) {
            *state = self.after(state, ply);
        }
    }

    fn key(&self, state: &FairyState) -> u64 {
        state.position.key(&self.variant)
    }

    fn action_text(&self, state: &FairyState, action: u16) -> String {
        let ply = state.legal.get(usize::from(action));
        ply.map_or(String::new(), |ply| notation::write(&self.variant, &state.position, &state.legal, ply))
    }

    fn parse_action(&self, state: &FairyState, text: &str) -> Result<u16, String> {
        notation::parse(&self.variant, &state.position, &state.legal, text).map(|number| number as u16)
    }

    fn diagram(&self, state: &FairyState) -> String {
        diagram(&self.variant, &state.position)
    }

    fn judgement_white(&self, state: &FairyState) -> Option<f32> {
        let mut counts = vec![0.0; self.untaught.len()];
        features::count(&self.variant, &state.position, &mut counts);
        let logits: f32 = counts.iter().zip(self.untaught.iter()).map(|(count, weight)| count * weight).sum();
        Some((logits / 2.0).tanh())
    }

    fn feature_names(&self) -> Vec<String> {
        Feature::all(&self.variant).into_iter().map(|feature| feature.name(&self.variant)).collect()
    }

    fn features(&self, state: &FairyState, counts: &mut [f32]) {
        features::count(&self.variant, &state.position, counts);
    }

    fn own_search(
        &self,
        state: &FairyState,
        knowledge: &Knowledge,
        nodes: u64,
        dice: &mut Dice,
    ) -> Option<Thought> {
        Some(searcher::think(self, state, knowledge, nodes, dice))
    }

    const HAS_OWN_SEARCH: bool = true;
}

/// The board for a terminal: capitals are White's.
fn diagram(variant: &Variant, position: &Position) -> String {
    let geometry = variant.geometry;
    let mut text = String::new();
    for y in (0..i16::from(geometry.height)).rev() {
        text += &format!("{:>3} ", y + 1);
        for board in 0..geometry.boards {
            for x in 0..i16::from(geometry.width) {
                let cell =
                    geometry.square(x, y, board).map_or(0, |square| position.cells[usize::from(square)]);
                let letter = match cell {
                    0 => '.',
                    _ => variant.letter(geometry::piece_of(cell).0, geometry::piece_of(cell).1),
                };
                text += &format!(" {letter}");
            }
            text += if board + 1 < geometry.boards { "   | " } else { "" };
        }
        text.push('\n');
    }
    let files: String = (0..geometry.width).map(|x| format!(" {}", (b'a' + x) as char)).collect();
    text += "    ";
    for board in 0..geometry.boards {
        text += &files;
        text += if board + 1 < geometry.boards { "   | " } else { "" };
    }
    text += &format!("\n{}\n", fen::write(variant, position));
    text
}
