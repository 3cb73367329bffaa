//! Answers as text: a table, JSON, CSV, a chart, or what was found as it is.

use super::chart;
use super::execute::Found;
use super::plan::{Collect, Plan};
use super::syntax::Format;
use super::value::Value;

/// The widest a column of a table gets.
const WIDEST: usize = 100;

/// Writes an answer in the format of its query, or in the one asked for where it names none.
pub fn render(plan: &Plan, found: &Found, default: Format) -> String {
    if matches!(plan.result, Collect::Epd | Collect::Pgn) {
        let end = if matches!(plan.result, Collect::Epd) { "\n" } else { "" };
        return found.rows.iter().map(|row| format!("{}{end}", row[0])).collect();
    }
    match plan.format.unwrap_or(default) {
        Format::Json => json(found),
        Format::Csv => csv(found),
        Format::Svg => chart::svg(found),
        _ if plan.is_histogram => bars(found),
        _ => table(found),
    }
}

/// Columns of equal width; numbers to the right.
fn table(found: &Found) -> String {
    let cells: Vec<Vec<String>> = found.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    let is_number =
        |column: usize| found.rows.iter().all(|row| matches!(row.get(column), Some(Value::Number(_))));
    let mut text = String::new();
    let columns: Vec<(usize, bool)> = (found.columns.iter().enumerate())
        .map(|(column, name)| {
            let cells = cells.iter().map(|row| row[column].chars().count());
            (cells.chain([name.chars().count()]).max().unwrap_or(0), is_number(column))
        })
        .collect();
    let mut push = |row: &[String]| {
        let padded = row.iter().zip(&columns).map(|(cell, (width, right))| match right {
            true => format!("{cell:>width$}"),
            false => format!("{cell:<width$}"),
        });
        text.push_str(padded.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    };
    push(&found.columns);
    cells.iter().for_each(|row| push(row));
    text
}

fn cell(value: &Value) -> String {
    let text = value.to_string().replace(['\n', '\t'], " ");
    match text.chars().count() > WIDEST {
        true => text.chars().take(WIDEST - 1).chain(['…']).collect(),
        false => text,
    }
}

/// A histogram with a bar a row.
fn bars(found: &Found) -> String {
    const WIDTH: f64 = 50.0;
    let counts: Vec<f64> = found.rows.iter().map(|row| count_of(row)).collect();
    let (most, sum) = (counts.iter().copied().fold(1.0, f64::max), counts.iter().sum::<f64>().max(1.0));
    let keys: Vec<String> = found.rows.iter().map(|row| cell(&row[0])).collect();
    let title = found.columns.first().map_or("", String::as_str);
    let width = keys.iter().map(|key| key.chars().count()).chain([title.chars().count()]).max().unwrap_or(0);
    let mut text = format!("{title:>width$}      count  share\n");
    for (key, count) in keys.iter().zip(counts) {
        let bar = "█".repeat((count / most * WIDTH).round() as usize);
        text.push_str(format!("{key:>width$} {count:>10} {:>5.1}% {bar}", 100.0 * count / sum).trim_end());
        text.push('\n');
    }
    text
}

/// The last column of a histogram.
pub(super) fn count_of(row: &[Value]) -> f64 {
    match row.last() {
        Some(Value::Number(number)) if !number.is_nan() => *number,
        _ => 0.0,
    }
}

fn json(found: &Found) -> String {
    let rows: Vec<serde_json::Value> = found
        .rows
        .iter()
        .map(|row| {
            let fields = found.columns.iter().cloned().zip(row.iter().map(Value::json));
            serde_json::Value::Object(fields.collect())
        })
        .collect();
    format!("{:#}\n", serde_json::Value::Array(rows))
}

fn csv(found: &Found) -> String {
    let line = |cells: Vec<String>| format!("{}\n", cells.join(","));
    let mut text = line(found.columns.iter().map(|name| quoted(name)).collect());
    for row in &found.rows {
        text.push_str(&line(row.iter().map(|value| quoted(&exact(value))).collect()));
    }
    text
}

/// With all digits: tables are for people, CSV is for programs.
fn exact(value: &Value) -> String {
    match value {
        Value::Number(number) if number.is_nan() => String::new(),
        Value::Number(number) => number.to_string(),
        other => other.to_string(),
    }
}

fn quoted(text: &str) -> String {
    match text.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}
