//! TOML with line numbers: what the files of weights and of styles are read with.

use std::fmt::Write;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What is wrong with a file, and on which line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct LineError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and the way back.
    pub problem: String,
}

/// A table of a file, with the text around it.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    text: &'a str,
    entries: &'a DeTable<'a>,
    span_start: usize,
}

/// A value of a file, with the text around it.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    text: &'a str,
    value: &'a Spanned<DeValue<'a>>,
}

/// Reads a whole file and hands its top table on.
pub(super) fn read<R>(text: &str, read: impl FnOnce(Table) -> Result<R, LineError>) -> Result<R, LineError> {
    match DeTable::parse(text) {
        Ok(table) => read(Table { text, entries: table.get_ref(), span_start: 0 }),
        Err(error) => {
            let at = error.span().unwrap_or(0..0);
            Err(error_at(text, at, format!("this is not TOML: {}", error.message())))
        }
    }
}

fn error_at(text: &str, at: Range<usize>, problem: impl Into<String>) -> LineError {
    let before = text.get(..at.start).unwrap_or(text);
    LineError { line: 1 + before.matches('\n').count(), problem: problem.into() }
}

impl<'a> Table<'a> {
    /// An error about the table as a whole.
    pub fn error(&self, problem: impl Into<String>) -> LineError {
        error_at(self.text, self.span_start..self.span_start, problem)
    }

    /// An entry that may be missing.
    pub fn find(&self, name: &str) -> Option<Entry<'a>> {
        self.entries.get(name).map(|value| Entry { text: self.text, value })
    }

    /// An entry that must be there.
    pub fn get(&self, name: &str) -> Result<Entry<'a>, LineError> {
        self.find(name).ok_or_else(|| self.error(format!("`{name}` is missing here")))
    }

    /// Complains about the first entry, from the top of the file, with a name that is not known.
    pub fn allow_only(
        &self,
        known: impl Fn(&str) -> bool,
        advice: impl Fn(&str) -> String,
    ) -> Result<(), LineError> {
        let unknown = self.entries.keys().filter(|key| !known(key.get_ref()));
        match unknown.min_by_key(|key| key.span().start) {
            Some(key) => Err(error_at(self.text, key.span(), advice(key.get_ref()))),
            None => Ok(()),
        }
    }
}

impl<'a> Entry<'a> {
    /// An error about this entry.
    pub fn error(&self, problem: impl Into<String>) -> LineError {
        error_at(self.text, self.value.span(), problem)
    }

    fn expected(&self, what: &str) -> LineError {
        self.error(format!("expected {what}, found {}", self.value.get_ref().type_str()))
    }

    pub fn table(&self) -> Result<Table<'a>, LineError> {
        let entries = self.value.get_ref().as_table().ok_or_else(|| self.expected("a table"))?;
        Ok(Table { text: self.text, entries, span_start: self.value.span().start })
    }

    pub fn string(&self) -> Result<&'a str, LineError> {
        self.value.get_ref().as_str().ok_or_else(|| self.expected("a string"))
    }

    pub fn array(&self) -> Result<Vec<Entry<'a>>, LineError> {
        let array = self.value.get_ref().as_array().ok_or_else(|| self.expected("an array"))?;
        Ok(array.iter().map(|value| Entry { text: self.text, value }).collect())
    }

    /// A whole number within a range.
    pub fn integer(&self, range: Range<i64>) -> Result<i64, LineError> {
        let number = self.value.get_ref().as_integer().ok_or_else(|| self.expected("a whole number"))?;
        match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) if range.contains(&number) => Ok(number),
            _ => Err(self.error(format!(
                "{} is not within {}..={}",
                number.as_str(),
                range.start,
                range.end - 1
            ))),
        }
    }

    /// A finite number with a decimal point.
    pub fn float(&self) -> Result<f64, LineError> {
        let number = self.value.get_ref().as_float().ok_or_else(|| self.expected("a decimal number"))?;
        match number.as_str().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(self.error(format!("{} is not a finite number", number.as_str()))),
        }
    }
}

/// A string as TOML writes it.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
