//! A query as it was written: a tree with places, before anybody knows what its names mean.

use super::problem::Span;

/// One query.
#[derive(Clone, PartialEq, Debug)]
pub struct Query {
    /// Where the positions come from.
    pub source: Source,
    /// What happens to them, in order.
    pub stages: Vec<(Stage, Span)>,
    /// What is wanted.
    pub output: Output,
    /// How it is written, where that is said.
    pub format: Option<Format>,
}

/// Where positions come from.
#[derive(Clone, PartialEq, Debug)]
pub enum Source {
    /// All positions of all games of records or PGN files.
    Games {
        /// The files.
        files: Vec<String>,
        /// Whether the variations of PGN are games of their own.
        variations: bool,
    },
    /// The lines of EPD or FEN files.
    Positions(Vec<String>),
    /// One position.
    Position(Option<String>),
    /// One position of one game: before a side's move with a number.
    Game {
        /// The game's number.
        number: u64,
        /// The number of the move.
        at: u64,
        /// Whether it is Black's.
        black: bool,
        /// The files.
        files: Vec<String>,
    },
    /// The ends of random walks from the initial position.
    Random {
        /// Moves of a walk.
        plies: u64,
        /// Walks.
        times: u64,
        /// Whatever makes them these and no others.
        seed: u64,
    },
}

/// One step of a query.
#[derive(Clone, PartialEq, Debug)]
pub enum Stage {
    /// Keep what fulfils a condition.
    Where(Expr),
    /// Keep the first position of each game.
    Once,
    /// Go to all positions so many plies on.
    Walk(u64),
    /// Do not go on from where this holds.
    PruneWith(Expr),
    /// Let the engine think.
    Search {
        /// How far.
        limit: SearchLimit,
        /// How many best lines.
        lines: u64,
    },
    /// Go to the end of the line that was found, or so many plies along it.
    Follow(Option<u64>),
    /// Count the leaves of the tree of moves.
    Perft(u64),
    /// Put together what agrees.
    GroupBy(Vec<Item>),
    /// Sort.
    OrderBy(Vec<(Expr, bool)>),
    /// Keep the first so many.
    Take(u64),
}

/// How far a search goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchLimit {
    /// To a depth.
    Depth(u64),
    /// So many nodes.
    Nodes(u64),
}

/// What is wanted.
#[derive(Clone, PartialEq, Debug)]
pub enum Output {
    /// Columns.
    Select(Vec<Item>),
    /// How often a value occurs, in ranges of a width.
    Histogram(Expr, Option<f64>),
    /// Nothing was said.
    Unsaid,
}

/// A column.
#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    /// What is in it.
    pub value: Expr,
    /// Its name, where one was given.
    pub name: Option<String>,
}

/// How results are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Columns for people.
    Table,
    /// A list of objects.
    Json,
    /// Comma-separated values.
    Csv,
    /// A chart.
    Svg,
    /// The positions that were found.
    Epd,
    /// The games that they are from.
    Pgn,
}

impl Format {
    /// All, by name.
    pub const NAMED: [(&str, Format); 6] = [
        ("table", Format::Table),
        ("json", Format::Json),
        ("csv", Format::Csv),
        ("svg", Format::Svg),
        ("epd", Format::Epd),
        ("pgn", Format::Pgn),
    ];
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it says.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// Two expressions are equal that say the same, wherever they stand.
impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        self.kind == other.kind
    }
}

/// What an expression says.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// A field, a square, a constant, a variable.
    Name(String),
    /// A function.
    Call(String, Vec<Expr>),
    /// `not`, `-`, `~`.
    Unary(&'static str, Box<Expr>),
    /// Everything with two sides.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `a in (b, c)`.
    OneOf(Box<Expr>, Vec<Expr>),
    /// `some x in SET: CONDITION`.
    Each {
        /// Which squares must fulfil it.
        quantifier: Quantifier,
        /// The name of the square.
        variable: String,
        /// The squares.
        set: Box<Expr>,
        /// The condition.
        body: Box<Expr>,
    },
    /// The first here, the second later in the game.
    Then(Box<Expr>, Box<Expr>, Option<u64>),
}

/// Which squares of a set must fulfil a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// At least one.
    Some,
    /// All.
    Every,
    /// Those that do make a set.
    Those,
}
