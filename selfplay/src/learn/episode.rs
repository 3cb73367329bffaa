//! A finished game as the learner sees it: keys, actions, values. There is no chess in it, so the same
//! code is proven on games whose theory is known.

use engine::book::experience::SCORE_GRAIN;
use engine::types::Color;

/// What a won game is worth at its end, in centipawns.
pub const TERMINAL: i64 = 10_000;

/// One decision of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The position.
    pub key: u64,
    /// Who decided: in some games a side moves twice.
    pub mover: Color,
    /// What was done in it.
    pub action: u16,
    /// What the search thought of it, in centipawns for the side to move; `None` if it was not its choice.
    pub value_stm: Option<i32>,
    /// How deep it looked.
    pub depth: u8,
    /// Where the action was drawn at random: what the search thought of the position, if that is known. It is what the
    /// step before has led to; the draw is not to be held against it.
    pub undrawn_stm: Option<i32>,
}

/// A value within the range of results, in 1/[`SCORE_GRAIN`] of a centipawn.
fn in_grains(value: i32) -> i64 {
    i64::from(value).clamp(-TERMINAL, TERMINAL) * SCORE_GRAIN
}

impl Step {
    /// What the search thought, within the range of results, in 1/[`SCORE_GRAIN`] of a centipawn.
    pub(super) fn thought(&self) -> Option<i64> {
        self.value_stm.map(in_grains)
    }

    /// What the step before has led to, where that is not what came of this one.
    pub(super) fn undrawn(&self) -> Option<i64> {
        self.undrawn_stm.map(in_grains)
    }

    /// A value for the side that moves next, seen from the side of this step: the sign turns with the side.
    pub(super) fn seen(&self, value_next: Option<i64>, next_mover: Option<Color>) -> Option<i64> {
        if next_mover == Some(self.mover) { value_next } else { value_next.map(|value| -value) }
    }
}

/// How a game ended for one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Won.
    Win,
    /// Neither.
    Draw,
    /// Lost.
    Loss,
}

impl Fate {
    /// The same end for the other side.
    pub const fn flipped(self) -> Fate {
        match self {
            Fate::Win => Fate::Loss,
            Fate::Draw => Fate::Draw,
            Fate::Loss => Fate::Win,
        }
    }

    const fn value(self) -> i64 {
        match self {
            Fate::Win => TERMINAL * SCORE_GRAIN,
            Fate::Draw => 0,
            Fate::Loss => -TERMINAL * SCORE_GRAIN,
        }
    }
}

/// A game: its decisions, and how it ended for the side that made the last one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Episode {
    /// From first to last.
    pub steps: Vec<Step>,
    /// For the side that made the last step.
    pub fate_of_last: Fate,
}

impl Episode {
    /// How the game ended for the side that made the step with this number.
    pub fn fate(&self, step: usize) -> Fate {
        match self.steps.last().is_none_or(|last| last.mover == self.steps[step].mover) {
            true => self.fate_of_last,
            false => self.fate_of_last.flipped(),
        }
    }

    /// The same game with everything that was thought and its end turned round: as false as can be, and
    /// otherwise like a true one.
    pub fn turned_round(mut self) -> Episode {
        for step in &mut self.steps {
            step.value_stm = step.value_stm.map(|value| -value);
            step.undrawn_stm = step.undrawn_stm.map(|value| -value);
        }
        Episode { fate_of_last: self.fate_of_last.flipped(), ..self }
    }

    /// For each step whether its decision was made before in this game: a repetition, which counts once.
    pub fn repetitions(&self) -> Vec<bool> {
        // Few keys come twice, and a bit for each key seen says so of most: only where it is set is it worth looking
        // back.
        let mut seen = [0_u64; 128];
        let steps = &self.steps;
        let is_repeated = |(number, &Step { key, action, .. }): (usize, &Step)| {
            let (word, bit) = ((key >> 6) as usize % seen.len(), 1 << (key % 64));
            let maybe = seen[word] & bit != 0;
            seen[word] |= bit;
            maybe && steps[..number].iter().any(|earlier| (earlier.key, earlier.action) == (key, action))
        };
        steps.iter().enumerate().map(is_repeated).collect()
    }
}

/// How much of what follows goes into a score. Thousandths, so that every machine computes the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Discount {
    /// The share of what followed; the rest is what was thought before.
    pub alpha_milli: u16,
    /// What a value loses a ply.
    pub gamma_milli: u16,
    /// Whether a draw pulls scores to zero. It is counted in any case.
    pub learns_draws: bool,
}

impl Default for Discount {
    fn default() -> Discount {
        Discount { alpha_milli: 500, gamma_milli: 990, learns_draws: true }
    }
}

impl Discount {
    /// `(1 - alpha) * before + alpha * gamma * after`, rounded half away from zero.
    pub(super) fn blend(self, before: i64, after: i64) -> i64 {
        let (alpha, gamma) = (i64::from(self.alpha_milli), i64::from(self.gamma_milli));
        let sum = (1000 - alpha) * before * 1000 + alpha * gamma * after;
        (sum.abs() + 500_000) / 1_000_000 * sum.signum()
    }

