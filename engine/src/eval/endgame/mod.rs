//! Elementary endings: what is known about them without searching.
//!
//! [`recognise`] looks at the material and, where there is a rule for it, answers with an [`Ending`]: a
//! value that replaces the evaluation, or factors that shrink it. The numbers are set by hand and are no
//! part of the tuned weights: they only need the right order among each other.
//!
//! | material | answer | file |
//! | --- | --- | --- |
//! | mating pieces v K | a known win; drives the king to the edge and brings ours near | `lone_king` |
//! | BN v K | the same, to a corner of the bishop's colour, the knight following | `lone_king` |
//! | minor, NN, bishops of one colour v K; stalemate | draw | `lone_king` |
//! | P v K | solved by the bitbase | [`kpk`] |
//! | pawns v K, minors and pawns v K | a known win if one pawn would win alone or can be kept | `lone_king` |
//! | rook pawns, with or without the wrong bishop | draw where the king holds the corner | `fortress` |
//! | Q v R, B, N, P; R v B, N, P; Q v Q, R v R | a value: the lead and the way on, or near 0 | `duel` |
//! | P v P | a side whose pawn would not win alone cannot win | `fortress` |
//! | BP v B, BPP v B, RP v R, Q v R and pawns | the blockades and defences every book shows | `fortress` |
//! | a minor piece, or two knights, against anything | cannot win | `unwinnable` |
//!
//! What is a matter of degree (opposite bishops, few pawns or none, rooks on one wing) is not here: the
//! evaluation's scale factors weigh it, and are tuned.
//!
//! Three bands of values: from [`KNOWN_WIN`] up the game is won; a few hundred centipawns say that it
//! should be (queen against rook); near zero it should not. Known wins grow with the material first, so
//! that promoting a pawn always pays, and then with progress towards the mate.
//!
//! The rules are written once, for White to win, on a board turned by `view::View`; that makes them
//! the same for both colours. The evaluation calls [`recognise`] at every leaf, so everything with more
//! pieces than any ending here leaves after a few set operations.

mod duel;
mod fortress;
pub mod kpk;
mod lone_king;
mod material;
mod unwinnable;
mod view;

use crate::board::Board;
use crate::types::{Bitboard, Color, PieceType, Value};
use material::Material;
use view::View;

/// What is known about an ending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The value of the position, in centipawns from White's view: it replaces the evaluation.
    Value(Value),
    /// The evaluation stands, but where it favours a side only that side's factor of [`SCALE_FULL`] counts.
    Scale {
        /// `// [color that is ahead]` how much of its advantage counts; 0: it cannot win
        factors: [i32; 2],
    },
}

/// The factor of an advantage that counts in full.
pub const SCALE_FULL: i32 = 64;

/// From here up a value says: this is won, however long it takes.
pub const KNOWN_WIN: Value = 10_000;

/// More pieces than this (pawns and kings aside) belong to no ending known here, unless one side has
/// nothing but its king.
const MOST_PIECES: u32 = 4;

/// What is known about the position, if it is one of the elementary endings.
#[inline]
pub fn recognise(board: &Board) -> Option<Ending> {
    if may_be_elementary(board) { judge(board) } else { None }
}

/// A quick look that lets every ending with a rule through, and hardly anything else.
#[inline(always)]
fn may_be_elementary(board: &Board) -> bool {
    let [white, black] = [board.by_color(Color::White), board.by_color(Color::Black)];
    if !white.several() || !black.several() {
        return true;
    }
    let pawns = board.by_kind(PieceType::Pawn);
    let pieces = (white | black) - pawns - board.by_kind(PieceType::King);
    if pieces.count() > MOST_PIECES {
        return false;
    }
    // With pawns on both sides there is pawn against pawn, and the corner of a rook pawn.
    let on_rook_file =
        |set: Bitboard| (set - Bitboard::FILE_A).is_empty() || (set - Bitboard::FILE_H).is_empty();
    on_rook_file(pawns & white) || on_rook_file(pawns & black) || (white | black).count() == 4
}

fn judge(board: &Board) -> Option<Ending> {
    let material = Color::ALL.map(|color| Material::count(board, color));
    let mut factors = [SCALE_FULL; 2];
    for strong in Color::ALL {
        let view = View { board, strong };
        let (own, other) = (material[strong.index()], material[(!strong).index()]);
        if other == Material::NONE {
            return lone_king::judge(view, own);
        }
        if let Some(ending) = duel::judge(view, own, other) {
            return Some(ending);
        }
        let limit = fortress::limit(view, own, other).or_else(|| unwinnable::limit(own));
        factors[strong.index()] = limit.unwrap_or(SCALE_FULL);
    }
    (factors != [SCALE_FULL; 2]).then_some(Ending::Scale { factors })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Setup;
    use crate::types::{Piece, Square};
    use rand::{RngExt, SeedableRng};

    #[test]
    fn the_quick_look_hides_no_rule() {
        let mut rng = rand_pcg::Pcg64Mcg::seed_from_u64(3);
        let (mut let_through, mut refused) = (0, 0);
        let empty = Setup::EMPTY;
        for _ in 0..200_000 {
            // Every second man a pawn; kings go last, to where the board is free.
            let mut setup = empty.clone();
            for color in Color::ALL {
                for _ in 0..rng.random_range(0..=4) {
                    let kind = PieceType::ALL[if rng.random() { 0 } else { rng.random_range(1..5) }];
                    let square = rng.random_range(if kind == PieceType::Pawn { 8..56 } else { 0..64 });
                    setup.pieces[square] = Some(Piece::new(color, kind));
                }
            }
            for color in Color::ALL {
                let free = Square::all().filter(|at| setup.pieces[at.index()].is_none()).count();
                let chosen = rng.random_range(0..free);
                let place = setup.pieces.iter_mut().filter(|place| place.is_none()).nth(chosen);
                *place.expect("a free square") = Some(Piece::new(color, PieceType::King));
            }
            let board = Board::from_setup(&setup);
            let pieces = board.occupied() - board.by_kind(PieceType::Pawn) - board.by_kind(PieceType::King);
            if may_be_elementary(&board) {
                let_through += 1;
            } else if pieces.count() <= MOST_PIECES {
                assert_eq!(judge(&board), None, "{setup:?}");
                refused += 1;
            }
        }
        assert!(let_through > 20_000 && refused > 20_000, "{let_through} let through, {refused} refused");
    }
}
