//! Questions to positions and games: `selfplay query`, and a filter for other programs.
//!
//! The way of a query: [`lexer`] and [`parser`] make a [`syntax`] tree with places, [`check`] gives every name
//! its meaning and every expression its type, [`plan`] orders the steps, [`execute`] reads the source on all
//! cores and leads positions through a [`run`], [`output`] writes what was found. `docs/10-query.md` is the
//! language's page.
//!
//! Other programs use [`Filter`]: a condition, and the plies of a game at which it holds.

mod aggregate;
mod chart;
mod check;
mod chess;
mod execute;
mod export;
mod expression;
mod fields;
mod filter;
mod functions;
mod game;
mod lexer;
mod limits;
mod material;
mod nodes;
mod output;
mod parser;
mod plan;
mod problem;
mod run;
mod scene;
mod source;
mod syntax;
mod thinking;
mod tracks;
mod value;
mod vocabulary;

pub use execute::{Found, execute};
pub use filter::Filter;
pub use game::{Game, Thought};
pub use limits::{Halt, Limits};
pub use output::render;
pub use plan::Plan;
pub use problem::{Problem, Span};
pub use source::{Complaint, SourceError, missing_file};
pub use syntax::Format;
pub use value::Value;
pub use vocabulary::{AGGREGATES, FIELDS, FUNCTIONS, Function, Meaning, Word};

/// Reads and checks the queries of a text: nothing is opened yet.
pub fn compile(text: &str) -> Result<Vec<Plan>, Problem> {
    parser::parse(text)?.iter().map(|query| Plan::new(query, text)).collect()
}