    /// A score from what was thought before and what followed; one of them may be missing.
    pub(super) fn after(self, before: Option<i64>, followed: Option<i64>) -> i64 {
        match (before, followed) {
            (Some(before), Some(followed)) => self.blend(before, followed),
            (Some(before), None) => before,
            // Nobody thought about this choice: only what came of it counts.
            (None, followed) => Discount { alpha_milli: 1000, ..self }.blend(0, followed.unwrap_or(0)),
        }
    }

    /// What the end of a game says to the side that made the last step, if it is to be learned from.
    pub(super) fn terminal(self, fate_of_last: Fate) -> Option<i64> {
        (fate_of_last != Fate::Draw || self.learns_draws).then(|| fate_of_last.value())
    }

    /// The return of every step by the rule `mean`: from the end back, each step blends what its own
    /// search thought with what followed, seen from its side. In 1/[`SCORE_GRAIN`] of a centipawn.
    pub fn returns(self, episode: &Episode) -> Vec<i64> {
        let mut returns = vec![0; episode.steps.len()];
        // What followed, for the side that made the step after. The last step reaches the end itself.
        let mut followed = self.terminal(episode.fate_of_last);
        let mut next_mover = episode.steps.last().map(|step| step.mover);
        for (step, at) in episode.steps.iter().zip(&mut returns).rev() {
            *at = self.after(step.thought(), step.seen(followed, next_mover));
            followed = Some(step.undrawn().unwrap_or(*at));
            next_mover = Some(step.mover);
        }
        returns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn episode(values: &[i32], fate_of_last: Fate) -> Episode {
        let steps = values
            .iter()
            .enumerate()
            .map(|(number, &value_stm)| Step {
                key: number as u64,
                mover: if number % 2 == 0 { Color::White } else { Color::Black },
                action: 1,
                value_stm: Some(value_stm),
                depth: 5,
                undrawn_stm: None,
            })
            .collect();
        Episode { steps, fate_of_last }
    }

    #[test]
    fn returns_follow_the_formula_with_the_sign_of_the_side() {
        let discount = Discount::default();
        let returns = discount.returns(&episode(&[20, -10, 400], Fate::Win));
        let last = 0.5 * 400.0 + 0.5 * 0.99 * 10_000.0;
        let middle = 0.5 * -10.0 - 0.5 * 0.99 * last;
        let first = 0.5 * 20.0 - 0.5 * 0.99 * middle;
        for (found, wanted) in returns.iter().zip([first, middle, last]) {
            assert!((*found as f64 / SCORE_GRAIN as f64 - wanted).abs() < 0.01, "{found} {wanted}");
        }
    }

    #[test]
    fn a_mirrored_game_gives_mirrored_returns() {
        let discount = Discount { alpha_milli: 333, gamma_milli: 977, learns_draws: true };
        let values = [13, -7, 401, 9_999, -31_000, 3];
        let mirrored = values.map(|value| -value);
        for fate in [Fate::Win, Fate::Draw, Fate::Loss] {
            let returns = discount.returns(&episode(&values, fate));
            let others = discount.returns(&episode(&mirrored, fate.flipped()));
            assert!(returns.iter().zip(&others).all(|(a, b)| *a == -b));
        }
    }

    #[test]
    fn an_unlearned_draw_leaves_the_searches_alone() {
        let discount = Discount { learns_draws: false, ..Discount::default() };
        let returns = discount.returns(&episode(&[0, 0, 64], Fate::Draw));
        assert_eq!(returns[2], 64 * SCORE_GRAIN);
        assert_eq!(Discount::default().returns(&episode(&[0, 0, 64], Fate::Draw))[2], 32 * SCORE_GRAIN);
    }

    #[test]
    fn a_draw_of_the_dice_is_not_held_against_the_step_before() {
        let discount = Discount { alpha_milli: 1000, gamma_milli: 1000, learns_draws: true };
        let mut game = episode(&[0, 0, 0], Fate::Win);
        (game.steps[1].value_stm, game.steps[1].undrawn_stm) = (None, Some(300));
        let returns = discount.returns(&game);
        // What was drawn lost; the first step led to a position worth 300 to the other side.
        assert_eq!(returns, [-300 * SCORE_GRAIN, -TERMINAL * SCORE_GRAIN, TERMINAL * SCORE_GRAIN]);
    }

    #[test]
    fn a_side_that_moves_twice_keeps_its_sign() {
        let discount = Discount { alpha_milli: 1000, gamma_milli: 1000, learns_draws: true };
        let mut game = episode(&[0, 0, 0, 0], Fate::Win);
        for (step, mover) in
            game.steps.iter_mut().zip([Color::White, Color::Black, Color::Black, Color::White])
        {
            step.mover = mover;
        }
        let won = TERMINAL * SCORE_GRAIN;
        assert_eq!(discount.returns(&game), [won, -won, -won, won]);
        assert_eq!([0, 1, 2, 3].map(|step| game.fate(step)), [Fate::Win, Fate::Loss, Fate::Loss, Fate::Win]);
    }

    #[test]
    fn the_fate_turns_with_the_side() {
        let game = episode(&[0, 0, 0], Fate::Loss);
        assert_eq!([0, 1, 2].map(|step| game.fate(step)), [Fate::Loss, Fate::Win, Fate::Loss]);
    }
}
