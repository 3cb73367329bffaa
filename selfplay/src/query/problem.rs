//! What is wrong with a query: where, why, and what may have been meant.

use std::fmt;
use std::ops::Range;

/// A part of the query's text, in bytes.
pub type Span = Range<usize>;

/// Why a query was refused before anything was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Where it is.
    pub span: Span,
    /// What is wrong there.
    pub message: String,
    /// A way out.
    pub help: Option<String>,
}

impl Problem {
    /// A problem without advice.
    pub fn new(span: Span, message: impl Into<String>) -> Problem {
        Problem { span, message: message.into(), help: None }
    }

    /// The same with advice.
    pub fn with_help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }

    /// A name that nobody knows, with the one that may have been meant.
    pub fn unknown<'a>(
        span: Span,
        what: &str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Problem {
        let problem = Problem::new(span, format!("unknown {what} `{name}`"));
        match nearest(name, known) {
            Some(near) => problem.with_help(format!("did you mean `{near}`?")),
            None => problem,
        }
    }

    /// The problem with the line it is in and a mark below the place.
    pub fn render(&self, text: &str) -> String {
        let start = floor_boundary(text, self.span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let number = text[..start].matches('\n').count() + 1;
        let line = &text[line_start..line_end];
        let column = text[line_start..start].chars().count();
        let end = floor_boundary(text, self.span.end.clamp(start, line_end));
        let width = text[start..end].chars().count().max(1);
        let gutter = " ".repeat(number.to_string().len());
        let mut shown = format!(
            "{} (line {number}, column {})\n{gutter} |\n{number} | {}\n{gutter} | {}{}",
            self.message,
            column + 1,
            line.replace('\t', " "),
            " ".repeat(column),
            "^".repeat(width)
        );
        if let Some(help) = &self.help {
            shown.push_str(&format!("\n{gutter} = {help}"));
        }
        shown
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {}: {}", self.span.start, self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Problem {}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The known name that is nearest to a misspelt one, if any is near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let bound = 1 + name.chars().count() / 3;
    let near = known.into_iter().map(|candidate| (distance(name, candidate), candidate));
    near.filter(|(distance, _)| *distance <= bound).min().map(|(_, candidate)| candidate)
}

/// Letters to insert, remove, replace or swap with their neighbour, regardless of case.
fn distance(a: &str, b: &str) -> usize {
    // A name of a thousand letters is no misspelling of anything.
    const LONGEST: usize = 40;
    let a: Vec<char> = a.to_lowercase().chars().take(LONGEST).collect();
    let b: Vec<char> = b.to_lowercase().chars().take(LONGEST).collect();
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + changed);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_are_understood() {
        let known = ["score", "score_white", "depth", "ply"];
        for (name, meant) in [("scroe", "score"), ("Depth", "depth"), ("score_whit", "score_white")] {
            assert_eq!(nearest(name, known), Some(meant));
        }
        assert_eq!(nearest("zzzzzz", known), None);
    }

    #[test]
    fn the_mark_stands_below_the_place() {
        let text = "count\nwhere ä = skore";
        let at = text.find("skore").unwrap();
        let shown = Problem::unknown(at..at + 5, "name", "skore", ["score"]).render(text);
        let wanted = "unknown name `skore` (line 2, column 11)\n  |\n2 | where ä = skore\n  |           ^^^^^\n  = did you mean `score`?";
        assert_eq!(shown, wanted);
    }
}
