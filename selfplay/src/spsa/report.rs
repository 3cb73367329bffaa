//! A run as a table, a chart and a file of parameters.

use std::fmt::Write;

use engine::search::params::Parameter;

use super::State;

/// The parameters that moved furthest (or matter most, when screening), as lines of text.
pub fn table(state: &State, rows: usize) -> String {
    let mut text = String::new();
    let screen = state.settings().screen;
    let header = if state.settings().against.is_some() {
        "new over old value"
    } else if screen {
        "upper over lower value"
    } else {
        "from          to   steps"
    };
    let _ = writeln!(text, "{:<24} {header}", "parameter");
    for index in order(state).into_iter().take(rows) {
        let parameter = state.settings().tuned[index];
        if screen {
            let effect = state.effects()[index];
            let _ = writeln!(text, "{:<24} {:+7.1} ± {:.1} Elo", parameter.name, effect.elo, effect.error);
        } else {
            let (start, now) = (state.path()[0][index], state.path()[state.applied()][index]);
            let steps = steps(state, index, state.applied());
            let _ = writeln!(text, "{:<24} {start:>8.1} {now:>8.1} {steps:+7.2}", parameter.name);
        }
    }
    text
}

/// The parameters by how much there is to say of them.
fn order(state: &State) -> Vec<usize> {
    let mut order: Vec<usize> = (0..state.settings().tuned.len()).collect();
    let effects = state.effects();
    let weight = |index: usize| {
        if state.settings().screen { effects[index].elo } else { steps(state, index, state.applied()).abs() }
    };
    order.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)));
    order
}

/// How far a parameter had moved after so many pairs, in its steps.
fn steps(state: &State, index: usize, pairs: usize) -> f64 {
    let parameter: &Parameter = state.settings().tuned[index];
    (state.path()[pairs][index] - state.path()[0][index]) / f64::from(parameter.step)
}

/// The file that `self:params=` and `ParamFile` take.
pub fn parameter_file(state: &State) -> String {
    state.values().to_text()
}

const CELL: (f64, f64) = (220.0, 90.0);
const COLUMNS: usize = 5;
const POINTS: usize = 120;

/// The path of every parameter, one small picture each, in steps from where it began; SVG.
pub fn chart(state: &State) -> String {
    let tuned = &state.settings().tuned;
    let rows = tuned.len().div_ceil(COLUMNS);
    let (width, height) = (CELL.0 * COLUMNS as f64, CELL.1 * rows as f64 + 24.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"6\" y=\"15\">{} games; each line from 4 steps below to 4 above its start</text>\n",
        2 * state.applied()
    );
    for (index, parameter) in tuned.iter().enumerate() {
        let (column, row) = (index % COLUMNS, index / COLUMNS);
        let (left, top) = (CELL.0 * column as f64 + 6.0, CELL.1 * row as f64 + 24.0);
        let (wide, tall) = (CELL.0 - 14.0, CELL.1 - 24.0);
        let points: Vec<String> = (0..=POINTS)
            .map(|point| {
                let pairs = state.applied() * point / POINTS;
                let x = left + wide * point as f64 / POINTS as f64;
                let y = top + 14.0 + tall * (0.5 - steps(state, index, pairs).clamp(-4.0, 4.0) / 8.0);
                format!("{x:.1},{y:.1}")
            })
            .collect();
        let middle = top + 14.0 + tall / 2.0;
        let (start, now) = (state.path()[0][index], state.path()[state.applied()][index]);
        let _ = writeln!(
            svg,
            "<text x=\"{left}\" y=\"{:.1}\">{} {start:.0} → {now:.1}</text>\
             <line x1=\"{left}\" y1=\"{middle:.1}\" x2=\"{:.1}\" y2=\"{middle:.1}\" stroke=\"#ccc\"/>\
             <polyline fill=\"none\" stroke=\"#1f6feb\" points=\"{}\"/>",
            top + 10.0,
            parameter.name,
            left + wide,
            points.join(" ")
        );
    }
    svg.push_str("</svg>\n");
    svg
}
