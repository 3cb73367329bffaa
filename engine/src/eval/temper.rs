//! What a style makes of a position beyond the weights: how it likes an emptier board, and being behind.

use super::accumulator::MaterialKey;
use super::blend::FULL_PHASE;
use super::text::{LineError, Table};
use crate::types::{Color, PieceType, Value};

/// From here on a position is not level any more, and how empty the board is no matter of taste.
const LEVEL_WITHIN: Value = 256;
/// Men of a full board: its phase and its pawns.
const FULL_BOARD: i32 = FULL_PHASE + 16;
/// Pawns, knights, bishops, rooks and queens as beginners learn them. Not weights: what a sacrifice is must
/// not change while the weights are tuned.
const PAWNS_WORTH: [i32; 5] = [1, 3, 3, 5, 9]; // [kind]
/// More than this is given for no attack.
const MOST_PAWNS_GIVEN: i32 = 3;

/// A taste for kinds of positions, of the engine's side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Temper {
    /// By how many centipawns a level position is better with nothing left on the board than with everything;
    /// negative: worse. In between by the men that are gone, and less the less level the position is.
    pub simplify: Value,
    /// How many centipawns each pawn of material that it is behind is worth to it, in the middlegame, up to
    /// three.
    pub gambit: Value,
    /// How many centipawns more a move is worth to it that offers material. Only a choice among its next moves: a
    /// search that counted on offers to come would see them everywhere.
    pub offer: Value,
}

impl Temper {
    pub(super) fn parse(temper: Table) -> Result<Temper, LineError> {
        temper.allow_only(
            |name| ["simplify", "gambit", "offer"].contains(&name),
            |name| format!("`{name}` is unknown in [temper]: remove it"),
        )?;
        Ok(Temper {
            // Less than the width of what is level: a better position must stay the better one.
            simplify: temper.get("simplify")?.integer(-200..201)? as Value,
            gambit: temper.get("gambit")?.integer(0..101)? as Value,
            offer: temper.find("offer").map_or(Ok(0), |offer| offer.integer(0..101))? as Value,
        })
    }

    /// By how much a side has less material, in pawns.
    #[inline(always)]
    pub(super) fn pawns_behind(material: MaterialKey, side: Color) -> i32 {
        let fewer = |kind| material.count(!side, kind) - material.count(side, kind);
        PieceType::ALL.into_iter().zip(PAWNS_WORTH).map(|(kind, worth)| worth * fewer(kind)).sum()
    }

    /// The value for the side `own`, whose temper it is.
    #[inline(always)]
    pub(super) fn color(self, value_own: Value, material: MaterialKey, phase: i32, own: Color) -> Value {
        let count = |color, kind| material.count(color, kind);
        let pawns = count(Color::White, PieceType::Pawn) + count(Color::Black, PieceType::Pawn);
        let gone = (FULL_BOARD - phase - pawns).max(0);
        let levelness = (LEVEL_WITHIN - value_own.abs()).max(0);
        let behind = Temper::pawns_behind(material, own);
        value_own
            + self.simplify * gone * levelness / (FULL_BOARD * LEVEL_WITHIN)
            + self.gambit * behind.clamp(0, MOST_PAWNS_GIVEN) * phase / FULL_PHASE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Board;

    fn colored(temper: Temper, value_own: Value, fen: &str, own: Color) -> Value {
        let material = MaterialKey::of(&Board::from_fen(fen).unwrap());
        let count = |kind| material.count(Color::White, kind) + material.count(Color::Black, kind);
        let phase = count(PieceType::Knight) + count(PieceType::Bishop) + 2 * count(PieceType::Rook);
        temper.color(value_own, material, phase + 4 * count(PieceType::Queen), own)
    }

    const FULL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const EMPTY: &str = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";
    const NO_QUEENS: &str = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1";

    #[test]
    fn an_emptier_board_is_liked_the_more_the_more_level_it_is() {
        let temper = Temper { simplify: 80, gambit: 0, offer: 0 };
        for own in Color::ALL {
            assert_eq!(colored(temper, 0, FULL, own), 0);
            assert_eq!(colored(temper, 0, NO_QUEENS, own), 16);
            assert_eq!(colored(temper, 0, EMPTY, own), 80);
            assert_eq!(colored(temper, 128, EMPTY, own), 168);
            assert_eq!(colored(temper, -400, EMPTY, own), -400);
        }
    }

    #[test]
    fn the_better_position_stays_the_better_one() {
        for simplify in [-200, 200] {
            let temper = Temper { simplify, gambit: 0, offer: 0 };
            let values = (-400..400).map(|value| colored(temper, value, EMPTY, Color::White));
            assert!(values.is_sorted());
        }
    }

    #[test]
    fn what_was_given_is_partly_regained_in_the_middlegame() {
        let temper = Temper { simplify: 0, gambit: 30, offer: 0 };
        let a_pawn_down = "rnbqkbnr/pppppppp/8/8/8/8/PPPPP1PP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(colored(temper, -100, a_pawn_down, Color::White), -70);
        assert_eq!(colored(temper, 100, a_pawn_down, Color::Black), 100);
        let a_rook_down = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w Qkq - 0 1";
        assert_eq!(colored(temper, -500, a_rook_down, Color::White), -500 + 90 * 22 / 24);
        assert_eq!(colored(temper, -100, "4k3/p7/8/8/8/8/8/4K3 w - - 0 1", Color::White), -100);
    }
}
