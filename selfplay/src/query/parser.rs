//! Queries: sources, stages, outputs. Expressions are read by [`super::expression`].

use super::lexer::{Token, tokens};
use super::problem::{Problem, Span};
use super::syntax::{Expr, Format, Item, Output, Query, SearchLimit, Source, Stage};

const SOURCES: [&str; 5] = ["games", "positions", "position", "game", "random"];
const STEPS: [&str; 18] = [
    "where",
    "once",
    "walk",
    "prune",
    "search",
    "follow",
    "perft",
    "group",
    "order",
    "take",
    "select",
    "count",
    "mean",
    "sum",
    "min",
    "max",
    "histogram",
    "as",
];

/// Reads the queries of a text, `;` between them.
pub fn parse(text: &str) -> Result<Vec<Query>, Problem> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
    let mut queries = Vec::new();
    loop {
        while parser.accept(";") {}
        if *parser.peek() == Token::End {
            return Ok(queries);
        }
        queries.push(parser.query()?);
        if *parser.peek() != Token::End && !parser.is(";") {
            return Err(parser.unexpected_step());
        }
    }
}

/// Reads a single expression and nothing else.
pub fn parse_expression(text: &str) -> Result<Expr, Problem> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
    let expression = parser.expression()?;
    match parser.peek() {
        Token::End => Ok(expression),
        other => Err(Problem::new(
            parser.span(),
            format!("expected the end of the condition, found {}", other.describe()),
        )),
    }
}

/// Where the reading is.
pub(super) struct Parser {
    tokens: Vec<(Token, Span)>,
    at: usize,
    /// Brackets that are open.
    pub(super) depth: usize,
}

