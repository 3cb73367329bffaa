//! The page on the evaluation names every line of the list of weights, and every example counts what it
//! is an example of.

use engine::Board;
use engine::eval::{EvalParams, Weights, trace};

const PAGE: &str = include_str!("../../docs/4-evaluation.md");

/// The rows of the tables that have a weight in the first column and a FEN in the last.
fn examples() -> Vec<(&'static str, &'static str)> {
    let in_ticks = |cell: &'static str| cell.trim().strip_prefix('`')?.strip_suffix('`');
    let row = |line: &'static str| {
        let cells: Vec<&str> = line.trim().strip_prefix('|')?.strip_suffix('|')?.split('|').collect();
        let &[name, _, example] = cells.as_slice() else { return None };
        Some((in_ticks(name)?, in_ticks(example)?))
    };
    PAGE.lines().filter_map(row).collect()
}

#[test]
fn every_line_of_the_list_is_on_the_page_once_and_in_order() {
    let on_page: Vec<&str> = examples().iter().map(|(name, _)| *name).collect();
    for field in EvalParams::FIELDS {
        let times = on_page.iter().filter(|name| **name == field.name).count();
        assert_eq!(times, 1, "`{}` is on the page {times} times", field.name);
    }
    assert_eq!(on_page.len(), EvalParams::FIELDS.len());
}

#[test]
fn every_example_counts_its_term() {
    let weights = Weights::new(&EvalParams::default());
    let mut silent = Vec::new();
    for (name, fen) in examples() {
        let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{name}: {fen}: {error}"));
        let Some(field) = EvalParams::FIELDS.iter().find(|field| field.name == name) else {
            panic!("`{name}` is no weight");
        };
        let counted = trace(&board, &weights).counted;
        if !counted.iter().any(|coefficient| field.range().contains(&usize::from(coefficient.index))) {
            silent.push((name, fen));
        }
    }
    assert!(silent.is_empty(), "these examples do not count their term: {silent:#?}");
}
