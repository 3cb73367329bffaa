//! Where every parameter stands, and how a result moves it.

use engine::search::params::{Parameter, SearchParams};

use super::{GAIN_EXPONENT, LAG, STABILITY, STEP_EXPONENT, Settings};
use crate::arena::stats::elo_from_score;
use crate::play::Dice;

/// The state of a run: a function of the settings and of the results so far, in order.
pub struct State {
    settings: Settings,
    /// `// [pairs applied][parameter]`
    path: Vec<Vec<f64>>,
    /// `// [parameter]` of all pairs, the result where it went up less the result where it went down
    sums: Vec<f64>,
    /// Of the squares of the results.
    square_sum: f64,
}

/// What the two values of a parameter are worth against each other.
#[derive(Clone, Copy, Debug)]
pub struct Effect {
    /// Elo of the upper value over the lower one.
    pub elo: f64,
    /// Half of the 95% interval.
    pub error: f64,
}

/// The two players of a pair.
pub struct Players {
    /// The values with the changes.
    pub plus: SearchParams,
    /// The values with the opposite changes.
    pub minus: SearchParams,
}

impl State {
    /// Before the first game.
    pub fn new(settings: Settings) -> State {
        let start = settings.tuned.iter().map(|parameter| centre(&settings, parameter)).collect();
        let sums = vec![0.0; settings.tuned.len()];
        State { settings, path: vec![start], sums, square_sum: 0.0 }
    }

    /// What is tuned, and how.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How many pairs have been taken into account.
    pub fn applied(&self) -> usize {
        self.path.len() - 1
    }

    /// Where the parameters stood after each pair. `// [pairs applied][parameter]`
    pub fn path(&self) -> &[Vec<f64>] {
        &self.path
    }

    /// Whether the values of a pair are known yet.
    pub fn knows(&self, pair: usize) -> bool {
        base_of(pair) <= self.applied()
    }

    /// The players of a pair whose values are known.
    pub fn players(&self, pair: usize) -> Players {
        let mut players = Players { plus: self.settings.start.clone(), minus: self.settings.start.clone() };
        let mut dice = Dice::for_game(self.settings.seed, pair as u64);
        let base = &self.path[base_of(pair)];
        for (parameter, &centre) in self.settings.tuned.iter().zip(base) {
            let change = self.step(parameter, pair) * f64::from(direction(&mut dice));
            for (player, value) in
                [(&mut players.plus, centre + change), (&mut players.minus, centre - change)]
            {
                let rounded = (value + fraction(&mut dice)).floor() as i32;
                let whole = rounded.clamp(parameter.min, parameter.max);
                player
                    .set(parameter.name, &whole.to_string())
                    .expect("the name is known, the value in range");
            }
        }
        players
    }

    /// Takes the next pair's result into account: the half points of *plus*, 0 to 4.
    pub fn apply(&mut self, half_points: u8) {
        let pair = self.applied();
        let result = f64::from(half_points) - 2.0;
        let mut dice = Dice::for_game(self.settings.seed, pair as u64);
        let mut next = self.path[pair].clone();
        for (index, parameter) in self.settings.tuned.iter().enumerate() {
            let direction = f64::from(direction(&mut dice));
            // (The two fractions that `players` drew.)
            fraction(&mut dice);
            fraction(&mut dice);
            self.sums[index] += direction * result;
            if !self.settings.screen {
                let moved = next[index] + self.gain(parameter, pair) * direction * result;
                next[index] = moved.clamp(f64::from(parameter.min), f64::from(parameter.max));
            }
        }
        self.square_sum += result * result;
        self.path.push(next);
    }

    /// The values as they are now, rounded.
    pub fn values(&self) -> SearchParams {
        let mut values = self.settings.start.clone();
        if self.settings.screen {
            return values;
        }
        for (parameter, now) in self.settings.tuned.iter().zip(&self.path[self.applied()]) {
            let whole = (now.round() as i32).clamp(parameter.min, parameter.max);
            values.set(parameter.name, &whole.to_string()).expect("the name is known, the value in range");
        }
        values
    }

    /// What the upper value of each parameter is worth over the lower one. `// [parameter]`
    pub fn effects(&self) -> Vec<Effect> {
        let pairs = (self.applied() as f64).max(1.0);
        let error_of_mean = (self.square_sum / pairs).sqrt() / pairs.sqrt();
        // A result of 1 in two games is a quarter of a point a game.
        let elo = |mean: f64| elo_from_score((0.5 + mean / 4.0).clamp(0.001, 0.999));
        let effect = |sum: &f64| Effect { elo: elo(sum / pairs), error: elo(1.96 * error_of_mean) };
        self.sums.iter().map(effect).collect()
    }

    /// How far a parameter is moved for a pair.
    fn step(&self, parameter: &Parameter, pair: usize) -> f64 {
        if let Some(against) = &self.settings.against {
            let [new, old] = [against, &self.settings.start].map(|values| value_of(values, parameter));
            return (new - old) / 2.0;
        }
        if parameter.is_switch() {
            return 0.5;
        }
        if self.settings.screen {
            return f64::from(parameter.step);
        }
        let (all, now) = (self.settings.pairs as f64, pair as f64 + 1.0);
        f64::from(parameter.step) * (all / now).powf(STEP_EXPONENT)
    }

    /// How far a pair won by one game moves a parameter.
    fn gain(&self, parameter: &Parameter, pair: usize) -> f64 {
        let (all, now) = (self.settings.pairs as f64, pair as f64 + 1.0);
        let stability = STABILITY * all;
        let end = f64::from(parameter.step);
        let gain =
            self.settings.rate * end * end * ((stability + all) / (stability + now)).powf(GAIN_EXPONENT);
        gain / self.step(parameter, pair)
    }
}

