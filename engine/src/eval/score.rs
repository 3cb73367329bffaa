//! A middlegame and an endgame number in one machine word.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A pair of centipawn numbers, middlegame and endgame, that are added, subtracted and multiplied
/// together: `eg << 16 + mg` in one `i32`. Arithmetic is exact as long as each half stays within
/// an `i16`, which the limit on weights ([`Score::WEIGHT_LIMIT`]) is there for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Score(i32);

impl Score {
    /// Nothing in either half.
    pub const ZERO: Score = Score(0);

    /// The widest a single weight may be. A queen at this limit nine times over, beside everything
    /// else a side may own, still fits a half.
    pub const WEIGHT_LIMIT: i32 = 2_500;

    /// Packs two halves, each within an `i16`.
    #[inline(always)]
    pub const fn new(mg: i32, eg: i32) -> Score {
        debug_assert!(mg as i16 as i32 == mg && eg as i16 as i32 == eg);
        Score((eg << 16).wrapping_add(mg))
    }

    /// The middlegame half.
    #[inline(always)]
    pub const fn mg(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The endgame half. A negative middlegame half borrowed one from it; the rounding gives it back.
    #[inline(always)]
    pub const fn eg(self) -> i32 {
        self.0.wrapping_add(0x8000) >> 16
    }

    /// In the profile of the tests, whether a result still holds the two halves it should.
    #[inline(always)]
    const fn checked(self, mg: i32, eg: i32) -> Score {
        debug_assert!(self.mg() == mg && self.eg() == eg, "a half of a score left the range of an i16");
        self
    }
}

impl Add for Score {
    type Output = Score;
    #[inline(always)]
    fn add(self, other: Score) -> Score {
        Score(self.0.wrapping_add(other.0)).checked(self.mg() + other.mg(), self.eg() + other.eg())
    }
}

impl Sub for Score {
    type Output = Score;
    #[inline(always)]
    fn sub(self, other: Score) -> Score {
        Score(self.0.wrapping_sub(other.0)).checked(self.mg() - other.mg(), self.eg() - other.eg())
    }
}

impl AddAssign for Score {
    #[inline(always)]
    fn add_assign(&mut self, other: Score) {
        *self = *self + other;
    }
}

impl SubAssign for Score {
    #[inline(always)]
    fn sub_assign(&mut self, other: Score) {
        *self = *self - other;
    }
}

impl Neg for Score {
    type Output = Score;
    #[inline(always)]
    fn neg(self) -> Score {
        Score::ZERO - self
    }
}

impl Mul<i32> for Score {
    type Output = Score;
    #[inline(always)]
    fn mul(self, by: i32) -> Score {
        Score(self.0.wrapping_mul(by)).checked(self.mg() * by, self.eg() * by)
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.mg(), self.eg())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_do_not_disturb_each_other() {
        let edge = [-32_768, -12_345, -1, 0, 1, 777, 12_345, 32_767];
        for mg in edge {
            for eg in edge {
                let score = Score::new(mg, eg);
                assert_eq!((score.mg(), score.eg()), (mg, eg));
            }
        }
        for a in [-150, -7, 0, 3, 149] {
            for b in [-149, -1, 0, 8, 150] {
                for n in [-9, -1, 0, 1, 2, 100] {
                    let (x, y) = (Score::new(a, b), Score::new(b, -a));
                    assert_eq!(x + y, Score::new(a + b, b - a));
                    assert_eq!(x - y, Score::new(a - b, b + a));
                    assert_eq!(-x, Score::new(-a, -b));
                    assert_eq!(x * n, Score::new(a * n, b * n));
                }
            }
        }
    }
}
