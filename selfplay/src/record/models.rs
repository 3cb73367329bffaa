//! What is expected of a game's next number, column by column: the better the guess, the smaller the
//! file. Every model learns from what it has seen since the beginning of its block and knows nothing
//! of other blocks.

use engine::Board;
use engine::types::{Move, PieceType, value};

use super::coder::{Chance, Coder, Mixer};
use super::order::{self, Candidates, LIKELIHOODS};

/// How many bits a number has: 0 has none.
#[inline(always)]
fn bits(number: u32) -> usize {
    32 - number.leading_zeros() as usize
}

/// The bits of numbers below their first, which is known with their length.
#[derive(Clone)]
struct LowBits {
    /// `// [length][1: the second bit; 2, 3: the third, by the second]`
    tops: [[Chance; 4]; 17],
    /// `// [length][bit]`
    rest: [[Chance; 16]; 17],
}

impl LowBits {
    const NEW: LowBits = LowBits { tops: [[Chance::EVEN; 4]; 17], rest: [[Chance::EVEN; 16]; 17] };

    /// Codes a number of which the length is known and not 0.
    #[inline(always)]
    fn code(&mut self, coder: &mut impl Coder, length: usize, number: u32) -> u32 {
        let mut read = 1;
        for bit in (0..length - 1).rev() {
            let chance = match length - 2 - bit {
                0 => &mut self.tops[length][1],
                1 => &mut self.tops[length][2 + (read & 1) as usize],
                _ => &mut self.rest[length][bit],
            };
            read = read << 1 | u32::from(coder.code(chance, number >> bit & 1 != 0));
        }
        read
    }
}

/// Whole numbers from 0 up: their length in bits by asking "more?", then the bits below the first.
#[derive(Clone)]
pub struct Magnitude<const CONTEXTS: usize> {
    /// `// [context][length so far]`
    lengths: [[Chance; 16]; CONTEXTS],
    low: LowBits,
}

impl<const CONTEXTS: usize> Magnitude<CONTEXTS> {
    pub fn new() -> Magnitude<CONTEXTS> {
        Magnitude { lengths: [[Chance::EVEN; 16]; CONTEXTS], low: LowBits::NEW }
    }

    /// Codes a number below 65536.
    pub fn code(&mut self, coder: &mut impl Coder, context: usize, number: u32) -> u32 {
        let wanted = bits(number);
        let mut length = 0;
        while length < 16 && coder.code(&mut self.lengths[context][length], wanted > length) {
            length += 1;
        }
        if length == 0 { 0 } else { self.low.code(coder, length, number) }
    }
}

/// Moves, as ranks in the frozen order: "is it this one?", from the likeliest on.
pub struct MoveModel {
    /// `// [how likely the order thinks it is][rank, 3 and more together]`
    by_likelihood: [[Chance; 4]; LIKELIHOODS],
    /// `// [how many are left, in threes][rank]`
    by_rank: [[Chance; 16]; 16],
    /// `// [how likely, in twos][kind of piece][whether it takes]`
    by_kind: [[[Chance; 2]; 6]; LIKELIHOODS / 2 + 1],
    /// `// [rank]`
    mixers: [Mixer<3>; 8],
}

impl MoveModel {
    pub fn new() -> MoveModel {
        let guess = |likelihood: usize| Chance::guess(order::chance_of_likelihood(likelihood));
        MoveModel {
            by_likelihood: std::array::from_fn(|likelihood| [guess(likelihood); 4]),
            by_rank: [[Chance::EVEN; 16]; 16],
            by_kind: std::array::from_fn(|pair| [[guess((pair * 2).min(LIKELIHOODS - 1)); 2]; 6]),
            mixers: [Mixer::new(); 8],
        }
    }

    /// Codes one of the legal moves of a position; `None` if it has none.
    #[inline(always)]
    pub fn code(
        &mut self,
        coder: &mut impl Coder,
        board: &Board,
        candidates: &mut Candidates,
        known: Option<Move>,
    ) -> Option<Move> {
        let mut rank = 0;
        loop {
            let left = candidates.left();
            let (candidate, likelihood) = candidates.next()?;
            if left == 1 {
                return Some(candidate);
            }
            let kind = board.kind_at(candidate.from()).map_or(0, PieceType::index);
            let chances = [
                &mut self.by_likelihood[likelihood][rank.min(3)],
                &mut self.by_rank[(left / 3).min(15)][rank.min(15)],
                &mut self.by_kind[likelihood / 2][kind][usize::from(candidate.is_capture())],
            ];
            if self.mixers[rank.min(7)].code(coder, chances, Some(candidate) == known) {
                return Some(candidate);
            }
            rank += 1;
        }
    }
}