/// The values of a pair come from the results of so many.
fn base_of(pair: usize) -> usize {
    (pair + 1).saturating_sub(LAG)
}

/// A switch stands in the middle, so that it is on for one player and off for the other; so do two values that are
/// measured against each other.
fn centre(settings: &Settings, parameter: &Parameter) -> f64 {
    let start = value_of(&settings.start, parameter);
    match &settings.against {
        Some(against) => (start + value_of(against, parameter)) / 2.0,
        None if parameter.is_switch() => 0.5,
        None => start,
    }
}

fn value_of(values: &SearchParams, parameter: &Parameter) -> f64 {
    f64::from(values.get(parameter.name).expect("the name is known"))
}

fn direction(dice: &mut Dice) -> i32 {
    if dice.below(2) == 0 { -1 } else { 1 }
}

/// From 0 to below 1: added before rounding down, it keeps the mean.
fn fraction(dice: &mut Dice) -> f64 {
    dice.below(1 << 32) as f64 / (1u64 << 32) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(names: &str, pairs: usize, screen: bool) -> Settings {
        Settings {
            tuned: Settings::parameters(names).unwrap(),
            start: SearchParams::default(),
            pairs,
            rate: Settings::usual_rate(pairs),
            seed: 3,
            screen,
            against: None,
        }
    }

    /// A made-up game: each player is the stronger the nearer its values are to an optimum.
    fn half_points(players: &Players, optimum: &[(&str, f64)], dice: &mut Dice) -> u8 {
        let loss = |params: &SearchParams| -> f64 {
            let off = |(name, best): &(&str, f64)| {
                let parameter = engine::search::params::find(name).unwrap();
                ((f64::from(params.get(name).unwrap()) - best) / f64::from(parameter.step)).powi(2)
            };
            optimum.iter().map(off).sum()
        };
        let edge = (loss(&players.minus) - loss(&players.plus)) * 0.02;
        (0..2).map(|_| if (0.5 + edge.clamp(-0.4, 0.4)) > fraction(dice) { 2 } else { 0 }).sum()
    }

    #[test]
    fn it_climbs_to_the_optimum_of_a_made_up_game() {
        let optimum = [("rfp_margin", 105.0), ("lmr_factor", 380.0), ("qs_futility", 220.0)];
        let mut state =
            State::new(settings("rfp_margin,lmr_factor,qs_futility,futility_base", 20_000, false));
        let mut dice = Dice::for_game(1, 2);
        for pair in 0..20_000 {
            let result = half_points(&state.players(pair), &optimum, &mut dice);
            state.apply(result);
        }
        let values = state.values();
        for (name, best) in optimum {
            let parameter = engine::search::params::find(name).unwrap();
            let off = (f64::from(values.get(name).unwrap()) - best).abs() / f64::from(parameter.step);
            let before = (f64::from(parameter.default) - best).abs() / f64::from(parameter.step);
            assert!(off < before / 2.0, "{name}: {off} steps off, {before} before");
        }
    }

    #[test]
    fn screening_moves_nothing_and_finds_the_switch_that_matters() {
        let mut state = State::new(settings("rfp,razor,lmp", 3_000, true));
        let mut dice = Dice::for_game(5, 6);
        for pair in 0..3_000 {
            let players = state.players(pair);
            assert_ne!(players.plus.rfp, players.minus.rfp, "on for one, off for the other");
            let edge = 0.06 * f64::from(players.plus.razor - players.minus.razor);
            let result = (0..2).map(|_| if 0.5 + edge > fraction(&mut dice) { 2 } else { 0 }).sum();
            state.apply(result);
        }
        let effects = state.effects();
        assert!(effects[1].elo > 30.0 && effects[1].elo < 55.0, "{effects:?}");
        assert!(effects[0].elo.abs() < effects[0].error * 2.0, "{effects:?}");
        assert!(effects[0].error > 5.0 && effects[0].error < 12.0, "{effects:?}");
        assert!(state.values().is_default());
    }

    #[test]
    fn two_sets_of_values_are_measured_one_for_each_player() {
        let against = SearchParams::from_text("rfp_margin = 56\nhindsight = 0\n").unwrap();
        let tuned = Settings::differing(&SearchParams::default(), &against);
        assert_eq!(tuned.iter().map(|p| p.name).collect::<Vec<_>>(), ["rfp_margin", "hindsight"]);
        let mut state = State::new(Settings { tuned, against: Some(against), ..settings("rfp", 50, true) });
        for pair in 0..50 {
            let Players { plus, minus } = state.players(pair);
            assert_eq!(
                [plus.rfp_margin.min(minus.rfp_margin), plus.rfp_margin.max(minus.rfp_margin)],
                [56, SearchParams::default().rfp_margin]
            );
            assert_eq!(plus.hindsight + minus.hindsight, 1);
            // The new margin wins every game.
            state.apply(if plus.rfp_margin == 56 { 4 } else { 0 });
        }
        assert!(state.effects()[0].elo > 500.0, "{:?}", state.effects());
    }

    #[test]
    fn values_depend_on_no_result_of_the_last_pairs() {
        let mut early = State::new(settings("rfp_margin,lmr_base", 100, false));
        let mut late = State::new(settings("rfp_margin,lmr_base", 100, false));
        for _ in 0..10 {
            early.apply(4);
        }
        for _ in 0..20 {
            late.apply(4);
        }
        assert!(early.knows(10 + LAG - 1) && !early.knows(10 + LAG));
        let (one, other) = (early.players(20), late.players(20));
        assert_eq!((one.plus, one.minus), (other.plus, other.minus));
    }
}
