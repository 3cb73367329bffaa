//! The one list of weights. Everything else about them (the struct, their number, their names, the
//! file format, the tuner's vector) follows from it.
//!
//! A new term is one line here and one line where it is counted:
//! `side.add(&p.bishop_pair, 1)`.
//!
//! The values are those of the first day, set by hand: round numbers, and formulas in
//! [`defaults`](super::defaults). The weights that the engine plays with are in `data/champion/`.

use super::defaults::{self, s};
use super::list::{Field, Role, Weight, eval_params};
use super::score::Score;

eval_params! {
    Linear "Material" {
        /// `// [kind]` pawn to queen
        piece_value: [Score; 5] = [s(100, 100), s(320, 320), s(330, 330), s(500, 500), s(900, 900)];
        /// Bishops on both colours.
        bishop_pair: Score = s(30, 45);
        /// `// [kind]` knight, rook, queen: a second one of the same kind has less left to do
        material_pair: [Score; 3] = [s(-5, -5), s(-10, -15), s(-20, -20)];
        /// `// [pair of kinds]` own pieces beside each other, every one of the first with every one of the
        /// second: NP, BP, BN, RP, RN, RB, QP, QN, QB, QR
        material_with: [Score; 10] =
            [s(2, 2), s(0, 0), s(0, 0), s(-2, -1), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(-5, -5)];
        /// `// [pair of kinds]` own pieces of the first kind against enemy pieces of the second; same order
        material_against: [Score; 10] =
            [s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(5, 5), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(5, 5)];
    }
    Linear "Piece squares" {
        /// `// [kind][square]` pawn to queen, as the side sees the board, mirrored so that its king
        /// stands on the files e to h
        psqt: [[Score; 64]; 5] = defaults::PSQT;
        /// `// [rank * 4 + file]` the king, its file counted from e to h after the same mirroring
        king_square: [Score; 32] = defaults::KING_SQUARE;
        /// `// [kind][square]` pawn to queen, besides, where the kings stand on opposite wings: what attacks
        /// there and what defends are not the same men
        psqt_apart: [[Score; 64]; 5] = [[s(0, 0); 64]; 5];
    }
    Linear "Pawns" {
        /// No own pawn on the files beside it.
        pawn_isolated: Score = s(-10, -12);
        /// Every own neighbour has gone ahead, and its next step is stopped or attacked by a pawn.
        pawn_backward: Score = s(-8, -10);
        /// Isolated or backward, with no enemy pawn ahead to hide it from rooks.
        pawn_exposed: Score = s(-10, -8);
        /// An own pawn right behind it.
        pawn_doubled: Score = s(-8, -20);
        /// `// [rank]` second to seventh: an own pawn right beside it
        pawn_phalanx: [Score; 6] = [s(3, 0), s(6, 4), s(12, 10), s(22, 25), s(45, 60), s(70, 90)];
        /// `// [rank]` third to seventh: per own pawn that guards it
        pawn_guarded: [Score; 5] = [s(8, 5), s(10, 8), s(15, 15), s(30, 35), s(50, 60)];
        /// `// [rank]` second to fifth: not passed, but helpers enough to become so
        pawn_candidate: [Score; 4] = [s(0, 3), s(2, 6), s(6, 14), s(12, 30)];
        /// Groups of pawns on neighbouring files, beyond the first.
        pawn_islands: Score = s(-3, -6);
    }
    Linear "Passed pawns" {
        /// `// [rank]` second to seventh
        passed_rank: [Score; 6] = [s(0, 8), s(2, 12), s(8, 25), s(25, 50), s(60, 95), s(110, 160)];
        /// `// [distance of the file from the edge]`
        passed_file: [Score; 4] = [s(0, 10), s(0, 5), s(-5, 0), s(-8, -5)];
        /// `// [rank]` an enemy piece stands on its next square
        passed_blocked: [Score; 6] = [s(0, -4), s(0, -6), s(-4, -12), s(-10, -22), s(-20, -45), s(-35, -75)];
        /// `// [rank]` its next square is not attacked
        passed_safe_step: [Score; 6] = [s(0, 2), s(0, 4), s(4, 8), s(8, 15), s(15, 28), s(25, 45)];
        /// `// [rank]` no square on its way is occupied or attacked
        passed_free_path: [Score; 6] = [s(0, 2), s(0, 4), s(4, 10), s(10, 25), s(25, 50), s(45, 90)];
        /// `// [rank]` its next square is guarded by an own piece or pawn
        passed_guarded: [Score; 6] = [s(0, 1), s(0, 2), s(3, 4), s(8, 10), s(18, 20), s(30, 30)];
        /// `// [rank]` per king step (five at most) from the own king to its next square
        passed_own_king: [Score; 6] = [s(0, 0), s(0, -1), s(0, -3), s(0, -6), s(0, -9), s(0, -10)];
        /// `// [rank]` per king step (five at most) from the enemy king to its next square
        passed_enemy_king: [Score; 6] = [s(0, 0), s(0, 2), s(0, 5), s(0, 10), s(0, 16), s(0, 20)];
        /// An own rook behind it on its file.
        passed_rook_behind: Score = s(8, 15);
        /// An enemy rook behind it on its file.
        passed_enemy_rook_behind: Score = s(-8, -18);
        /// The enemy has only pawns, and his king cannot reach its square.
        passed_unstoppable: Score = s(0, 300);
    }
    Linear "Shelter" {
        /// `// [distance of the file from the edge][rank of the nearest own pawn, 0 for none]`
        king_shelter: [[Score; 7]; 4] = defaults::KING_SHELTER;
        /// `// [distance of the file from the edge][rank of the nearest enemy pawn, 0 for none]`
        king_storm: [[Score; 7]; 4] = defaults::KING_STORM;
        /// `// [rank of the nearest enemy pawn]` third to seventh: instead, if an own pawn stands right in
        /// its way
        king_storm_blocked: [Score; 5] = [s(-20, -15), s(-6, -8), s(-2, -4), s(0, -2), s(0, 0)];
        /// `// [wing]` king side, queen side: the right to castle
        king_may_castle: [Score; 2] = [s(20, 0), s(12, 0)];
        /// No pawn of either side on the king's flank.
        king_pawnless_flank: Score = s(-12, -45);
        /// Per king step to the nearest pawn.
        king_pawn_distance: Score = s(0, -8);
    }
    Linear "Mobility" {
        /// `// [squares]` safe squares a knight may go to
        mobility_knight: [Score; 9] = defaults::MOBILITY_KNIGHT;
        /// `// [squares]`
        mobility_bishop: [Score; 14] = defaults::MOBILITY_BISHOP;
        /// `// [squares]`
        mobility_rook: [Score; 15] = defaults::MOBILITY_ROOK;
        /// `// [squares]`
        mobility_queen: [Score; 28] = defaults::MOBILITY_QUEEN;
    }
    Linear "Pieces" {
        /// `// [kind]` knight, bishop: on a square guarded by a pawn that no enemy pawn can ever attack
        outpost: [Score; 2] = [s(28, 18), s(18, 10)];
        /// `// [kind]` knight, bishop: such a square is one move away
        outpost_reachable: [Score; 2] = [s(14, 8), s(6, 3)];
        /// `// [kind]` knight, bishop: a pawn stands right in front
        minor_behind_pawn: [Score; 2] = [s(8, 2), s(8, 2)];
        /// `// [kind]` knight, bishop: per king step from its own king
        minor_far_from_king: [Score; 2] = [s(-3, -3), s(-2, -2)];
        /// Per own pawn on the bishop's colour, once more for every blocked one on the files c to f.
        bishop_bad: Score = s(-2, -3);
        /// Per enemy pawn on the bishop's diagonals, seen through everything.
        bishop_pawns_on_diagonals: Score = s(-2, -3);
        /// Sees both central squares of a long diagonal, pawns permitting.
        bishop_long_diagonal: Score = s(20, 5);
        /// On a7, h7 or one square from there, shut in by an enemy pawn.
        bishop_trapped: Score = s(-80, -80);
        /// No pawn on its file.
        rook_open_file: Score = s(28, 12);
        /// No own pawn on its file.
        rook_half_open_file: Score = s(12, 8);
        /// On the seventh rank while the enemy king is on the eighth or there are pawns to take.
        rook_on_seventh: Score = s(10, 20);
        /// Shares its file with a queen.
        rook_on_queen_file: Score = s(5, 5);
        /// Shut in beside its own king; twice if that king may no longer castle.
        rook_trapped: Score = s(-25, -6);
        /// An enemy bishop or rook would attack the queen if the one piece between were gone.
        queen_exposed: Score = s(-25, -8);
    }
    Danger "King attack" {
        /// What an attack must overcome before it counts.
        king_attack_base: Score = s(-30, -20);
        /// `// [number of pieces that attack the inner ring, less one]` the last for four and more
        king_attack_number: [Score; 4] = [s(0, 0), s(50, 15), s(100, 30), s(140, 45)];
        /// `// [kind]` knight to queen: per piece that attacks the inner ring
        king_attack_piece: [Score; 4] = [s(30, 10), s(20, 8), s(25, 10), s(15, 15)];
        /// Per attack on a square of the inner ring.
        king_attack_inner: Score = s(22, 8);
        /// Per attacked square of the outer ring.
        king_attack_outer: Score = s(4, 2);
        /// Per attacked square of the inner ring that at most the king and queen defend.
        king_attack_weak: Score = s(40, 18);
        /// `// [kind][one or several]` knight to queen: squares to give check from unpunished
        king_attack_safe_check: [[Score; 2]; 4] = [
            [s(170, 60), s(250, 90)],
            [s(120, 50), s(170, 75)],
            [s(210, 90), s(310, 130)],
            [s(170, 80), s(250, 120)],
        ];
        /// Per square to give check from that is defended.
        king_attack_unsafe_check: Score = s(22, 8);
        /// Per piece pinned to the king.
        king_attack_pinned: Score = s(30, 12);
        /// Per attack on the king's flank, twice where attacked twice.
        king_attack_flank: Score = s(4, 1);
        /// Per defended square on the king's flank.
        king_attack_flank_defended: Score = s(-2, -1);
        /// Per file before the king without an own pawn near.
        king_attack_gap: Score = s(30, 5);
        /// A knight of the defender's guards the inner ring.
        king_attack_knight_guards: Score = s(-25, -10);
        /// The attacker has no queen.
        king_attack_no_queen: Score = s(-170, -60);
    }
    Linear "Threats" {
        /// Per piece attacked by a pawn that is itself safe.
        threat_by_pawn: Score = s(60, 40);
        /// Per piece that a safe step of a pawn would attack.
        threat_by_push: Score = s(18, 15);
        /// `// [kind of the victim]` pawn to queen: attacked by a knight or bishop
        threat_by_minor: [Score; 5] = [s(4, 12), s(22, 16), s(26, 20), s(40, 40), s(36, 50)];
        /// `// [kind of the victim]` pawn to queen: weakly defended and attacked by a rook
        threat_by_rook: [Score; 5] = [s(2, 16), s(16, 25), s(18, 22), s(0, 14), s(24, 16)];
        /// The king attacks something weakly defended.
        threat_by_king: Score = s(12, 40);
        /// Per enemy piece attacked and not defended, or attacked twice and weakly defended.
        threat_hanging: Score = s(32, 18);
        /// Per attacked enemy piece with one defender and no more.
        threat_overloaded: Score = s(6, 5);
        /// Per attacked enemy piece or pawn that a queen defends.
        threat_guarded_by_queen: Score = s(6, 2);
        /// Per square that the enemy attacks and may not safely use.
        threat_restricted: Score = s(3, 3);
        /// A knight may go where it attacks the queen, safely.
        threat_knight_on_queen: Score = s(8, 6);
        /// Per square from which a bishop or rook may attack the queen, safely.
        threat_slider_on_queen: Score = s(25, 10);
    }
    Linear "Space" {
        /// Per unit of room behind the own pawns, see the term.
        space: Score = s(4, 0);
    }
    Linear "Tempo" {
        /// The right to move.
        tempo: Score = s(20, 10);
    }
    Initiative "Initiative" {
        /// What a position must offer before an advantage grows.
        initiative_base: Score = s(0, -55);
        /// Per pawn.
        initiative_pawn: Score = s(0, 5);
        /// Per passed pawn.
        initiative_passed: Score = s(0, 5);
        /// Per file that the kings are apart, less the ranks.
        initiative_outflanking: Score = s(0, 4);
        /// Pawns on both wings.
        initiative_both_flanks: Score = s(0, 14);
        /// A king beyond the middle of the board.
        initiative_infiltration: Score = s(0, 12);
        /// No pieces.
        initiative_pawn_ending: Score = s(0, 30);
        /// Kings face each other with pawns on one wing only.
        initiative_almost_unwinnable: Score = s(0, -20);
    }
    Scale "Scale" {
        /// `// [own pawns]` the last for four and more
        scale_pawns: [Score; 5] = [s(64, 40), s(64, 48), s(64, 56), s(64, 62), s(64, 64)];
        /// No pawns, and no more than a bishop ahead: with less than a rook; with a rook or more.
        scale_no_pawns: [Score; 2] = [s(64, 2), s(64, 14)];
        /// Bishops of opposite colours and nothing else but pawns.
        scale_opposite_bishops: Score = s(64, 22);
        /// And more for every passed pawn.
        scale_opposite_bishops_passed: Score = s(0, 7);
        /// Bishops of opposite colours among other pieces.
        scale_opposite_bishops_pieces: Score = s(64, 48);
        /// Rook against rook, all pawns on one wing, at most one pawn ahead.
        scale_rooks_one_flank: Score = s(64, 44);
    }
}

