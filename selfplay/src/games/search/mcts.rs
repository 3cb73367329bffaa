//! Monte-Carlo tree search with priors (PUCT). Each node of the tree is a position; a visit goes down by what is promising
//! and little tried, adds one position, values it, and tells the way back.
//!
//! A leaf is valued by what was learned (book or weights). Who has learned nothing plays it out at random.

use engine::types::Color;

use super::{DECIDED, Knowledge, Thought, WIN, value_of};
use crate::games::Game;
use crate::learn::episode::TERMINAL;
use crate::play::Dice;

/// How much a prior weighs against what was found.
const EXPLORATION: f32 = 1.5;
/// An action nobody tried is held a little worse than its position.
const UNTRIED: f32 = 0.1;
/// What a book knows of an action counts as at most so many visits.
const MOST_BOOK_VISITS: u32 = 16;
const NO_NODE: u32 = u32::MAX;

struct Edge {
    action: u16,
    child: u32,
    visits: u32,
    prior: f32,
    /// Of all visits, for the side that acts; ±1 is a win.
    value_sum: f32,
}

struct Node {
    mover: Color,
    visits: u32,
    value_sum: f32,
    edges: Vec<Edge>,
    /// The end of a game, for White.
    end: Option<f32>,
}

/// The tree of one search.
pub struct Tree<'a, G: Game> {
    game: &'a G,
    knowledge: &'a Knowledge,
    nodes: Vec<Node>,
}

fn seen_by(mover: Color, value_white: f32) -> f32 {
    if mover == Color::White { value_white } else { -value_white }
}

impl<'a, G: Game> Tree<'a, G> {
    /// Empty.
    pub fn new(game: &'a G, knowledge: &'a Knowledge) -> Tree<'a, G> {
        Tree { game, knowledge, nodes: Vec::new() }
    }

    /// Visits the tree so many times. What was visited most is best; its mean is the value.
    pub fn think(mut self, state: &G::State, nodes: u64, dice: &mut Dice) -> Thought {
        self.add(state, dice);
        for _ in 1..nodes.max(2) {
            self.visit(state.clone(), dice);
        }
        let rank = |edge: &&Edge| (edge.visits, (mean(edge) * 1e6) as i64, (edge.prior * 1e6) as i64);
        let Some(best) = self.nodes[0].edges.iter().max_by_key(rank) else {
            unreachable!("a game that is not over has actions")
        };
        let value_stm = ((mean(best) * WIN as f32) as i32).clamp(-WIN, WIN);
        Thought { action: best.action, value_stm, depth: self.depth(), nodes }
    }

    /// The length of the line of most visits.
    fn depth(&self) -> u8 {
        let (mut depth, mut node) = (0u8, 0);
        while let Some(edge) = self.nodes[node].edges.iter().max_by_key(|edge| edge.visits)
            && edge.child != NO_NODE
            && depth < u8::MAX
        {
            depth += 1;
            node = edge.child as usize;
        }
        depth
    }

    /// Adds a position and values it for White.
    fn add(&mut self, state: &G::State, dice: &mut Dice) -> f32 {
        let mover = self.game.mover(state);
        if let Some(outcome) = self.game.outcome(state) {
            let end = value_of(outcome, Color::White) as f32 / WIN as f32;
            self.nodes.push(Node { mover, visits: 1, value_sum: end, edges: Vec::new(), end: Some(end) });
            return end;
        }
        let mut actions = Vec::new();
        self.game.actions(state, &mut actions);
        // Among equal ones the first is tried first: the order of the game must not decide which.
        dice.shuffle(&mut actions);
        let priors = self.knowledge.priors(self.game, state, &actions);
        let new_edge = |(&action, prior)| Edge { action, child: NO_NODE, visits: 0, prior, value_sum: 0.0 };
        let mut edges: Vec<Edge> = actions.iter().zip(priors).map(new_edge).collect();
        for row in self.knowledge.rows(self.game.key(state)) {
            if let Some(edge) = edges.iter_mut().find(|edge| edge.action == row.m) {
                edge.visits = row.games.min(MOST_BOOK_VISITS);
                edge.value_sum = edge.visits as f32 * row.score() as f32 / TERMINAL as f32;
            }
        }
        let value_white = match self.knowledge.value_stm(self.game, state) {
            Some(value) => seen_by(mover, value as f32 / DECIDED as f32),
            None => play_out(self.game, state.clone(), dice),
        };
        let value_sum = seen_by(mover, value_white);
        self.nodes.push(Node { mover, visits: 1, value_sum, edges, end: None });
        value_white
    }

    fn visit(&mut self, mut state: G::State, dice: &mut Dice) {
        let mut path: Vec<(usize, usize)> = Vec::new();
        let mut at = 0;
        let value_white = loop {
            if let Some(end) = self.nodes[at].end {
                break end;
            }
            let choice = self.select(at);
            path.push((at, choice));
            let edge = &self.nodes[at].edges[choice];
            self.game.apply(&mut state, edge.action);
            if edge.child == NO_NODE {
                let child = self.nodes.len() as u32;
                let value_white = self.add(&state, dice);
                self.nodes[at].edges[choice].child = child;
                break value_white;
            }
            at = edge.child as usize;
        };
        for (node, choice) in path {
            let node = &mut self.nodes[node];
            let value = seen_by(node.mover, value_white);
            node.visits += 1;
            node.value_sum += value;
            node.edges[choice].visits += 1;
            node.edges[choice].value_sum += value;
        }
    }

    /// The edge to follow.
    fn select(&self, node: usize) -> usize {
        let node = &self.nodes[node];
        let untried = node.value_sum / node.visits as f32 - UNTRIED;
        let scale = EXPLORATION * (node.visits as f32).sqrt();
        let worth = |edge: &Edge| {
            let value = if edge.visits == 0 { untried } else { mean(edge) };
            value + scale * edge.prior / (1 + edge.visits) as f32
        };
        let mut best = (0, f32::NEG_INFINITY);
        for (number, edge) in node.edges.iter().enumerate() {
            let worth = worth(edge);
            if worth > best.1 {
                best = (number, worth);
            }
        }
        best.0
    }
}

fn mean(edge: &Edge) -> f32 {
    if edge.visits == 0 { -1.0 } else { edge.value_sum / edge.visits as f32 }
}

/// Plays a position out at random; what comes of it for White, ±1.
pub fn play_out<G: Game>(game: &G, mut state: G::State, dice: &mut Dice) -> f32 {
    /// No game in the house is longer; a draw where one is.
    const LONGEST: usize = 1000;
    for _ in 0..LONGEST {
        if let Some(outcome) = game.outcome(&state) {
            return value_of(outcome, Color::White) as f32 / WIN as f32;
        }
        let action = game.random_action(&state, dice);
        game.apply(&mut state, action);
    }
    0.0
}
