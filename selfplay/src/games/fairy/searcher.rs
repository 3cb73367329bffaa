//! The search of fairy chess: alpha-beta with a table, quiescence, null moves and reductions, limited by nodes.

use super::features::{LOGITS_A_CENTIPAWN, Worths};
use super::ply::{Ply, flags};
use super::position::{Position, mix};
use super::rules::How;
use super::variant::Variant;
use super::{Fairy, FairyState};
use crate::Outcome;
use crate::games::Game;
use crate::games::search::{DECIDED, Knowledge, Thought, WIN, value_of};
use crate::play::Dice;

/// Mate in no moves.
const MATE: i32 = 30_000;
/// Beyond this somebody is mated.
const MATED: i32 = 29_000;
const INFINITE: i32 = 32_000;
const DEEPEST: u8 = 60;
/// Captures in a row at the end of a line.
const MOST_CAPTURES: u8 = 10;
/// A capture that leaves one so much below what is needed is not looked at.
const MARGIN: i32 = 150;
/// What a book says of a move of the first ply counts at most so much, in hundredths of a pawn.
const BOOK_SAYS: i32 = 60;
const BOOK_DOUBTS: i32 = 8;

#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    value: i16,
    depth: u8,
    /// 1: at least, 2: at most, 3: exact.
    bound: u8,
    best: u16,
}

struct Stopped;

/// A number that tells a move from others of a position.
fn short_name(ply: &Ply) -> u16 {
    let seed = u64::from(ply.src) | u64::from(ply.dest) << 8;
    ply.changes()
        .iter()
        .fold(mix(seed), |name, (square, cell)| mix(name ^ u64::from(*square) ^ u64::from(*cell) << 8))
        as u16
}

/// A search of one position.
pub struct Search<'a> {
    variant: &'a Variant,
    worths: &'a Worths,
    position: Position,
    limit: u64,
    nodes: u64,
    is_free: bool,
    table: Vec<Entry>,
    /// `// [from][to]` how often a quiet move was too good
    history: Vec<i32>,
    killers: Vec<[u16; 2]>,
    /// Keys since the last move that cannot be taken back, and of the line.
    past: Vec<u64>,
}

/// The best action by search; a book speaks for or against moves of the first ply.
pub fn think(
    fairy: &Fairy,
    state: &FairyState,
    knowledge: &Knowledge,
    nodes: u64,
    dice: &mut Dice,
) -> Thought {
    let worths = fairy.worths_of(knowledge);
    let mut search = Search::new(&fairy.variant, &worths, state, nodes);
    let mut order: Vec<usize> = (0..state.legal.len()).collect();
    dice.shuffle(&mut order);
    let mut says = vec![0; state.legal.len()];
    for row in knowledge.rows(fairy.key(state)) {
        if let Some(place) = says.get_mut(usize::from(row.m)) {
            let games = row.games.min(1000) as i32;
            *place = row.score() * BOOK_SAYS / WIN * games / (games + BOOK_DOUBTS);
        }
    }
    let mut thought = Thought { action: order[0] as u16, value_stm: 0, depth: 0, nodes: 0 };
    for depth in 1..=DEEPEST {
        search.is_free = depth == 1;
        let Some((value, best)) = search.root(state, &order, &says, depth) else { break };
        thought =
            Thought { action: best as u16, value_stm: value_of_search(value), depth, nodes: search.nodes };
        if let Some(place) = order.iter().position(|number| *number == best) {
            order[..=place].rotate_right(1);
        }
        if search.nodes >= search.limit || value.abs() > MATED || state.legal.len() == 1 {
            break;
        }
    }
    Thought { nodes: search.nodes, ..thought }
}

/// Hundredths of a pawn as the learner's numbers.
fn value_of_search(value: i32) -> i32 {
    if value.abs() > MATED {
        return value.signum() * (WIN - (MATE - value.abs()));
    }
    let chance = (value as f32 * LOGITS_A_CENTIPAWN / 2.0).tanh();
    ((chance * WIN as f32) as i32).clamp(-DECIDED + 1, DECIDED - 1)
}

