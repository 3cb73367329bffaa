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

/// A curve over the number of safe squares: steep where a piece is shut in, flat where it is free.
/// `mg` and `eg` each say the gain per square, the level, and what being shut in costs.
const fn mobility<const N: usize>(mg: [i32; 3], eg: [i32; 3]) -> [Score; N] {
    let mut table = [Score::ZERO; N];
    let mut squares = 0;
    while squares < N {
        let n = squares as i32;
        table[squares] = s(mg[0] * n / 2 + mg[1] - mg[2] / (n + 1), eg[0] * n / 2 + eg[1] - eg[2] / (n + 1));
        squares += 1;
    }
    table
}

pub(super) const MOBILITY_KNIGHT: [Score; 9] = mobility([8, -12, 24], [8, -14, 26]);
pub(super) const MOBILITY_BISHOP: [Score; 14] = mobility([7, -10, 30], [8, -16, 30]);
pub(super) const MOBILITY_ROOK: [Score; 15] = mobility([4, -8, 16], [8, -22, 24]);
pub(super) const MOBILITY_QUEEN: [Score; 28] = mobility([2, -8, 16], [5, -26, 16]);

/// Middlegame values by rank, a share of them on each file.
const fn by_file_and_rank(percent: [i32; 4], by_rank: [i32; 7]) -> [[Score; 7]; 4] {
    let mut table = [[Score::ZERO; 7]; 4];
    let mut file = 0;
    while file < 4 {
        let mut rank = 0;
        while rank < 7 {
            table[file][rank] = s(by_rank[rank] * percent[file] / 100, 0);
            rank += 1;
        }
        file += 1;
    }
    table
}

/// `// [distance of the file from the edge][rank of the nearest own pawn, 0 for none]`
pub(super) const KING_SHELTER: [[Score; 7]; 4] = {
    // The pawn on the file next to the edge is the one that a castled king misses most.
    let percent = [80, 130, 100, 70];
    let by_rank = [-25, 25, 14, 0, -6, -10, -12];
    by_file_and_rank(percent, by_rank)
};

/// `// [distance of the file from the edge][rank of the nearest enemy pawn, 0 for none]`
pub(super) const KING_STORM: [[Score; 7]; 4] = {
    // No enemy pawn is an open road for his rooks. One right before the king stops them.
    let percent = [110, 110, 90, 70];
    let by_rank = [-8, 0, -40, -28, -12, -2, 2];
    by_file_and_rank(percent, by_rank)
};
