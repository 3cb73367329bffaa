//! What a position is said to be worth: the result of its game, the score of a search, or both.
//!
//! | form | meaning |
//! | --- | --- |
//! | `c9 "1-0";` or any quoted or bare `1-0`, `0-1`, `1/2-1/2` | the result |
//! | `[1.0]`, `[0.5]`, `[0.0]`, `[1-0]` | the result, or an expected score |
//! | `;w` `;b` `;d` after the position | the result |
//! | `pgn=1.0`, `pgn=1-0` | the result |
//! | `ce 34;` | a search's score in centipawns |

/// What a line says about its position.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Label {
    /// The result, 0 to 1.
    pub result: Option<f32>,
    /// The score of a search, in centipawns.
    pub score: Option<i16>,
}

/// From whose point of view results or scores are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Side {
    /// White's
    White,
    /// Black's
    Black,
    /// The side to move's
    Stm,
}

/// Why a line has no label.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LabelError {
    /// Nothing that looks like one.
    #[error("no result and no score; expected c9 \"1-0\"; or [0.5] or ;w or pgn=1.0 or ce 34;")]
    Missing,
    /// A result that is none.
    #[error("`{0}` is no result; expected 1-0, 0-1, 1/2-1/2 or a number from 0 to 1")]
    NoResult(String),
    /// A score that is none.
    #[error("`ce {0}` is no score in centipawns")]
    NoScore(String),
    /// Two results.
    #[error("two different results")]
    TwoResults,
}

impl Label {
    /// Reads what follows the position on its line.
    #[inline(always)]
    pub fn parse(text: &str) -> Result<Label, LabelError> {
        let mut label = Label::default();
        let separator = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b';' | b',');
        let mut words = text.as_bytes().split(separator).filter(|word| !word.is_empty());
        while let Some(word) = words.next() {
            let bare = without_marks(word);
            if let Some(result) = named_result(bare) {
                label.set_result(result)?;
            } else if word[0] == b'[' {
                label.set_result(number(bare).ok_or_else(|| LabelError::NoResult(shown(bare)))?)?;
            } else if let Some(result) = bare.strip_prefix(b"pgn=") {
                let value = named_result(result).or_else(|| number(result));
                label.set_result(value.ok_or_else(|| LabelError::NoResult(shown(result)))?)?;
            } else if word == b"c9" {
                // Nobody keeps anything else there: a broken result must not pass for none.
                let text = without_marks(words.next().unwrap_or(b""));
                let value = named_result(text).or_else(|| number(text));
                label.set_result(value.ok_or_else(|| LabelError::NoResult(shown(text)))?)?;
            } else if word == b"ce" {
                let text = words.next().unwrap_or(b"");
                let score: i32 = parsed(text).ok_or_else(|| LabelError::NoScore(shown(text)))?;
                label.score = Some(score.clamp(-32_000, 32_000) as i16);
            }
        }
        match label {
            Label { result: None, score: None } => Err(LabelError::Missing),
            label => Ok(label),
        }
    }

    fn set_result(&mut self, result: f32) -> Result<(), LabelError> {
        match self.result.replace(result) {
            Some(before) if before != result => Err(LabelError::TwoResults),
            _ => Ok(()),
        }
    }

    /// The same from White's point of view.
    pub fn for_white(self, white_to_move: bool, results: Side, scores: Side) -> Label {
        let turned = |side| match side {
            Side::White => false,
            Side::Black => true,
            Side::Stm => !white_to_move,
        };
        Label {
            result: self.result.map(|result| if turned(results) { 1.0 - result } else { result }),
            score: self.score.map(|score| if turned(scores) { -score } else { score }),
        }
    }
}

/// Without the quotation marks and brackets around it.
fn without_marks(mut word: &[u8]) -> &[u8] {
    while let [b'"' | b'[' | b']', rest @ ..] | [rest @ .., b'"' | b'[' | b']'] = word {
        word = rest;
    }
    word
}

fn named_result(text: &[u8]) -> Option<f32> {
    match text {
        b"1-0" | b"w" => Some(1.0),
        b"0-1" | b"b" => Some(0.0),
        b"1/2-1/2" | b"1/2" | b"d" => Some(0.5),
        _ => None,
    }
}

fn parsed<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok().and_then(|text| text.parse().ok())
}

fn number(text: &[u8]) -> Option<f32> {
    parsed(text).filter(|number| (0.0..=1.0).contains(number))
}

/// For messages.
fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form() {
        for (text, result, score) in [
            (" c9 \"1-0\"; ce -303;", Some(1.0), Some(-303)),
            ("c9 \"1/2-1/2\";", Some(0.5), None),
            (" ce 12; c9 \"0-1\"", Some(0.0), Some(12)),
            (" 0 3 [0.0]", Some(0.0), None),
            (" [0.5]", Some(0.5), None),
            ("[1-0]", Some(1.0), None),
            ("[0.75]", Some(0.75), None),
            (";w", Some(1.0), None),
            ("; b", Some(0.0), None),
            (";d\r", Some(0.5), None),
            (" pgn=0.5;", Some(0.5), None),
            (" bm Nf3; pgn=1-0", Some(1.0), None),
            (" 1/2-1/2", Some(0.5), None),
            (" ce 99999;", None, Some(32_000)),
        ] {
            assert_eq!(Label::parse(text), Ok(Label { result, score }), "{text}");
        }
        for (text, error) in [
            ("", LabelError::Missing),
            (" bm Nf3; id \"x\";", LabelError::Missing),
            (" c9 \"1-2\";", LabelError::NoResult("1-2".into())),
            (" c9 \"*\";", LabelError::NoResult("*".into())),
            (" [2.0]", LabelError::NoResult("2.0".into())),
            (" pgn=x", LabelError::NoResult("x".into())),
            (" ce x;", LabelError::NoScore("x".into())),
            (" c9 \"1-0\"; [0.0]", LabelError::TwoResults),
        ] {
            assert_eq!(Label::parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn points_of_view() {
        let label = Label { result: Some(1.0), score: Some(50) };
        assert_eq!(label.for_white(true, Side::Stm, Side::Stm), label);
        assert_eq!(label.for_white(false, Side::White, Side::White), label);
        let turned = Label { result: Some(0.0), score: Some(-50) };
        assert_eq!(label.for_white(false, Side::Stm, Side::Stm), turned);
    }
}
