//! The evaluation as a table that people can read: every term of both sides, and the steps from their
//! sum to the value.

use std::fmt;

use super::blend::{FULL_PHASE, danger_value};
use super::coefficients::{Assembly, Coefficients};
use super::endgame::{Ending, SCALE_FULL};
use super::list::{Field, Role};
use super::params::EvalParams;
use super::score::Score;
use super::weights::Weights;
use crate::Board;
use crate::types::{Color, Value};

/// What one line of the list of weights came to.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The line.
    pub field: &'static Field,
    /// `// [color]` its counts times its weights
    pub sides: [Score; 2],
}

/// An evaluation term by term.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The terms that were counted, in the order of the list.
    pub rows: Vec<Row>,
    /// The steps from the sums to the value.
    pub assembly: Assembly,
    /// 0 to [`FULL_PHASE`].
    pub phase: i32,
    /// What is known about the ending.
    pub ending: Option<Ending>,
    side_to_move: Color,
}

/// Explains the evaluation of a position.
pub fn explain(board: &Board, weights: &Weights) -> Explanation {
    let coefficients = super::trace(board, weights);
    let sides = Color::ALL.map(|color| weights.side(color).to_vec());
    let sums = |field: &'static Field| Row { field, sides: side_sums(&coefficients, field, &sides) };
    let counted = |field: &&Field| {
        coefficients.counted.iter().any(|coefficient| field.range().contains(&usize::from(coefficient.index)))
    };
    Explanation {
        rows: EvalParams::FIELDS.iter().filter(counted).map(sums).collect(),
        assembly: coefficients.assemble_sides(&sides[0], &sides[1]),
        phase: coefficients.phase,
        ending: coefficients.ending,
        side_to_move: board.side_to_move(),
    }
}

/// The table as text.
pub fn table(board: &Board, weights: &Weights) -> String {
    explain(board, weights).to_string()
}

fn side_sums(coefficients: &Coefficients, field: &Field, sides: &[Vec<Score>; 2]) -> [Score; 2] {
    Color::ALL.map(|color| {
        let counted = coefficients.counted.iter().filter(|c| field.range().contains(&usize::from(c.index)));
        counted.fold(Score::ZERO, |sum, coefficient| {
            sum + sides[color.index()][usize::from(coefficient.index)] * coefficient.of(color)
        })
    })
}

impl Explanation {
    /// `// [color]` what one section of the list adds to each side
    pub fn section(&self, title: &str) -> [Score; 2] {
        let rows = self.rows.iter().filter(|row| row.field.section == title);
        let sums =
            rows.clone().fold([Score::ZERO; 2], |sums, row| [sums[0] + row.sides[0], sums[1] + row.sides[1]]);
        match rows.clone().next().map(|row| row.field.role) {
            Some(Role::Danger) => sums.map(danger_value),
            _ => sums,
        }
    }

    /// The titles of the sections that add to the sum, in the order of the list.
    pub fn sections(&self) -> Vec<&'static str> {
        let mut titles: Vec<&str> = Vec::new();
        for row in &self.rows {
            let adds = matches!(row.field.role, Role::Linear | Role::Danger);
            if adds && !titles.contains(&row.field.section) {
                titles.push(row.field.section);
            }
        }
        titles
    }

    /// The value for the side to move.
    pub fn value_stm(&self) -> Value {
        match self.side_to_move {
            Color::White => self.assembly.value_white,
            Color::Black => -self.assembly.value_white,
        }
    }

    fn rows_of(&self, title: &str) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.field.section == title)
    }
}

fn write_row(f: &mut fmt::Formatter, name: &str, [white, black]: [Score; 2]) -> fmt::Result {
    let total = white - black;
    let pair = |score: Score| format!("{:>6} {:>6}", score.mg(), score.eg());
    writeln!(f, "{name:<34} |{} |{} |{}", pair(white), pair(black), pair(total))
}

