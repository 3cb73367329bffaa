//! The weights of the first day that come from a formula: plain ideas (the centre is good, a king
//! hides until the endgame) in round numbers. They are a place for the tuner to start from.

use super::score::Score;

/// Short for a pair in the list.
pub(super) const fn s(mg: i32, eg: i32) -> Score {
    Score::new(mg, eg)
}

/// How near a file or a rank is to the middle: 0 on the edge, 3 in the centre.
const fn inwards(line: usize) -> i32 {
    (if line < 4 { line } else { 7 - line }) as i32
}

/// `// [kind][square]` pawn to queen
pub(super) const PSQT: [[Score; 64]; 5] = {
    let mut table = [[Score::ZERO; 64]; 5];
    let mut square = 0;
    while square < 64 {
        let rank = square / 8;
        let (file_in, rank_in) = (inwards(square % 8), inwards(rank));
        let (centre, rank) = (file_in + rank_in, rank as i32);
        if rank > 0 && rank < 7 {
            // A step forward is worth most in the centre, and up to the fourth rank.
            let a_step = [-1, 0, 3, 7][file_in as usize];
            let steps = rank - 1;
            let (near, far) = if steps < 2 { (steps, 0) } else { (2, steps - 2) };
            table[0][square] = s(a_step * near + 4 * far, 4 * steps + 4 * far);
        }
        table[1][square] = s(9 * file_in + 8 * rank_in + 2 * rank - 40, 7 * centre - 26);
        table[2][square] = s(4 * centre - 12 - if rank == 0 { 6 } else { 0 }, 3 * centre - 9);
        table[3][square] = s(3 * file_in - 5, if rank > 3 { 4 } else { 0 });
        table[4][square] = s(centre - 3, 5 * centre - 18);
        square += 1;
    }
    table
};

/// `// [rank * 4 + file]` files e to h
pub(super) const KING_SQUARE: [Score; 32] = {
    let mut table = [Score::ZERO; 32];
    let mut place = 0;
    while place < 32 {
        let rank = place / 4;
        let file = 4 + place % 4;
        let climb = if rank < 4 { rank as i32 } else { 4 };
        let hiding = [5, 20, 0, -12][inwards(file) as usize];
        table[place] = s(hiding - 16 * climb, 9 * (inwards(file) + inwards(rank)) - 30);
        place += 1;
    }
    table
};