/// Where a game stands when its next ply is coded.
#[derive(Clone, Copy, Debug)]
pub struct Past {
    /// The score of the last ply, as seen by the side that moves now.
    score: i32,
    /// `// [one ply ago, two plies ago]`
    depths: [i32; 2],
    /// By how much the last scores were off the guess, each seen by the side that moves now.
    /// `// [one ply ago, two plies ago]`
    surprises: [i32; 2],
}

impl Past {
    /// Before the first ply: level, at a depth that searches of some thousand nodes reach.
    pub fn at_start() -> Past {
        Past { score: 0, depths: [10; 2], surprises: [0; 2] }
    }

    /// The past of the next ply, which the other side plays.
    pub fn after(self, score_stm: i32, depth: i32) -> Past {
        let surprise = score_stm - self.expected_score();
        Past {
            score: -score_stm,
            depths: [depth, self.depths[0]],
            surprises: [-surprise, -self.surprises[0]],
        }
    }

    /// The score of a ply ago; a mate or a tablebase result is one ply nearer than it was.
    fn expected_score(self) -> i32 {
        if value::is_decided(self.score) { self.score + self.score.signum() } else { self.score }
    }
}

/// Depths, as differences from the last: "the same?", "more?", and then "one more?" up to seven.
pub struct DepthModel {
    /// `// [trend][choice][question]`
    by_trend: [[[Chance; 16]; 5]; 5],
    /// `// [last depth][trend][question]`
    by_depth: [[[Chance; 16]; 5]; 32],
    /// `// [last depth][choice, and whether in check][question]`
    by_choice: [[[Chance; 16]; 10]; 32],
    /// `// [question]`
    mixers: [Mixer<3>; 16],
    /// Differences beyond seven. `// context: [less, more]`
    rest: Magnitude<2>,
}

impl DepthModel {
    pub fn new() -> DepthModel {
        DepthModel {
            by_trend: [[[Chance::EVEN; 16]; 5]; 5],
            by_depth: [[[Chance::EVEN; 16]; 5]; 32],
            by_choice: [[[Chance::EVEN; 16]; 10]; 32],
            mixers: [Mixer::new(); 16],
            rest: Magnitude::new(),
        }
    }

    /// Codes the depth of a search in a position with so many legal moves.
    #[inline(always)]
    pub fn code(
        &mut self,
        coder: &mut impl Coder,
        past: &Past,
        moves: usize,
        in_check: bool,
        depth: i32,
    ) -> i32 {
        const STEPWISE: i32 = 7;
        let trend = ((past.depths[1] - past.depths[0]).clamp(-2, 2) + 2) as usize;
        let choice = match moves {
            0..=1 => 0,
            2..=4 => 1,
            5..=12 => 2,
            13..=28 => 3,
            _ => 4,
        };
        let last = past.depths[0].clamp(0, 31) as usize;
        let circumstances = (trend, choice, last, choice + 5 * usize::from(in_check));
        let step = depth - past.depths[0];
        if self.ask(coder, circumstances, 0, step == 0) {
            return past.depths[0];
        }
        let more = self.ask(coder, circumstances, 1, step > 0);
        let first_question = if more { 2 } else { 8 };
        let mut size = 1;
        while size < STEPWISE
            && self.ask(coder, circumstances, first_question + size as usize - 1, step.abs() > size)
        {
            size += 1;
        }
        if size == STEPWISE {
            let beyond = (step.abs() - STEPWISE).max(0) as u32;
            size += self.rest.code(coder, usize::from(more), beyond) as i32;
        }
        past.depths[0] + if more { size } else { -size }
    }

    /// No closure, since those cannot be told to be inlined, and who is not is not compiled for newer processors.
    #[inline(always)]
    fn ask(
        &mut self,
        coder: &mut impl Coder,
        (trend, choice, last, choice_in_check): (usize, usize, usize, usize),
        question: usize,
        bit: bool,
    ) -> bool {
        let chances = [
            &mut self.by_trend[trend][choice][question],
            &mut self.by_depth[last][trend][question],
            &mut self.by_choice[last][choice_in_check][question],
        ];
        self.mixers[question].code(coder, chances, bit)
    }
}