impl<'a> Search<'a> {
    /// Ready to search a position.
    pub fn new(variant: &'a Variant, worths: &'a Worths, state: &FairyState, limit: u64) -> Search<'a> {
        let size = (limit * 2).next_power_of_two().clamp(1 << 10, 1 << 20) as usize;
        let cells = variant.geometry.cells();
        Search {
            variant,
            worths,
            position: state.position.clone(),
            limit,
            nodes: 0,
            is_free: true,
            table: vec![Entry::default(); size],
            history: vec![0; cells * cells],
            killers: vec![[0; 2]; 256],
            past: state.past.as_ref().clone(),
        }
    }

    fn root(&mut self, state: &FairyState, order: &[usize], says: &[i32], depth: u8) -> Option<(i32, usize)> {
        let white = self.worths.position_white(&self.position);
        let mut best: Option<(i32, usize)> = None;
        for &number in order {
            let ply = &state.legal[number];
            let mut is_better = true;
            if let Some((value, _)) = best {
                let alpha = (value - says[number]).max(-INFINITE);
                match self.after(ply, white, depth - 1, 0, (alpha, alpha + 1)) {
                    Ok(found) => is_better = found.is_some_and(|found| found > alpha),
                    Err(Stopped) => break,
                }
            }
            if is_better {
                let alpha = best.map_or(-INFINITE, |best| (best.0 - says[number]).max(-INFINITE));
                match self.after(ply, white, depth - 1, 0, (alpha, INFINITE)) {
                    Ok(Some(value)) if best.is_none_or(|best| value + says[number] > best.0) => {
                        best = Some((value + says[number], number));
                    }
                    Ok(_) => {}
                    Err(Stopped) => break,
                }
            }
        }
        // The first was the best of the search before: what was found before the nodes ran out is at least as good.
        best
    }

    /// The value of a move for the side that makes it; `None` if it is not legal.
    fn after(
        &mut self,
        ply: &Ply,
        white: i32,
        depth: u8,
        line: u8,
        (alpha, beta): (i32, i32),
    ) -> Result<Option<i32>, Stopped> {
        let mover = self.position.side();
        let white = white + self.gain_white(ply);
        let Some(undo) = self.variant.play_if_legal(&mut self.position, ply, How::Compiled) else {
            return Ok(None);
        };
        self.past.push(self.position.key(self.variant));
        let value = if self.position.side() == mover {
            self.value(white, depth, line + 1, (alpha, beta), true)
        } else {
            self.value(white, depth, line + 1, (-beta, -alpha), true).map(|value| -value)
        };
        self.past.pop();
        self.position.undo(self.variant, &undo);
        value.map(Some)
    }

    fn gain_white(&self, ply: &Ply) -> i32 {
        ply.changes()
            .iter()
            .map(|&(square, cell)| {
                let old = self.position.cells[usize::from(square)];
                let worth = |cell| if cell == 0 { 0 } else { self.worths.white(cell, square) };
                worth(cell) - worth(old)
            })
            .sum()
    }

    fn gain(&self, ply: &Ply) -> i32 {
        if self.position.side() == 0 { self.gain_white(ply) } else { -self.gain_white(ply) }
    }

    /// What a side thinks of the board as it stands.
    fn standing(&self, white: i32) -> i32 {
        self.worths.turn + if self.position.side() == 0 { white } else { -white }
    }

    /// The end of a game, for the side to move.
    fn end(&self, line: u8) -> Option<i32> {
        let outcome = match self.variant.goal_reached(&self.position) {
            Some(outcome) => outcome,
            None if self.is_drawn() => Outcome::Draw,
            None => return None,
        };
        Some(self.value_of(outcome, line))
    }

    fn value_of(&self, outcome: Outcome, line: u8) -> i32 {
        value_of(outcome, super::rules::color_of(self.position.side())).signum() * (MATE - i32::from(line))
    }

    fn is_drawn(&self) -> bool {
        let goals = &self.variant.goals;
        let clock = self.position.tail.clock;
        let window = self.past.len().saturating_sub(usize::from(clock) + 1);
        let repeats = goals.repetition > 0
            && clock >= 2
            && self
                .past
                .split_last()
                .is_some_and(|(now, before)| before[window.min(before.len())..].contains(now));
        repeats
            || (goals.quiet_moves > 0 && clock >= 2 * goals.quiet_moves)
            || self.variant.is_dead(&self.position)
    }

    fn value(
        &mut self,
        white: i32,
        depth: u8,
        line: u8,
        (mut alpha, beta): (i32, i32),
        may_pass: bool,
    ) -> Result<i32, Stopped> {
        if let Some(value) = self.end(line) {
            self.nodes += 1;
            return Ok(value);
        }
        if depth == 0 || line > 100 {
            return self.quiet(white, line, (alpha, beta), MOST_CAPTURES);
        }
        self.nodes += 1;
        if self.nodes > self.limit && !self.is_free {
            return Err(Stopped);
        }
        let key = self.past[self.past.len() - 1];
        let slot = key as usize & (self.table.len() - 1);
        let known = Some(self.table[slot]).filter(|entry| entry.key == key && entry.bound != 0);
        if let Some(entry) = known
            && entry.depth >= depth
        {
            let value = from_table(i32::from(entry.value), line);
            match entry.bound {
                3 => return Ok(value),
                1 if value >= beta => return Ok(value),
                2 if value <= alpha => return Ok(value),
                _ => {}
            }
        }
        let in_check = self.variant.in_check(&self.position, self.position.side(), How::Compiled);
        if may_pass
            && !in_check
            && depth >= 3
            && self.variant.moves_a_turn == 1
            && self.standing(white) >= beta
            && beta.abs() < MATED
            && self.has_pieces()
        {
            let value = self.pass(white, depth - 3, line, beta)?;
            if value >= beta {
                return Ok(beta);
            }
        }
        let first_alpha = alpha;
        let mut plies = Vec::with_capacity(64);
        self.variant.possible(&mut self.position, How::Compiled, &mut plies);
        let mut order = self.order(&plies, known.map(|entry| entry.best), line);
        let (mut best, mut best_name, mut tried) = (-INFINITE, 0, 0);
        let mut next = 0;
        while let Some(number) = pick(&mut order, &mut next) {
            let ply = plies[number];
            let is_quiet = ply.flags & (flags::TAKES | flags::PROMOTES) == 0;
            let deeper = depth - 1 + u8::from(in_check && line < 40);
            let mut value = None;
            let mut is_done = false;
            if tried > 0 {
                // The first is probably best: the others have only to be shown worse, late ones less deep.
                let less = u8::from(is_quiet && !in_check && tried >= 4 && depth >= 3)
                    + u8::from(tried >= 12 && is_quiet && depth >= 5);
                value = self.after(&ply, white, deeper.saturating_sub(less), line, (alpha, alpha + 1))?;
                is_done = value.is_none_or(|value| value <= alpha || (value >= beta && less == 0));
            }
            if !is_done {
                value = self.after(&ply, white, deeper, line, (alpha, beta))?;
            }
            let Some(value) = value else { continue };
            tried += 1;
            if value > best {
                (best, best_name) = (value, short_name(&ply));
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                self.remember(&ply, is_quiet, depth, line);
                break;
            }
        }
        if tried == 0 {
            return Ok(self.value_of(self.variant.result_without_moves(&self.position), line));
        }
        let bound = if best >= beta {
            1
        } else if best > first_alpha {
            3
        } else {
            2
        };
        self.table[slot] = Entry { key, value: to_table(best, line) as i16, depth, bound, best: best_name };
        Ok(best)
    }

    /// Whether the side to move has more than royal pieces and pawns: else having to move may hurt.
    fn has_pieces(&self) -> bool {
        let own = self.position.occupied[usize::from(self.position.side())];
        own.into_iter()
            .filter(|square| {
                let piece = super::geometry::piece_of(self.position.cells[usize::from(*square)]).0;
                let piece = &self.variant.pieces[usize::from(piece)];
                !piece.royal && piece.promotion.is_none()
            })
            .count()
            >= 2
    }

    /// The value if the side to move did nothing.
    fn pass(&mut self, white: i32, depth: u8, line: u8, beta: i32) -> Result<i32, Stopped> {
        let tail = self.position.tail;
        self.position.tail.side = 1 - tail.side;
        (self.position.tail.passed, self.position.tail.victim) = ([255; 2], 255);
        self.position.tail.clock = 0;
        self.past.push(self.position.key(self.variant));
        let value = self.value(white, depth, line + 1, (-beta, 1 - beta), false);
        self.past.pop();
        self.position.tail = tail;
        value.map(|value| -value)
    }

    /// Only captures and promotions, until the board is quiet.
    fn quiet(
        &mut self,
        white: i32,
        line: u8,
        (mut alpha, beta): (i32, i32),
        left: u8,
    ) -> Result<i32, Stopped> {
        self.nodes += 1;
        if self.nodes > self.limit && !self.is_free {
            return Err(Stopped);
        }
        let standing = self.standing(white);
        if standing >= beta || left == 0 {
            return Ok(standing);
        }
        let mut best = standing;
        alpha = alpha.max(standing);
        let mut plies = Vec::with_capacity(64);
        self.variant.possible(&mut self.position, How::Compiled, &mut plies);
        plies.retain(|ply| ply.flags & (flags::TAKES | flags::PROMOTES) != 0);
        let mut order = self.order(&plies, None, line);
        let mut next = 0;
        while let Some(number) = pick(&mut order, &mut next) {
            let ply = plies[number];
            if standing + self.gain(&ply) + MARGIN <= alpha {
                continue;
            }
            let mover = self.position.side();
            let after = white + self.gain_white(&ply);
            let Some(undo) = self.variant.play_if_legal(&mut self.position, &ply, How::Compiled) else {
                continue;
            };
            let value = match self.variant.goal_reached(&self.position) {
                Some(outcome) => {
                    let value = self.value_of(outcome, line + 1);
                    Ok(if self.position.side() == mover { value } else { -value })
                }
                None if self.position.side() == mover => self.quiet(after, line + 1, (alpha, beta), left - 1),
                None => self.quiet(after, line + 1, (-beta, -alpha), left - 1).map(|value| -value),
            };
            self.position.undo(self.variant, &undo);
            let value = value?;
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        Ok(best)
    }

    /// How promising each move is: the table's, captures by what they win, killers, history.
    fn order(&self, plies: &[Ply], best: Option<u16>, line: u8) -> Vec<(i32, usize)> {
        let side = self.position.side();
        let score = |(number, ply): (usize, &Ply)| {
            let name = if best.is_some() || ply.flags == 0 { short_name(ply) } else { 0 };
            if best == Some(name) {
                return (1 << 30, number);
            }
            if ply.flags & (flags::TAKES | flags::PROMOTES) != 0 {
                let mover = self.worths.white(self.position.cells[usize::from(ply.src)], ply.src).abs();
                return ((1 << 24) + 8 * self.gain(ply) - mover, number);
            }
            let killers = self.killers[usize::from(line)];
            if killers.contains(&name) {
                return ((1 << 22) + i32::from(killers[0] == name), number);
            }
            let cells = self.variant.geometry.cells();
            let past = self.history[usize::from(ply.src) * cells + usize::from(ply.dest)];
            let gain = if side == 0 { self.gain_white(ply) } else { -self.gain_white(ply) };
            (past + gain, number)
        };
        plies.iter().enumerate().map(score).collect()
    }

    fn remember(&mut self, ply: &Ply, is_quiet: bool, depth: u8, line: u8) {
        if is_quiet {
            let cells = self.variant.geometry.cells();
            let place = &mut self.history[usize::from(ply.src) * cells + usize::from(ply.dest)];
            *place = (*place + i32::from(depth) * i32::from(depth)).min(1 << 20);
            let killers = &mut self.killers[usize::from(line)];
            let name = short_name(ply);
            if killers[0] != name {
                *killers = [name, killers[0]];
            }
        }
    }
}

/// The best of what is left, one after the other.
fn pick(order: &mut [(i32, usize)], next: &mut usize) -> Option<usize> {
    let rest = &mut order[*next..];
    let best = (0..rest.len()).max_by_key(|place| rest[*place].0)?;
    rest.swap(0, best);
    *next += 1;
    Some(rest[0].1)
}

fn to_table(value: i32, line: u8) -> i32 {
    if value.abs() > MATED { value + value.signum() * i32::from(line) } else { value }
}

fn from_table(value: i32, line: u8) -> i32 {
    if value.abs() > MATED { value - value.signum() * i32::from(line) } else { value }
}
