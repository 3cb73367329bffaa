//! A directory that shows what a fit did: pictures, tables, and a page that holds them together.

mod charts;
mod svg;

use std::fmt::Write;
use std::io;
use std::path::Path;

use engine::eval::gradient::Pair;
use engine::eval::{EvalParams, FULL_PHASE};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::compare::{self, Difference};
use crate::fit::Step;
use crate::sigmoid::Sigmoid;
use crate::starts;
use crate::store::Store;
use charts::{Board, Chart, Series};
use svg::escaped;

/// Predictions are put in so many bins.
const BINS: usize = 20;

const BEFORE: &str = "#d9822b";
const AFTER: &str = "#2b6cb0";

/// Everything that is shown.
pub struct Report<'a> {
    /// What was done, line by line: a name and a value.
    pub facts: Vec<(String, String)>,
    /// What a careful reader would notice.
    pub warnings: Vec<String>,
    /// The descent.
    pub curve: &'a [Step],
    /// The weights it began with, and their curve.
    pub before: (&'a EvalParams, Sigmoid),
    /// Those it ended with.
    pub after: (&'a EvalParams, Sigmoid),
    /// The positions that errors are shown for.
    pub positions: &'a Store,
}

/// Sums by phase and by prediction.
#[derive(Clone)]
struct Errors {
    /// `// [phase]` squared error, number
    by_phase: Vec<[f64; 2]>,
    /// `// [bin]` prediction, label, number
    by_prediction: Vec<[f64; 3]>,
}

impl Errors {
    fn measure(store: &Store, weights: &[Pair], sigmoid: Sigmoid) -> Errors {
        let spread = store.columns.spread(weights);
        let nothing =
            Errors { by_phase: vec![[0.0; 2]; FULL_PHASE as usize + 1], by_prediction: vec![[0.0; 3]; BINS] };
        let parts: Vec<Errors> = store
            .chunks()
            .par_iter()
            .map(|chunk| {
                let mut errors = nothing.clone();
                let mut rows = store.rows(chunk, &spread, 0.0);
                while let Some(row) = rows.next_row() {
                    let expected = sigmoid.expected(row.slopes.value_white);
                    let error = expected - row.label;
                    let phase = &mut errors.by_phase[row.phase.clamp(0, FULL_PHASE) as usize];
                    *phase = [phase[0] + error * error, phase[1] + 1.0];
                    let bin = &mut errors.by_prediction[((expected * BINS as f64) as usize).min(BINS - 1)];
                    *bin = [bin[0] + expected, bin[1] + row.label, bin[2] + 1.0];
                }
                errors
            })
            .collect();
        parts.into_iter().fold(nothing, |mut sum, part| {
            for (sum, part) in sum.by_phase.iter_mut().zip(part.by_phase) {
                *sum = [sum[0] + part[0], sum[1] + part[1]];
            }
            for (sum, part) in sum.by_prediction.iter_mut().zip(part.by_prediction) {
                *sum = [sum[0] + part[0], sum[1] + part[1], sum[2] + part[2]];
            }
            sum
        })
    }

    fn phase_points(&self) -> Vec<[f64; 2]> {
        // Two phases together: an odd one means that somebody is a piece ahead, which is easier to judge or harder.
        let both = |pair: &[[f64; 2]]| {
            pair.iter().fold([0.0; 2], |sums, phase| [sums[0] + phase[0], sums[1] + phase[1]])
        };
        let pairs = self.by_phase.chunks(2).map(both).enumerate();
        pairs
            .filter(|(_, sums)| sums[1] > 0.0)
            .map(|(place, [sum, count])| [2.0 * place as f64, sum / count])
            .collect()
    }

    fn calibration_points(&self) -> Vec<[f64; 2]> {
        let of = |&[expected, label, count]: &[f64; 3]| [expected / count, label / count];
        self.by_prediction.iter().filter(|bin| bin[2] > 0.0).map(of).collect()
    }
}

impl Report<'_> {
    /// The figures behind the pictures, for notebooks and other programs: see docs/9-tuning.md.
    pub fn figures(&self) -> Value {
        let mut calibration = Vec::new();
        let mut phases = Vec::new();
        for (when, (params, sigmoid)) in [("before", self.before), ("after", self.after)] {
            let errors = Errors::measure(self.positions, &starts::pairs(params), sigmoid);
            for &[expected, label, count] in errors.by_prediction.iter().filter(|bin| bin[2] > 0.0) {
                calibration.push(json!({
                    "weights": when, "predicted": expected / count, "came": label / count, "positions": count,
                }));
            }
            for (phase, &[sum, count]) in errors.by_phase.iter().enumerate().filter(|(_, sums)| sums[1] > 0.0)
            {
                phases.push(
                    json!({ "weights": when, "phase": phase, "error": sum / count, "positions": count }),
                );
            }
        }
        let both = self.before.0.to_vec().into_iter().zip(self.after.0.to_vec());
        let weights: Vec<Value> = both
            .enumerate()
            .map(|(index, (before, after))| {
                let field = EvalParams::field(index);
                json!({
                    "name": EvalParams::name(index), "field": field.name, "section": field.section,
                    "place": index - field.first,
                    "before_mg": before.mg(), "before_eg": before.eg(),
                    "after_mg": after.mg(), "after_eg": after.eg(),
                })
            })
            .collect();
        json!({ "curve": self.curve, "calibration": calibration, "phases": phases, "weights": weights })
    }

    /// Writes `index.html` and the pictures into a directory, which is made if need be.
    pub fn write(&self, directory: &Path) -> io::Result<()> {
        std::fs::create_dir_all(directory)?;
        let differences = compare::differences(self.before.0, self.after.0);
        let [before, after] = [self.before, self.after]
            .map(|(params, sigmoid)| Errors::measure(self.positions, &starts::pairs(params), sigmoid));
        let pictures = [
            ("loss.svg", self.loss_curve()),
            ("moved.svg", moved_chart(&differences)),
            ("calibration.svg", calibration_chart(&before, &after)),
            ("phase.svg", phase_chart(&before, &after)),
            ("mobility.svg", self.mobility()),
            ("squares_mg.svg", squares(self.after.0, 0)),
            ("squares_eg.svg", squares(self.after.0, 1)),
            ("squares_before_mg.svg", squares(self.before.0, 0)),
            ("squares_before_eg.svg", squares(self.before.0, 1)),
        ];
        for (name, picture) in &pictures {
            std::fs::write(directory.join(name), picture)?;
        }
        std::fs::write(directory.join("moved.txt"), compare::table(&differences, usize::MAX))?;
        std::fs::write(directory.join("index.html"), self.page(&differences))
    }

    fn loss_curve(&self) -> String {
        let points = |of: fn(&Step) -> Option<f64>| {
            self.curve.iter().filter_map(|step| Some([step.iteration as f64, of(step)?])).collect()
        };
        let series = vec![
            Series {
                name: "positions fitted to",
                color: AFTER,
                points: points(|step| Some(step.loss)),
                joined: true,
            },
            Series { name: "held out", color: BEFORE, points: points(|step| step.holdout), joined: true },
        ];
        Chart { title: "Loss (mean squared error)", x_label: "iteration", series, diagonal: false }.draw()
    }

    fn mobility(&self) -> String {
        let kinds = ["mobility_knight", "mobility_bishop", "mobility_rook", "mobility_queen"];
        let colors = ["#2f855a", "#6b46c1", "#2b6cb0", "#c53030"];
        let flat = self.after.0.to_vec();
        let mut series = Vec::new();
        for (name, color) in kinds.into_iter().zip(colors) {
            if let Some(field) = EvalParams::FIELDS.iter().find(|field| field.name == name) {
                let points = field
                    .range()
                    .enumerate()
                    .map(|(squares, index)| {
                        let weight = flat[index];
                        [squares as f64, f64::from(weight.mg() + weight.eg()) / 2.0]
                    })
                    .collect();
                let name = name.strip_prefix("mobility_").unwrap_or(name);
                series.push(Series { name, color, points, joined: true });
            }
        }
        Chart {
            title: "Mobility (mean of both halves, after)",
            x_label: "safe squares",
            series,
            diagonal: false,
        }
        .draw()
    }

    fn page(&self, differences: &[Difference]) -> String {
        let mut page = String::from(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>A fit of Tabula's weights</title>\n\
             <style>body{font-family:sans-serif;max-width:75em;margin:2em auto;padding:0 1em}\
             table{border-collapse:collapse}td,th{padding:.15em .8em;text-align:left;border-bottom:1px solid #ddd}\
             td.n{text-align:right}img{max-width:100%}li{margin:.3em 0}</style></head><body>\n\
             <h1>A fit of Tabula's weights</h1>\n<table>\n",
        );
        for (name, value) in &self.facts {
            let _ = writeln!(page, "<tr><th>{}</th><td>{}</td></tr>", escaped(name), escaped(value));
        }
        page.push_str("</table>\n");
        if !self.warnings.is_empty() {
            page.push_str("<h2>Warnings</h2>\n<ul>\n");
            for warning in &self.warnings {
                let _ = writeln!(page, "<li>{}</li>", escaped(warning));
            }
            page.push_str("</ul>\n");
        }
        for (title, names) in [
            ("The descent", &["loss.svg"][..]),
            ("How good the predictions are", &["calibration.svg", "phase.svg"]),
            ("The weights that moved most", &["moved.svg"]),
            ("Mobility", &["mobility.svg"]),
            ("Pieces and squares after, middlegame", &["squares_mg.svg"]),
            ("Pieces and squares after, endgame", &["squares_eg.svg"]),
            ("Pieces and squares before", &["squares_before_mg.svg", "squares_before_eg.svg"]),
        ] {
            let _ = writeln!(page, "<h2>{title}</h2>");
            for name in names {
                let _ = writeln!(page, "<img src=\"{name}\" alt=\"{title}\">");
            }
        }
        page.push_str("<table><tr><th>weight</th><th>before</th><th>after</th></tr>\n");
        for difference in differences.iter().take(60) {
            let _ = writeln!(
                page,
                "<tr><td>{}</td><td class=n>{:?}</td><td class=n>{:?}</td></tr>",
                EvalParams::name(difference.index),
                difference.before,
                difference.after
            );
        }
        page.push_str("</table>\n<p>All of them: <a href=\"moved.txt\">moved.txt</a></p>\n</body></html>\n");
        page
    }
}

