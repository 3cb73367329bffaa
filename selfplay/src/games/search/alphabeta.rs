//! Alpha-beta with a table of positions, deeper and deeper until the nodes are used up.

use std::collections::HashMap;

use super::{DECIDED, Knowledge, Thought, WIN, value_of};
use crate::games::Game;
use crate::play::Dice;

/// The table never holds more positions.
const MOST_ENTRIES: usize = 1 << 20;
/// No search goes deeper: depths are kept in a byte.
const DEEPEST: u8 = 200;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

#[derive(Clone, Copy)]
struct Entry {
    depth: u8,
    bound: Bound,
    value_stm: i32,
    best: u16,
}

/// A search of one position.
pub struct AlphaBeta<'a, G: Game> {
    game: &'a G,
    knowledge: &'a Knowledge,
    limit: u64,
    nodes: u64,
    /// Whether some line was cut off where the game goes on: else all is known.
    horizon: bool,
    table: HashMap<u64, Entry>,
}

/// The nodes are used up.
struct Stopped;

/// A value a ply further from what decides it: quick wins are better than slow ones.
fn nearer_zero(value: i32) -> i32 {
    if value.abs() > DECIDED { value - value.signum() } else { value }
}

/// The opposite, for the bounds of a search one ply on.
fn further_from_zero(value: i32) -> i32 {
    if value.abs() >= DECIDED && value.abs() < WIN { value + value.signum() } else { value }
}

impl<'a, G: Game> AlphaBeta<'a, G> {
    /// Ready to search.
    pub fn new(game: &'a G, knowledge: &'a Knowledge, nodes: u64) -> AlphaBeta<'a, G> {
        AlphaBeta { game, knowledge, limit: nodes, nodes: 0, horizon: false, table: HashMap::new() }
    }

    /// The best action; among equal ones the dice decide. Depth 1 is always finished.
    pub fn think(mut self, state: &G::State, dice: &mut Dice) -> Thought {
        let mut actions = Vec::new();
        self.game.actions(state, &mut actions);
        dice.shuffle(&mut actions);
        let mut thought = Thought { action: actions[0], value_stm: 0, depth: 0, nodes: 0 };
        for depth in 1..=DEEPEST {
            self.horizon = false;
            let Ok((value_stm, action)) = self.root(state, &actions, depth) else { break };
            thought = Thought { action, value_stm, depth, nodes: self.nodes };
            // The best one first: what was found so far is then the best of a search that is cut off.
            if let Some(place) = actions.iter().position(|&other| other == action) {
                actions[..=place].rotate_right(1);
            }
            if !self.horizon || value_stm.abs() > DECIDED || self.nodes >= self.limit {
                break;
            }
        }
        Thought { nodes: self.nodes, ..thought }
    }

    fn root(&mut self, state: &G::State, actions: &[u16], depth: u8) -> Result<(i32, u16), Stopped> {
        let mut best = (-WIN - 1, actions[0]);
        for &action in actions {
            let value = self.value_after(state, action, depth - 1, best.0, WIN + 1, depth == 1)?;
            if value > best.0 {
                best = (value, action);
            }
        }
        Ok(best)
    }

    /// What an action is worth to the side that does it.
    fn value_after(
        &mut self,
        state: &G::State,
        action: u16,
        depth: u8,
        alpha: i32,
        beta: i32,
        is_free: bool,
    ) -> Result<i32, Stopped> {
        let mut after = state.clone();
        self.game.apply(&mut after, action);
        let (alpha, beta) = (further_from_zero(alpha), further_from_zero(beta));
        let value = match self.game.mover(&after) == self.game.mover(state) {
            true => self.value_stm(&after, depth, alpha, beta, is_free)?,
            false => -self.value_stm(&after, depth, -beta, -alpha, is_free)?,
        };
        Ok(nearer_zero(value))
    }

    fn value_stm(
        &mut self,
        state: &G::State,
        depth: u8,
        mut alpha: i32,
        beta: i32,
        is_free: bool,
    ) -> Result<i32, Stopped> {
        self.nodes += 1;
        if let Some(outcome) = self.game.outcome(state) {
            return Ok(value_of(outcome, self.game.mover(state)));
        }
        if depth == 0 {
            self.horizon = true;
            return Ok(self.knowledge.value_stm(self.game, state).unwrap_or(0));
        }
        if self.nodes > self.limit && !is_free {
            return Err(Stopped);
        }
        let key = self.game.key(state);
        let known = self.table.get(&key).copied();
        if let Some(entry) = known
            && (entry.depth >= depth || entry.value_stm.abs() > DECIDED)
        {
            // What is in the table looked no further than that.
            self.horizon |= entry.value_stm.abs() <= DECIDED;
            match entry.bound {
                Bound::Exact => return Ok(entry.value_stm),
                Bound::AtLeast if entry.value_stm >= beta => return Ok(entry.value_stm),
                Bound::AtMost if entry.value_stm <= alpha => return Ok(entry.value_stm),
                _ => {}
            }
        }
        let mut actions = Vec::new();
        self.game.actions(state, &mut actions);
        if let Some(place) = known.and_then(|entry| actions.iter().position(|&action| action == entry.best)) {
            actions.swap(0, place);
        }
        let first_alpha = alpha;
        let mut best = (-WIN - 1, actions[0]);
        for &action in &actions {
            let value = self.value_after(state, action, depth - 1, alpha, beta, is_free)?;
            if value > best.0 {
                best = (value, action);
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        let bound = match best.0 {
            value if value >= beta => Bound::AtLeast,
            value if value <= first_alpha => Bound::AtMost,
            _ => Bound::Exact,
        };
        if self.table.len() < MOST_ENTRIES || known.is_some() {
            self.table.insert(key, Entry { depth, bound, value_stm: best.0, best: best.1 });
        }
        Ok(best.0)
    }
}
