//! The move generator against known counts.
//!
//! `tests/data/perft.epd` is our own table and is walked to the depths it gives. The large collections
//! are walked as deep as fits `TABULA_PERFT_NODES` nodes a line (200,000; the full run takes 20,000,000).

mod common;

use common::{in_parallel, own_data, setting, shared_data};
use engine::Board;
use engine::board::{Epd, EpdError, FenError};

/// What became of one line.
enum Outcome {
    Right(u64),
    Refused(String),
    Wrong(String),
}

/// The deepest count of a line that fits the budget (its shallowest if none does). A count that cannot
/// be read is an error: skipping it would test less than it seems.
fn deepest(epd: &Epd, budget: u64) -> Result<(u32, u64), String> {
    let mut counts: Vec<(u32, u64)> = Vec::new();
    for operation in epd.operations.iter().filter(|operation| operation.opcode.starts_with('D')) {
        let depth = operation.opcode[1..].parse().ok();
        let nodes = operation.values().next().and_then(|nodes| nodes.parse().ok());
        match (depth, nodes) {
            (Some(depth), Some(nodes)) => counts.push((depth, nodes)),
            _ => return Err(format!("{:?} is no count like D3 8902", operation.to_string())),
        }
    }
    let fitting = counts.iter().filter(|(_, nodes)| *nodes <= budget).max_by_key(|(depth, _)| *depth);
    let shallowest = || counts.iter().min_by_key(|(depth, _)| *depth);
    fitting.or_else(shallowest).copied().ok_or_else(|| String::from("there is no count like D3 8902"))
}

fn walk(line: &str, budget: u64) -> Outcome {
    let mut epd = match Board::from_epd(line) {
        Ok(epd) => epd,
        Err(error @ EpdError::Position(FenError::ImpossibleCheck { .. })) => {
            return Outcome::Refused(error.to_string());
        }
        Err(error) => return Outcome::Wrong(format!("{line}: {error}")),
    };
    let (depth, expected) = match deepest(&epd, budget) {
        Ok(count) => count,
        Err(what) => return Outcome::Wrong(format!("{line}: {what}")),
    };
    match epd.board.perft(depth) {
        found if found == expected => Outcome::Right(found),
        found => Outcome::Wrong(format!("{line}: depth {depth} has {found}, expected {expected}")),
    }
}

/// Walks a table, prints what came of it and fails on any difference.
fn walk_table(name: &str, table: &str, budget: u64, refusals_allowed: usize) {
    // One of the collections ends its lines with a zero byte.
    let lines = table.lines().map(|line| line.trim_matches(|c: char| c.is_whitespace() || c == '\0'));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let begun = std::time::Instant::now();
    let outcomes = in_parallel(lines.len(), |index| walk(lines[index], budget));
    let (mut nodes, mut refused, mut differences) = (0, 0, 0);
    for outcome in &outcomes {
        match outcome {
            Outcome::Right(count) => nodes += count,
            Outcome::Refused(why) => {
                refused += 1;
                println!("{name}: refused: {why}");
            }
            Outcome::Wrong(what) => {
                differences += 1;
                println!("{name}: {what}");
            }
        }
    }
    println!(
        "{name}: {} lines, {nodes} nodes, {refused} refused, {differences} differences, {:.1} s",
        lines.len(),
        begun.elapsed().as_secs_f64()
    );
    assert!(!lines.is_empty(), "{name} is empty");
    assert_eq!(differences, 0, "{name}");
    assert!(refused <= refusals_allowed, "{name}: {refused} lines refused, {refusals_allowed} known");
}

#[test]
fn our_own_table() {
    walk_table("perft.epd", &own_data("perft.epd"), u64::MAX, 0);
}

#[test]
fn the_large_collections() {
    let Some(folder) = shared_data("perft") else { return };
    let budget = setting("TABULA_PERFT_NODES", 200_000);
    // One position of the first has two checkers on one line, which no move can bring about.
    for (name, refusals_allowed) in [("standard.epd", 1), ("fischer.epd", 0), ("perft-marcel.epd", 0)] {
        let path = folder.join(name);
        let table =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        walk_table(name, &table, budget, refusals_allowed);
    }
}
