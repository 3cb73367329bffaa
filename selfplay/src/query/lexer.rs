//! The words of a query.

use super::problem::{Problem, Span};

/// No query is longer: what is, is no query.
const LONGEST: usize = 1 << 16;
/// Nor has one more words: every operator may be a level of the tree, and trees are walked on the stack.
const MOST_WORDS: usize = 2000;

/// What a word is.
#[derive(Clone, PartialEq, Debug)]
pub enum Token {
    /// A name or a keyword.
    Word(String),
    /// A number.
    Number(f64),
    /// A text in quotation marks, without them.
    Text(String),
    /// An operator or a bracket.
    Symbol(&'static str),
    /// Nothing more.
    End,
}

impl Token {
    /// The token as an error names it.
    pub fn describe(&self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Number(number) => format!("the number {number}"),
            Token::Text(text) => format!("the text \"{text}\""),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end of the query".to_string(),
        }
    }
}

/// The longer of two that begin alike goes first.
const SYMBOLS: [&str; 22] = [
    "!=", "<=", ">=", "==", "<>", "<", ">", "=", "+", "-", "*", "/", "%", "&", "|", "~", "^", "(", ")", ",",
    ":", ";",
];

/// Cuts a text into words, each with its place. `#` begins a comment that ends with the line.
pub fn tokens(text: &str) -> Result<Vec<(Token, Span)>, Problem> {
    if text.len() > LONGEST {
        let message = format!("the query has {} bytes; the longest allowed has {LONGEST}", text.len());
        return Err(Problem::new(LONGEST..text.len(), message));
    }
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (token, length) = match first {
            '#' => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            _ if first.is_whitespace() => {
                at += first.len_utf8();
                continue;
            }
            '"' | '\'' => read_text(rest, at, first)?,
            '0'..='9' => read_number(rest, at)?,
            _ if first.is_alphabetic() || first == '_' => {
                let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                (Token::Word(rest[..end].to_string()), end)
            }
            _ => match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
                Some(symbol) => (Token::Symbol(symbol), symbol.len()),
                None => {
                    let span = at..at + first.len_utf8();
                    return Err(Problem::new(span, format!("unexpected character `{first}`")));
                }
            },
        };
        if found.len() == MOST_WORDS {
            return Err(Problem::new(at..at + length, format!("the query has more than {MOST_WORDS} words")));
        }
        found.push((token, at..at + length));
        at += length;
    }
    found.push((Token::End, text.len()..text.len()));
    Ok(found)
}

/// A text; `\"` and `\\` stand for what follows the backslash.
fn read_text(rest: &str, at: usize, quote: char) -> Result<(Token, usize), Problem> {
    let mut value = String::new();
    let mut letters = rest.char_indices().skip(1);
    while let Some((place, letter)) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some((_, escaped)) => value.push(escaped),
                None => break,
            },
            _ if letter == quote => return Ok((Token::Text(value), place + 1)),
            _ => value.push(letter),
        }
    }
    let problem = Problem::new(at..at + 1, "this text has no closing quotation mark");
    Err(problem.with_help(format!("end it with {quote}")))
}

/// `12`, `1_000`, `0.5`.
fn read_number(rest: &str, at: usize) -> Result<(Token, usize), Problem> {
    let digits = |text: &str| text.find(|c: char| !(c.is_ascii_digit() || c == '_')).unwrap_or(text.len());
    let mut end = digits(rest);
    if let Some(fraction) = rest[end..].strip_prefix('.')
        && fraction.starts_with(|c: char| c.is_ascii_digit())
    {
        end += 1 + digits(fraction);
    }
    if let Some(letter) = rest[end..].chars().next().filter(|c| c.is_alphabetic()) {
        let span = at..at + end + letter.len_utf8();
        return Err(Problem::new(span, "a number runs into a word").with_help("put a space between them"));
    }
    let number = rest[..end].replace('_', "").parse::<f64>().unwrap_or(f64::INFINITY);
    // Larger ones would lose digits.
    match number <= 2f64.powi(53) {
        true => Ok((Token::Number(number), end)),
        false => Err(Problem::new(at..at + end, "this number is too large")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_every_kind() {
        let found = tokens("where a1>=1_000.5 # no\n \"x\\\"y\" != 'z'").unwrap();
        let found: Vec<Token> = found.into_iter().map(|(token, _)| token).collect();
        let wanted = [
            Token::Word("where".into()),
            Token::Word("a1".into()),
            Token::Symbol(">="),
            Token::Number(1000.5),
            Token::Text("x\"y".into()),
            Token::Symbol("!="),
            Token::Text("z".into()),
            Token::End,
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn what_is_no_word_is_refused() {
        for text in ["\"open", "'a\\", "12abc", "a $ b", "99999999999999999999"] {
            assert!(tokens(text).is_err(), "{text}");
        }
        assert!(tokens(&" ".repeat(LONGEST + 1)).is_err());
    }
}