impl EvalParams {
    /// The flat index of a weight, from its place inside this struct.
    #[inline(always)]
    pub fn index_of(&self, weight: &Score) -> usize {
        let place = std::ptr::from_ref(weight).addr() - std::ptr::from_ref(self).addr();
        debug_assert!(place < size_of::<EvalParams>(), "the weight is another struct's");
        place / size_of::<Score>()
    }

    /// All weights as one vector, in the order of the list.
    pub fn to_vec(&self) -> Vec<Score> {
        let mut flat = Vec::with_capacity(Self::COUNT);
        self.visit(&mut |weight| flat.push(*weight));
        flat
    }

    /// The weights from one vector of [`EvalParams::COUNT`] scores, in the order of the list.
    pub fn from_vec(flat: &[Score]) -> EvalParams {
        assert_eq!(flat.len(), Self::COUNT);
        let mut params = EvalParams::default();
        let mut next = flat.iter();
        params.visit_mut(&mut |weight| *weight = next.next().copied().unwrap_or_default());
        params
    }

    /// The line of the list that a flat index belongs to.
    pub fn field(index: usize) -> &'static Field {
        let after = Self::FIELDS.partition_point(|field| field.first <= index);
        &Self::FIELDS[after - 1]
    }

    /// The name of a weight: `psqt[1][5]`.
    pub fn name(index: usize) -> String {
        let field = Self::field(index);
        format!("{}{}", field.name, field.shape.indices(index - field.first))
    }

    /// Every name with its weight, in the order of the list.
    pub fn named(&self) -> Vec<(String, Score)> {
        self.to_vec().into_iter().enumerate().map(|(index, weight)| (Self::name(index), weight)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weights_place_is_its_index_and_its_name() {
        let params = EvalParams::default();
        let mut expected = 0;
        params.visit(&mut |weight| {
            assert_eq!(params.index_of(weight), expected);
            expected += 1;
        });
        assert_eq!(expected, EvalParams::COUNT);
        assert_eq!(EvalParams::name(params.index_of(&params.psqt[1][5])), "psqt[1][5]");
        assert_eq!(EvalParams::name(params.index_of(&params.tempo)), "tempo");
        assert_eq!(EvalParams::from_vec(&params.to_vec()), params);
        let mut next = 0;
        for field in EvalParams::FIELDS {
            assert_eq!(field.first, next, "{}", field.name);
            next += field.count;
        }
    }
}
