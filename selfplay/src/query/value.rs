//! What an expression gives, at last.

use std::cmp::Ordering;
use std::fmt;

use engine::types::{Bitboard, Square};

/// A value of any type.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number; NaN where there is none.
    Number(f64),
    /// True or false.
    Truth(bool),
    /// Squares.
    Set(Bitboard),
    /// A text; `None` where there is none.
    Text(Option<Box<str>>),
}

impl Value {
    /// Whether it is known.
    pub fn is_known(&self) -> bool {
        match self {
            Value::Number(number) => !number.is_nan(),
            Value::Text(text) => text.is_some(),
            _ => true,
        }
    }

    /// As JSON has it.
    pub fn json(&self) -> serde_json::Value {
        match self {
            Value::Number(number) if number.fract() == 0.0 && number.abs() < 2f64.powi(53) => {
                (*number as i64).into()
            }
            // No number: null.
            Value::Number(number) => (*number).into(),
            Value::Truth(truth) => (*truth).into(),
            Value::Set(set) => set.into_iter().map(|square| square.to_string()).collect::<Vec<_>>().into(),
            Value::Text(text) => text.as_deref().into(),
        }
    }

    /// A total order: what is missing first, then by size, squares by their first square, texts by letters.
    pub fn order(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => match (a.is_nan(), b.is_nan()) {
                (false, false) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
                (a, b) => b.cmp(&a),
            },
            (Value::Truth(a), Value::Truth(b)) => a.cmp(b),
            (Value::Set(a), Value::Set(b)) => a.0.cmp(&b.0),
            (Value::Text(a), Value::Text(b)) => a.cmp(b),
            (a, b) => a.kind().cmp(&b.kind()),
        }
    }

    const fn kind(&self) -> u8 {
        match self {
            Value::Number(_) => 0,
            Value::Truth(_) => 1,
            Value::Set(_) => 2,
            Value::Text(_) => 3,
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        self.order(other) == Ordering::Equal
    }
}

impl Eq for Value {}

impl std::hash::Hash for Value {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        match self {
            // 0.0 and -0.0 are equal, and so are all that are missing.
            Value::Number(number) if number.is_nan() => f64::NAN.to_bits().hash(state),
            Value::Number(number) => (number + 0.0).to_bits().hash(state),
            Value::Truth(truth) => truth.hash(state),
            Value::Set(set) => set.0.hash(state),
            Value::Text(text) => text.hash(state),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) if number.is_nan() => Ok(()),
            Value::Number(number) if number.fract() == 0.0 => write!(f, "{}", number + 0.0),
            Value::Number(number) => {
                let text = format!("{number:.4}");
                f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
            }
            Value::Truth(truth) => f.write_str(if *truth { "yes" } else { "no" }),
            Value::Set(set) => {
                let squares: Vec<String> = set.into_iter().map(|square: Square| square.to_string()).collect();
                f.write_str(&squares.join(" "))
            }
            Value::Text(text) => f.write_str(text.as_deref().unwrap_or("")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_short_and_ordered() {
        for (number, shown) in [(0.5, "0.5"), (-0.0, "0"), (1.0 / 3.0, "0.3333"), (1e9, "1000000000")] {
            assert_eq!(Value::Number(number).to_string(), shown);
        }
        assert_eq!(Value::Number(f64::NAN).order(&Value::Number(-1e9)), Ordering::Less);
        assert_eq!(Value::Number(f64::NAN), Value::Number(f64::NAN));
        assert_eq!(Value::Number(f64::NAN).json(), serde_json::Value::Null);
    }
}
