//! The end of every line: captures that cannot be, what burns, promotion, the other board; then the move is done.

use super::geometry::{cell_of, piece_of};
use super::pipeline::Capture;
use super::ply::{Ply, flags};
use super::position::Position;
use super::variant::Variant;

/// A move that went through its line.
#[derive(Clone, Copy)]
pub struct Proposal<'a> {
    /// From here.
    pub src: u8,
    /// To here.
    pub dest: u8,
    /// What is taken.
    pub captures: &'a [Capture],
    /// Squares passed by a double step.
    pub passed: [u8; 2],
    /// The type it moved like.
    pub piece: u8,
}

/// The squares next to one, in all eight directions.
pub fn neighbours(variant: &Variant, square: u8) -> impl Iterator<Item = u8> + '_ {
    (0..9)
        .filter(|number| *number != 4)
        .filter_map(move |number: i8| variant.geometry.step(square, (number % 3 - 1, number / 3 - 1)))
}

impl Variant {
    /// Hands on the moves that a proposal becomes: none, one, or one for each promotion.
    pub fn commit(&self, position: &Position, proposal: &Proposal, out: &mut impl FnMut(Ply)) {
        let Proposal { src, dest, captures, passed, piece } = *proposal;
        let cell = position.cells[usize::from(src)];
        let (mover, side) = piece_of(cell);
        let is_iron = |square: u8| {
            let held = position.cells[usize::from(square)];
            held != 0 && self.pieces[usize::from(piece_of(held).0)].iron
        };
        if self.has_iron && captures.iter().any(|capture| capture.necessary && is_iron(capture.square)) {
            return;
        }
        let is_taken = |square| captures.iter().any(|capture| capture.square == square);
        if dest != src && position.cells[usize::from(dest)] != 0 && !is_taken(dest) {
            return;
        }
        let end = if self.geometry.boards == 2 { self.geometry.other_board(dest) } else { dest };
        if end != dest && position.cells[usize::from(end)] != 0 {
            return;
        }
        let mut ply = Ply::new(src, end, piece);
        ply.passed = passed;
        let mut fits = end == src || ply.set(src, 0);
        for capture in captures {
            if !(self.has_iron && is_iron(capture.square)) {
                fits &= ply.set(capture.square, 0);
                ply.flags |= flags::TAKES;
            }
        }
        let vanishes = self.has_burners && self.burn(position, dest, cell, &mut ply, &mut fits);
        if vanishes {
            fits &= ply.set(end, 0);
            ply.passed = [255; 2];
            return if fits {
                out(ply)
            };
        }
        let rank = self.geometry.rank_for(dest, side);
        let promotion = self.pieces[usize::from(mover)].promotion.as_ref().filter(|it| rank >= it.from);
        if let Some(promotion) = promotion {
            for &to in &promotion.to {
                let mut promoted = ply;
                promoted.flags |= flags::PROMOTES;
                if promoted.set(end, cell_of(to, side)) && fits {
                    out(promoted);
                }
            }
            if rank >= promotion.must {
                return;
            }
        }
        if (end == src || ply.set(end, cell)) && fits {
            out(ply);
        }
    }

    /// Enemies that burn take whoever comes next to them; who burns takes all enemies next to its place. Whether the
    /// piece that moved vanishes.
    fn burn(&self, position: &Position, dest: u8, cell: u8, ply: &mut Ply, fits: &mut bool) -> bool {
        let (mover, side) = piece_of(cell);
        let stays = |square: u8| {
            let held = position.cells[usize::from(square)];
            let gone = ply.changes().iter().any(|change| change.0 == square);
            (held != 0 && !gone).then(|| piece_of(held)).filter(|held| held.1 != side)
        };
        let near: Vec<(u8, u8)> =
            neighbours(self, dest).filter_map(|square| stays(square).map(|held| (square, held.0))).collect();
        let has =
            |piece: u8, is: fn(&super::variant::PieceType) -> bool| is(&self.pieces[usize::from(piece)]);
        if !has(mover, |piece| piece.iron) && near.iter().any(|(_, held)| has(*held, |piece| piece.burns)) {
            return true;
        }
        if has(mover, |piece| piece.burns) {
            for (square, _) in near.into_iter().filter(|(_, held)| !has(*held, |piece| piece.iron)) {
                *fits &= ply.set(square, 0);
                ply.flags |= flags::TAKES;
            }
        }
        false
    }
}