fn calibration_chart(before: &Errors, after: &Errors) -> String {
    let series = |name, color, errors: &Errors, joined| Series {
        name,
        color,
        points: errors.calibration_points(),
        joined,
    };
    let series = vec![series("before", BEFORE, before, false), series("after", AFTER, after, true)];
    let title = "Calibration: what was predicted, what came";
    Chart { title, x_label: "predicted score of White", series, diagonal: true }.draw()
}

fn phase_chart(before: &Errors, after: &Errors) -> String {
    let series =
        |name, color, errors: &Errors| Series { name, color, points: errors.phase_points(), joined: true };
    let series = vec![series("before", BEFORE, before), series("after", AFTER, after)];
    Chart { title: "Error by phase", x_label: "phase: 0 pawns only, 24 all pieces", series, diagonal: false }
        .draw()
}

/// The forty weights that moved most, as bars from before to after.
fn moved_chart(differences: &[Difference]) -> String {
    use svg::{Anchor, Svg};
    let shown: Vec<&Difference> = differences.iter().take(40).collect();
    let (row, left, width) = (18.0, 250.0, 420.0);
    let mut picture = Svg::new(left + width + 110.0, row * shown.len() as f64 + 50.0);
    picture.text([left, 18.0], Anchor::Start, 13.0, "Change in centipawns: middlegame above, endgame below");
    let largest = shown
        .iter()
        .flat_map(|difference| (0..2).map(|half| (difference.after[half] - difference.before[half]).abs()))
        .max()
        .unwrap_or(1)
        .max(1);
    let middle = left + width / 2.0;
    for (place, difference) in shown.iter().enumerate() {
        let y = 30.0 + row * place as f64;
        picture.text([left - 8.0, y + 12.0], Anchor::End, 11.0, &EvalParams::name(difference.index));
        for (half, color) in [(0, AFTER), (1, BEFORE)] {
            let change = f64::from(difference.after[half] - difference.before[half]);
            let length = change / f64::from(largest) * width / 2.0;
            let begin = [middle + length.min(0.0), y + 1.0 + 8.0 * half as f64];
            picture.rectangle(begin, [length.abs(), 7.0], color);
        }
        let change: [i32; 2] = std::array::from_fn(|half| difference.after[half] - difference.before[half]);
        picture.text(
            [left + width + 8.0, y + 12.0],
            Anchor::Start,
            10.0,
            &format!("{:+} / {:+}", change[0], change[1]),
        );
    }
    picture.line([middle, 26.0], [middle, 30.0 + row * shown.len() as f64], "#888");
    picture.finish()
}

/// The six piece-square tables of one half.
fn squares(params: &EvalParams, half: usize) -> String {
    let number = |score: engine::eval::Score| f64::from(if half == 0 { score.mg() } else { score.eg() });
    let names = ["pawn", "knight", "bishop", "rook", "queen"];
    let mut boards: Vec<Board> = names
        .into_iter()
        .zip(&params.psqt)
        .zip(&params.piece_value)
        .map(|((name, table), &value)| Board {
            title: format!("{name}: {:.0} and, by square,", number(value)),
            numbers: table.iter().map(|&score| number(score)).collect(),
            columns: 8,
            first_file: 'a',
            full: 60.0,
            note: "own king on the right half",
        })
        .collect();
    boards.push(Board {
        title: "king".to_owned(),
        numbers: params.king_square.iter().map(|&score| number(score)).collect(),
        columns: 4,
        first_file: 'e',
        full: 60.0,
        note: "the other half is its mirror image",
    });
    charts::boards(&boards, 3)
}
