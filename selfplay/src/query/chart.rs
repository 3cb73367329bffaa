//! A bar chart of the first and the last column, as SVG.

use std::fmt::Write;

use super::execute::Found;
use super::output::count_of;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 360.0;
/// Around the bars, for titles and labels.
const MARGIN: f64 = 48.0;
/// Labels below the bars; of more bars only some get one.
const MOST_LABELS: usize = 24;

/// The chart.
pub fn svg(found: &Found) -> String {
    let numbers: Vec<f64> = found.rows.iter().map(|row| count_of(row)).collect();
    let top = numbers.iter().copied().fold(0.0, f64::max);
    let bottom = numbers.iter().copied().fold(0.0, f64::min);
    let scale = (HEIGHT - 2.0 * MARGIN) / (top - bottom).max(f64::MIN_POSITIVE);
    let y = |number: f64| MARGIN + (top - number) * scale;
    let step = (WIDTH - 2.0 * MARGIN) / numbers.len().max(1) as f64;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let title = format!(
        "{} by {}",
        found.columns.last().map_or("", String::as_str),
        found.columns.first().map_or("", String::as_str)
    );
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "<text x=\"{}\" y=\"20\" text-anchor=\"middle\">{}</text>",
        WIDTH / 2.0,
        escaped(&title)
    );
    let every = numbers.len().div_ceil(MOST_LABELS).max(1);
    for (place, (row, &number)) in found.rows.iter().zip(&numbers).enumerate() {
        let x = MARGIN + place as f64 * step;
        let (high, low) = (y(number.max(0.0)), y(number.min(0.0)));
        let label = row.first().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(
            text,
            "<rect x=\"{x:.1}\" y=\"{high:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"#4477aa\"><title>{}: \
             {number}</title></rect>",
            (step * 0.85).max(0.5),
            (low - high).max(0.5),
            escaped(&label)
        );
        if place % every == 0 {
            let centre = x + step * 0.425;
            let below = HEIGHT - MARGIN + 16.0;
            let _ = writeln!(
                text,
                "<text x=\"{centre:.1}\" y=\"{below}\" text-anchor=\"middle\">{}</text>",
                escaped(&label)
            );
        }
    }
    let _ = writeln!(text, "<text x=\"4\" y=\"{:.1}\">{top}</text>", y(top) + 4.0);
    let axis = y(0.0);
    let _ = writeln!(
        text,
        "<line x1=\"{MARGIN}\" x2=\"{}\" y1=\"{axis:.1}\" y2=\"{axis:.1}\" stroke=\"black\"/>\n</svg>",
        WIDTH - MARGIN
    );
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
