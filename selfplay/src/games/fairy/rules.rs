//! What can be done in a position, what is legal, and how a game ends.

use super::commit::{Proposal, neighbours};
use super::geometry::{Bits, piece_of};
use super::pipeline::{Capture, Scene, run_line};
use super::ply::{Ply, flags};
use super::position::{Position, Undo};
use super::variant::{Castling, Stalemate, Variant};
use crate::Outcome;
use engine::types::Color;

/// Who works out what pieces can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// The tables, as far as they go.
    Compiled,
    /// The interpreter, line by line: the oracle.
    Interpreted,
}

/// The colour of a side's number.
pub const fn color_of(side: u8) -> Color {
    if side == 0 { Color::White } else { Color::Black }
}

impl Variant {
    fn scene<'a>(&self, position: &'a Position, side: u8) -> Scene<'a> {
        Scene {
            geometry: self.geometry,
            cells: &position.cells,
            side,
            passed: position.tail.passed,
            victim: position.tail.victim,
            royals: position.royals[usize::from(side)],
        }
    }

    /// The type whose moves a piece has: its own, or for a joker that of the other side's last mover.
    fn acts_as(&self, position: &Position, piece: u8, side: u8) -> Option<u8> {
        if !self.pieces[usize::from(piece)].joker {
            return Some(piece);
        }
        let copied = position.tail.last[usize::from(1 - side)];
        (copied != 255 && !self.pieces[usize::from(copied)].joker).then_some(copied)
    }

    fn is_frozen(&self, position: &Position, square: u8, piece: u8, side: u8) -> bool {
        neighbours(self, square).any(|near| {
            let cell = position.cells[usize::from(near)];
            cell != 0
                && piece_of(cell).1 != side
                && self.pieces[usize::from(piece_of(cell).0)].freezes >> piece & 1 == 1
        })
    }

    /// Adds what a piece can do, legal or not.
    pub fn moves_of(&self, position: &Position, src: u8, how: How, plies: &mut Vec<Ply>) {
        let (kind, side) = piece_of(position.cells[usize::from(src)]);
        let Some(piece) = self.acts_as(position, kind, side) else { return };
        if self.has_freezers && self.is_frozen(position, src, kind, side) {
            return;
        }
        let begin = plies.len();
        let program = self.tables.get(piece, side, src);
        let lines = &self.pieces[usize::from(piece)].lines;
        let interpreted: Vec<usize> = match how {
            How::Compiled => {
                program.walk(&self.tables, position, src, side, |found| {
                    let capture = [Capture { square: found.victim, necessary: true }];
                    let captures = if found.victim == 255 { &capture[..0] } else { &capture[..] };
                    let proposal = Proposal { src, dest: found.dest, captures, passed: found.passed, piece };
                    self.commit(position, &proposal, &mut |ply| plies.push(ply));
                });
                program.interpreted.iter().map(|number| usize::from(*number)).collect()
            }
            How::Interpreted => (0..lines.len()).collect(),
        };
        let scene = self.scene(position, side);
        for number in &interpreted {
            for one in run_line(&scene, src, &lines[*number]) {
                let proposal =
                    Proposal { src, dest: one.dest, captures: &one.captures, passed: one.passed, piece };
                self.commit(position, &proposal, &mut |ply| plies.push(ply));
            }
        }
        if program.repeats || how == How::Interpreted {
            without_repeats(plies, begin);
        }
    }

    /// Adds all that the side to move can do, legal or not.
    pub fn possible(&self, position: &mut Position, how: How, plies: &mut Vec<Ply>) {
        for src in position.occupied[usize::from(position.side())] {
            self.moves_of(position, src, how, plies);
        }
        for number in 0..self.castlings.len() {
            if position.tail.rights >> number & 1 == 1 && self.castlings[number].side == position.side() {
                plies.extend(self.castle(position, &self.castlings[number], how));
            }
        }
    }

    /// King and rook are there, nothing stands between, and no square the king passes is attacked.
    fn castle(&self, position: &mut Position, castling: &Castling, how: How) -> Option<Ply> {
        let Castling { king, rook, side, .. } = *castling;
        let own = position.occupied[usize::from(side)];
        let is_there = own.has(rook.0) && position.royals[usize::from(side)].has(king.0);
        let between = |(from, to): (u8, u8)| from.min(to)..=from.max(to);
        let is_free =
            |square: u8| square == king.0 || square == rook.0 || position.cells[usize::from(square)] == 0;
        if !is_there || !between(king).all(is_free) || !between(rook).all(is_free) {
            return None;
        }
        if !between((king.0, rook.0)).all(is_free) {
            return None;
        }
        let cell = position.cells[usize::from(king.0)];
        let mut passing = position.clone();
        for square in between(king) {
            passing.put(self, king.0, 0);
            if square == king.0 || passing.cells[usize::from(square)] == 0 {
                passing.put(self, square, cell);
                let target = Bits::from_iter([square]);
                if self.takes_any(&passing, target, 1 - side, how) {
                    return None;
                }
                passing.put(self, square, 0);
            }
        }
        let end =
            |square: u8| if self.geometry.boards == 2 { self.geometry.other_board(square) } else { square };
        if self.geometry.boards == 2
            && [king.1, rook.1].iter().any(|to| position.cells[usize::from(end(*to))] != 0)
        {
            return None;
        }
        let mut ply = Ply::new(king.0, end(king.1), piece_of(cell).0);
        ply.flags = flags::CASTLES;
        ply.set(king.0, 0);
        ply.set(rook.0, 0);
        ply.set(end(king.1), cell);
        ply.set(end(rook.1), position.cells[usize::from(rook.0)]);
        Some(ply)
    }

    /// Whether a side could take something on one of these squares, if it were its turn.
    pub fn takes_any(&self, position: &Position, targets: Bits, by: u8, how: How) -> bool {
        position.occupied[usize::from(by)].into_iter().any(|src| self.takes(position, src, targets, how))
    }

    fn takes(&self, position: &Position, src: u8, targets: Bits, how: How) -> bool {
        let (kind, side) = piece_of(position.cells[usize::from(src)]);
        let Some(piece) = self.acts_as(position, kind, side) else { return false };
        let program = self.tables.get(piece, side, src);
        if how == How::Compiled && !program.reach.meets(targets) {
            return false;
        }
        if how == How::Compiled && program.interpreted.is_empty() {
            return !(self.has_freezers && self.is_frozen(position, src, kind, side))
                && program.takes(&self.tables, position, src, side, targets);
        }
        let mut plies = Vec::new();
        self.moves_of(position, src, how, &mut plies);
        let is_taken =
            |change: &(u8, u8)| targets.has(change.0) && (change.1 == 0 || piece_of(change.1).1 == side);
        plies.iter().any(|ply| ply.changes().iter().any(is_taken))
    }

    /// Whether a side's royal pieces could be taken now.
    pub fn in_check(&self, position: &Position, side: u8, how: How) -> bool {
        let royals = position.royals[usize::from(side)];
        !royals.is_empty() && self.takes_any(position, royals, 1 - side, how)
    }

    /// Plays a move as far as legality depends on it. [`Variant::settle`] does the rest.
    pub fn advance(&self, position: &mut Position, ply: &Ply) -> Undo {
        let undo = position.change(self, ply);
        let side = position.tail.side;
        let victim_is_own =
            position.tail.victim != 255 && position.occupied[usize::from(side)].has(position.tail.victim);
        let tail = &mut position.tail;
        for (square, _) in ply.changes() {
            tail.rights &= !self.rights_lost[usize::from(*square)];
        }
        if ply.passed[0] != 255 {
            (tail.passed, tail.victim) = (ply.passed, ply.dest);
        } else if !(tail.left == 1 && self.moves_a_turn > 1 && victim_is_own) {
            (tail.passed, tail.victim) = ([255; 2], 255);
        }
        if self.has_jokers {
            tail.last[usize::from(side)] = ply.piece;
        }
        let progresses = ply.flags & (flags::TAKES | flags::PROMOTES) != 0
            || self.pieces[usize::from(ply.piece)].promotion.is_some();
        tail.clock = if progresses { 0 } else { tail.clock.saturating_add(1) };
        if tail.left > 1 {
            tail.left -= 1;
        } else {
            (tail.side, tail.left) = (1 - side, self.moves_a_turn);
            tail.number = tail.number.saturating_add(1);
        }
        undo
    }

    /// What a move means that gave check: it is counted, and ends a turn.
    pub fn settle(&self, position: &mut Position, mover: u8, how: How) {
        if self.goals.checks == 0 && self.moves_a_turn == 1 {
            return;
        }
        if self.in_check(position, 1 - mover, how) {
            let tail = &mut position.tail;
            tail.checks[usize::from(mover)] = tail.checks[usize::from(mover)].saturating_add(1);
            if tail.side == mover {
                (tail.side, tail.left) = (1 - mover, self.moves_a_turn);
                tail.number = tail.number.saturating_add(1);
            }
        }
    }

    /// Plays a move, if it is legal: no own royal piece is lost, or could be taken next.
    pub fn play_if_legal(&self, position: &mut Position, ply: &Ply, how: How) -> Option<Undo> {
        let mover = position.side();
        let royals = position.royals[usize::from(mover)].count();
        if royals > 0 && self.geometry.boards == 2 && !self.is_legal_before_transfer(position, ply, how) {
            return None;
        }
        let undo = self.advance(position, ply);
        let is_legal = royals == 0
            || (position.royals[usize::from(mover)].count() >= royals
                && !self.in_check(position, mover, how));
        if !is_legal {
            position.undo(self, &undo);
            return None;
        }
        self.settle(position, mover, how);
        Some(undo)
    }

    /// Alice chess: the move must be legal on its own board first.
    fn is_legal_before_transfer(&self, position: &mut Position, ply: &Ply, how: How) -> bool {
        let mover = position.side();
        let mut here = Ply::new(ply.src, ply.dest, ply.piece);
        let mut fits = true;
        for &(square, cell) in ply.changes() {
            let is_arrival = cell != 0;
            let place = if is_arrival { self.geometry.other_board(square) } else { square };
            fits &= here.set(place, cell);
        }
        // A capture on the destination comes first in the list of changes or last: the piece that arrives has the last word.
        for &(square, cell) in ply.changes().iter().filter(|change| change.1 != 0) {
            fits &= here.set(self.geometry.other_board(square), cell);
        }
        let undo = position.change(self, &here);
        let is_legal = fits && !self.in_check(position, mover, how);
        position.undo(self, &undo);
        is_legal
    }

    /// All legal moves, in an order that never changes, each result once.
    pub fn legal(&self, position: &Position, how: How) -> Vec<Ply> {
        let mut position = position.clone();
        if self.goal_reached(&position).is_some() {
            return Vec::new();
        }
        let mut plies = Vec::new();
        self.possible(&mut position, how, &mut plies);
        plies.retain(|ply| match self.play_if_legal(&mut position, ply, how) {
            Some(undo) => {
                position.undo(self, &undo);
                true
            }
            None => false,
        });
        plies.sort_by(|one, other| one.rank().cmp(&other.rank()));
        plies.dedup();
        // Moves that change nothing are all the same.
        let mut passes = 0;
        plies.retain(|ply| {
            passes += usize::from(ply.changes().is_empty());
            !ply.changes().is_empty() || passes == 1
        });
        plies
    }

    /// Who has won by something else than mate.
    pub fn goal_reached(&self, position: &Position) -> Option<Outcome> {
        let goals = &self.goals;
        let win_for = |side: u8| Some(Outcome::win_for(color_of(side)));
        // Who moved last comes first.
        let mover = 1 - position.side();
        for side in [mover, 1 - mover] {
            if goals.checks > 0 && position.tail.checks[usize::from(side)] >= goals.checks {
                return win_for(side);
            }
            if let Some((types, squares)) = goals.reach
                && position.occupied[usize::from(side)].into_iter().any(|square| {
                    let seen = if side == 0 { square } else { self.geometry.mirrored(square) };
                    squares.has(seen) && types >> piece_of(position.cells[usize::from(square)]).0 & 1 == 1
                })
            {
                return win_for(side);
            }
            if goals.capture_all && position.occupied[usize::from(1 - side)].is_empty() {
                return win_for(side);
            }
        }
        match [self.is_bare(position, 0), self.is_bare(position, 1)] {
            [true, false] if goals.bare_king => win_for(1),
            [false, true] if goals.bare_king => win_for(0),
            _ => None,
        }
    }

    /// Whether a side has nothing but royal pieces.
    pub fn is_bare(&self, position: &Position, side: u8) -> bool {
        let royals = position.royals[usize::from(side)];
        !royals.is_empty() && royals == position.occupied[usize::from(side)]
    }

    /// Whether nobody can win any more.
    pub fn is_dead(&self, position: &Position) -> bool {
        let is_mate_all = self.goals.reach.is_none() && self.goals.checks == 0;
        is_mate_all && self.is_bare(position, 0) && self.is_bare(position, 1)
    }

    /// The result where the side to move cannot.
    pub fn result_without_moves(&self, position: &Position) -> Outcome {
        let side = position.side();
        let lost = Outcome::win_for(color_of(1 - side));
        if self.in_check(position, side, How::Compiled) {
            return lost;
        }
        match self.goals.stalemate {
            Stalemate::Draw => Outcome::Draw,
            Stalemate::Loss => lost,
            Stalemate::Win => Outcome::win_for(color_of(side)),
        }
    }

    /// Nodes at a depth.
    pub fn perft(&self, position: &mut Position, depth: u32, how: How) -> u64 {
        if depth == 0 {
            return 1;
        }
        if self.goal_reached(position).is_some() {
            return 0;
        }
        let mut plies = Vec::new();
        self.possible(position, how, &mut plies);
        let mut nodes = 0;
        for ply in &plies {
            if let Some(undo) = self.play_if_legal(position, ply, how) {
                nodes += if depth == 1 { 1 } else { self.perft(position, depth - 1, how) };
                position.undo(self, &undo);
            }
        }
        nodes
    }
}

/// Leaves of equal moves from a place on only the first.
fn without_repeats(plies: &mut Vec<Ply>, begin: usize) {
    let mut kept = begin;
    for number in begin..plies.len() {
        if !plies[begin..kept].contains(&plies[number]) {
            plies[kept] = plies[number];
            kept += 1;
        }
    }
    plies.truncate(kept);
}