fn write_total(f: &mut fmt::Formatter, name: &str, total: Score) -> fmt::Result {
    let empty = " ".repeat(13);
    writeln!(f, "{name:<34} |{empty} |{empty} |{:>6} {:>6}", total.mg(), total.eg())
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = "-".repeat(80);
        writeln!(f, "{:<34} |{:^13} |{:^13} |{:^13}", "", "White", "Black", "Total")?;
        writeln!(f, "{:<34} |    mg     eg |    mg     eg |    mg     eg", "Term (centipawns)")?;
        writeln!(f, "{line}")?;
        for title in self.sections() {
            write_row(f, title, self.section(title))?;
            let is_danger = self.rows_of(title).any(|row| row.field.role == Role::Danger);
            if is_danger {
                write_row(f, "  units of danger, squared / 1024", self.assembly.dangers)?;
            }
            for row in self.rows_of(title) {
                let indent = if is_danger { "    " } else { "  " };
                write_row(f, &format!("{indent}{}", row.field.name), row.sides)?;
            }
        }
        writeln!(f, "{line}")?;
        let step = &self.assembly;
        write_total(f, "Sum", step.sum_white)?;
        write_total(f, "Initiative (towards the sign)", step.with_initiative_white - step.sum_white)?;
        for row in self.rows.iter().filter(|row| row.field.role == Role::Initiative) {
            let leader = super::blend::side_ahead(step.sum_white);
            write_total(f, &format!("  {}", row.field.name), row.sides[leader.index()])?;
        }
        write_total(f, "Sum with initiative", step.with_initiative_white)?;
        write_total(f, &format!("Scale for {:?}, of {SCALE_FULL}", step.strong), step.scale)?;
        writeln!(f, "Phase {} of {FULL_PHASE}", self.phase)?;
        writeln!(f, "{line}")?;
        let sum = step.with_initiative_white;
        writeln!(
            f,
            "({} x {} x {} + {} x {} x {}) / ({FULL_PHASE} x {SCALE_FULL}) = {}",
            sum.mg(),
            step.scale.mg(),
            self.phase,
            sum.eg(),
            step.scale.eg(),
            FULL_PHASE - self.phase,
            step.tapered_white
        )?;
        match self.ending {
            Some(Ending::Value(known_white)) => {
                writeln!(f, "A known ending: its value is {known_white} for White, whatever the terms say")?;
            }
            Some(Ending::Scale { factors: [white, black] }) => {
                writeln!(
                    f,
                    "A known ending: of an advantage {white} of {SCALE_FULL} counts for White, {black} for Black"
                )?;
            }
            None => {}
        }
        let white = f64::from(step.value_white) / 100.0;
        let stm = f64::from(self.value_stm()) / 100.0;
        writeln!(f, "Evaluation: {white:+.2} for White, {stm:+.2} for the side to move")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Style, evaluate_white};

    const POSITIONS: [&str; 5] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r4rk1/pppn1qbp/3p2p1/3Pnp2/2P1p3/2N1B2P/PP1QBPP1/2KR3R w - - 0 16",
        "r5k1/2p2ppp/1p6/p2rPb2/P1NR4/2P3P1/1P3P1P/3R2K1 b - - 2 26",
        "8/5kp1/4bp1p/3p4/1P1B1P2/4K1P1/7P/8 w - - 4 41",
        "8/5p2/4k1p1/p2p3p/P2K3P/5PP1/8/8 b - - 1 40",
    ];

    #[test]
    fn sections_add_up_to_the_evaluation() {
        let params = EvalParams::default();
        let mut all_weights = vec![Weights::new(&params)];
        for style in Style::embedded() {
            all_weights.extend(Color::ALL.map(|own| Weights::with_style(&params, &style, own)));
        }
        for fen in POSITIONS {
            let board = Board::from_fen(fen).unwrap();
            for weights in &all_weights {
                let explanation = explain(&board, weights);
                let sum = explanation.sections().iter().fold(Score::ZERO, |sum, title| {
                    let [white, black] = explanation.section(title);
                    sum + white - black
                });
                assert_eq!(sum, explanation.assembly.sum_white, "{fen}");
                assert_eq!(explanation.assembly.value_white, evaluate_white(&board, weights), "{fen}");
                for title in explanation.sections() {
                    assert!(explanation.to_string().contains(title));
                }
            }
        }
    }

    /// A style changes how things are weighed, not who is better before the game has begun.
    #[test]
    fn no_style_thinks_it_has_won_or_lost_at_the_start() {
        let params = EvalParams::embedded();
        let board = Board::start();
        let normal = evaluate_white(&board, &Weights::new(&params));
        for style in Style::embedded() {
            for own in Color::ALL {
                let value = evaluate_white(&board, &Weights::with_style(&params, &style, own));
                assert!((value - normal).abs() <= 40, "{} as {own:?}: {value}", style.name);
            }
        }
    }
}