/// Scores, as differences from what the other side said a ply ago.
pub struct ScoreModel {
    /// Whether a mate or a tablebase result appears, or disappears. `// [was there one]`
    turns: [Chance; 2],
    announced_wins: Chance,
    announced_distance: Magnitude<1>,
    /// `// [size of the last surprises][deeper][length so far]`
    by_surprise: [[[Chance; 16]; 5]; 8],
    /// `// [how far from level][deeper][length so far]`
    by_distance: [[[Chance; 16]; 5]; 8],
    /// `// [size of the last surprises][how far from level][length so far]`
    by_both: [[[Chance; 16]; 8]; 8],
    /// `// [phase][length so far]`
    mixers: [[Mixer<3>; 16]; 3],
    /// `// [how far from level]`
    low: [LowBits; 8],
    /// `// [deeper][who is ahead and how much][length]`
    up_by_lead: [[[Chance; 17]; 7]; 5],
    /// `// [deeper][signs of the last two surprises][length]`
    up_by_surprise: [[[Chance; 17]; 9]; 5],
    /// `// [length]`
    up_mixers: [Mixer<2>; 17],
}

impl ScoreModel {
    pub fn new() -> ScoreModel {
        ScoreModel {
            turns: [Chance::EVEN; 2],
            announced_wins: Chance::EVEN,
            announced_distance: Magnitude::new(),
            by_surprise: [[[Chance::EVEN; 16]; 5]; 8],
            by_distance: [[[Chance::EVEN; 16]; 5]; 8],
            by_both: [[[Chance::EVEN; 16]; 8]; 8],
            mixers: [[Mixer::new(); 16]; 3],
            low: [LowBits::NEW; 8],
            up_by_lead: [[[Chance::EVEN; 17]; 7]; 5],
            up_by_surprise: [[[Chance::EVEN; 17]; 9]; 5],
            up_mixers: [Mixer::new(); 17],
        }
    }

    /// Codes the score of a search that reached `depth`.
    #[inline(always)]
    pub fn code(&mut self, coder: &mut impl Coder, past: &Past, depth: i32, phase: usize, score: i32) -> i32 {
        let guess = past.expected_score();
        let was_decided = value::is_decided(guess);
        let turns = was_decided != value::is_decided(score);
        if coder.code(&mut self.turns[usize::from(was_decided)], turns) && !was_decided {
            // Its distance says more than a difference of thousands.
            let wins = coder.code(&mut self.announced_wins, score > 0);
            let distance = (value::MATE - score.abs()).max(0) as u32;
            let distance = self.announced_distance.code(coder, 0, distance) as i32;
            return if wins { value::MATE - distance } else { distance - value::MATE };
        }

        let deeper = ((depth - past.depths[0]).clamp(-2, 2) + 2) as usize;
        let [last, before] = past.surprises;
        let surprise = bits((2 * last.unsigned_abs() + before.unsigned_abs()) / 2).min(7);
        let distance = match guess.abs() {
            0 => 0,
            1..=19 => 1,
            20..=59 => 2,
            60..=149 => 3,
            150..=399 => 4,
            400..=999 => 5,
            1000..=9999 => 6,
            _ => 7,
        };
        let step = score - guess;
        let wanted = bits(step.unsigned_abs());
        let mut length = 0;
        while length < 16 {
            let chances = [
                &mut self.by_surprise[surprise][deeper][length],
                &mut self.by_distance[distance][deeper][length],
                &mut self.by_both[surprise][distance][length],
            ];
            if !self.mixers[phase][length].code(coder, chances, wanted > length) {
                break;
            }
            length += 1;
        }
        if length == 0 {
            return guess;
        }
        let size = self.low[distance].code(coder, length, step.unsigned_abs()) as i32;

        let lead = match guess {
            ..=-400 => 0,
            -399..=-101 => 1,
            -100..=-1 => 2,
            0 => 3,
            1..=100 => 4,
            101..=399 => 5,
            _ => 6,
        };
        let sign = |number: i32| (number.signum() + 1) as usize;
        let chances = [
            &mut self.up_by_lead[deeper][lead][length],
            &mut self.up_by_surprise[deeper][sign(last) * 3 + sign(before)][length],
        ];
        let up = self.up_mixers[length].code(coder, chances, step > 0);
        guess + if up { size } else { -size }
    }
}