impl Parser {
    pub(super) fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].1.clone()
    }

    /// Where the last token that was taken ends.
    pub(super) fn end(&self) -> usize {
        self.tokens[self.at.saturating_sub(1)].1.end
    }

    pub(super) fn next(&mut self) -> Token {
        let token = self.peek().clone();
        if token != Token::End {
            self.at += 1;
        }
        token
    }

    /// Whether a word or a symbol comes next.
    pub(super) fn is(&self, text: &str) -> bool {
        match self.peek() {
            Token::Word(word) => word == text,
            Token::Symbol(symbol) => *symbol == text,
            _ => false,
        }
    }

    pub(super) fn accept(&mut self, text: &str) -> bool {
        let found = self.is(text);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, text: &str) -> Result<(), Problem> {
        match self.accept(text) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{text}`"))),
        }
    }

    pub(super) fn expected(&self, what: &str) -> Problem {
        Problem::new(self.span(), format!("expected {what}, found {}", self.peek().describe()))
    }

    fn unexpected_step(&self) -> Problem {
        match self.peek() {
            Token::Word(word) => Problem::unknown(self.span(), "stage or output", word, STEPS),
            _ => self.expected("a stage, an output or the end of the query"),
        }
    }

    fn query(&mut self) -> Result<Query, Problem> {
        let source = self.source()?;
        let mut stages = Vec::new();
        while let Some(stage) = self.stage()? {
            stages.push(stage);
        }
        let output = self.output()?;
        let format = if self.accept("as") { Some(self.format()?) } else { None };
        Ok(Query { source, stages, output, format })
    }

    fn source(&mut self) -> Result<Source, Problem> {
        let span = self.span();
        let Token::Word(word) = self.next() else {
            self.at = self.at.saturating_sub(usize::from(span != self.span()));
            return Err(self.expected("a source").with_help(format!("one of {}", SOURCES.join(", "))));
        };
        match word.as_str() {
            "games" => {
                let files = self.files()?;
                let variations = self.accept("with");
                if variations {
                    self.expect("variations")?;
                }
                Ok(Source::Games { files, variations })
            }
            "positions" => Ok(Source::Positions(self.files()?)),
            "position" => match self.next() {
                Token::Text(fen) => Ok(Source::Position(Some(fen))),
                Token::Word(word) if word == "start" => Ok(Source::Position(None)),
                _ => Err(Problem::new(span, "`position` needs a FEN in quotation marks, or `start`")),
            },
            "game" => {
                let number = self.whole("the number of a game")?;
                self.expect("at")?;
                let at = self.whole("the number of a move")?;
                let black = self.accept("black");
                if !black {
                    self.expect("white")?;
                }
                self.expect("of")?;
                Ok(Source::Game { number, at, black, files: self.files()? })
            }
            "random" => {
                let plies = self.whole("how many plies")?;
                self.expect("plies")?;
                let times = if self.accept("times") { self.whole("how many walks")? } else { 1 };
                let seed = if self.accept("seed") { self.whole("a seed")? } else { 1 };
                Ok(Source::Random { plies, times, seed })
            }
            other => Err(Problem::unknown(span, "source", other, SOURCES)
                .with_source_help(&format!("a query begins with one of {}", SOURCES.join(", ")))),
        }
    }

    fn files(&mut self) -> Result<Vec<String>, Problem> {
        let mut files = Vec::new();
        loop {
            match self.peek().clone() {
                Token::Text(file) => files.push(file),
                _ => {
                    let problem = self.expected("a file name in quotation marks");
                    return Err(problem.with_help("like games \"night.tgr\" or games \"a.pgn\", \"b.pgn\""));
                }
            }
            self.at += 1;
            if !self.accept(",") {
                return Ok(files);
            }
        }
    }

    pub(super) fn whole(&mut self, what: &str) -> Result<u64, Problem> {
        match *self.peek() {
            Token::Number(number) if number.fract() == 0.0 => {
                self.at += 1;
                Ok(number as u64)
            }
            _ => Err(self.expected(&format!("{what} (a whole number)"))),
        }
    }

    fn stage(&mut self) -> Result<Option<(Stage, Span)>, Problem> {
        let start = self.span().start;
        let Token::Word(word) = self.peek().clone() else { return Ok(None) };
        let at = self.at;
        self.at += 1;
        let stage = match word.as_str() {
            "where" => Stage::Where(self.expression()?),
            "once" => Stage::Once,
            "walk" => Stage::Walk(self.whole("how many plies")?),
            "prune" => {
                self.expect("with")?;
                Stage::PruneWith(self.expression()?)
            }
            "search" => self.search()?,
            "follow" => {
                let plies = matches!(self.peek(), Token::Number(_));
                Stage::Follow(if plies { Some(self.whole("how many plies")?) } else { None })
            }
            "perft" => Stage::Perft(self.whole("a depth")?),
            "group" => {
                self.expect("by")?;
                Stage::GroupBy(self.items()?)
            }
            "order" => {
                self.expect("by")?;
                Stage::OrderBy(self.keys()?)
            }
            "take" => Stage::Take(self.whole("how many")?),
            _ => {
                self.at = at;
                return Ok(None);
            }
        };
        Ok(Some((stage, start..self.end())))
    }

    fn search(&mut self) -> Result<Stage, Problem> {
        let limit = if self.accept("depth") {
            SearchLimit::Depth(self.whole("a depth")?)
        } else if self.accept("nodes") {
            SearchLimit::Nodes(self.whole("how many nodes")?)
        } else {
            return Err(self
                .expected("`depth` or `nodes`")
                .with_help("like search depth 8, search nodes 5000"));
        };
        let lines = if self.accept("lines") { self.whole("how many lines")? } else { 1 };
        Ok(Stage::Search { limit, lines })
    }

    fn keys(&mut self) -> Result<Vec<(Expr, bool)>, Problem> {
        let mut keys = Vec::new();
        loop {
            let key = self.expression()?;
            let falling = self.accept("desc");
            if !falling {
                self.accept("asc");
            }
            keys.push((key, falling));
            if !self.accept(",") {
                return Ok(keys);
            }
        }
    }

    fn items(&mut self) -> Result<Vec<Item>, Problem> {
        let mut items = Vec::new();
        loop {
            let value = self.expression()?;
            let name = if self.accept("named") { Some(self.name()?) } else { None };
            items.push(Item { value, name });
            if !self.accept(",") {
                return Ok(items);
            }
        }
    }

    pub(super) fn name(&mut self) -> Result<String, Problem> {
        match self.peek().clone() {
            Token::Word(name) => {
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.expected("a name")),
        }
    }

    /// `select …`, or one aggregate without the word: `count`, `mean E`, `histogram E`.
    fn output(&mut self) -> Result<Output, Problem> {
        if self.accept("select") {
            return Ok(Output::Select(self.items()?));
        }
        if self.accept("histogram") {
            let value = self.expression()?;
            let width = match self.accept("by") {
                true => match self.next() {
                    Token::Number(width) if width > 0.0 => Some(width),
                    _ => return Err(Problem::new(value.span, "`by` needs the width of a range, above 0")),
                },
                false => None,
            };
            return Ok(Output::Histogram(value, width));
        }
        let Token::Word(word) = self.peek().clone() else { return Ok(Output::Unsaid) };
        match word.as_str() {
            "count" => Ok(Output::Select(self.items()?)),
            "mean" | "sum" | "min" | "max" => {
                let start = self.span().start;
                self.at += 1;
                let value = self.expression()?;
                let span = start..self.end();
                let value = Expr { kind: super::syntax::ExprKind::Call(word, vec![value]), span };
                Ok(Output::Select(vec![Item { value, name: None }]))
            }
            _ => Ok(Output::Unsaid),
        }
    }

    fn format(&mut self) -> Result<Format, Problem> {
        let span = self.span();
        let name = self.name()?;
        let named = Format::NAMED.iter().find(|(known, _)| *known == name);
        named
            .map(|(_, format)| *format)
            .ok_or_else(|| Problem::unknown(span, "format", &name, Format::NAMED.map(|(known, _)| known)))
    }
}

impl Problem {
    /// Advice where the spelling gave none.
    fn with_source_help(self, help: &str) -> Problem {
        match self.help {
            Some(_) => self,
            None => self.with_help(help),
        }
    }
}
