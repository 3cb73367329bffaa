//! A tournament's rating list and crosstable as text.

use std::fmt::Write;

use selfplay::arena::ratings::games_of;
use selfplay::arena::{RatingList, Scoreboard, WinDrawLoss};

/// The rating list, the strongest first.
pub fn rating_table(list: &RatingList, names: &[&str]) -> String {
    let width = name_width(names);
    let mut text = format!(
        "{:>4} {:width$} {:>7} {:>6} {:>7} {:>7} {:>6}\n",
        "rank", "engine", "Elo", "±95%", "games", "score", "draws"
    );
    for (rank, line) in list.lines.iter().enumerate() {
        // Writing to a String does not fail.
        let _ = writeln!(
            text,
            "{:>4} {:width$} {:>+7.1} {:>6.1} {:>7} {:>7} {:>6}",
            rank + 1,
            names[line.engine],
            // Adding zero turns -0 into 0.
            line.elo.value + 0.0,
            line.elo.error(),
            line.games.games(),
            percent(line.games.score()),
            percent(line.games.draw_ratio()),
        );
    }
    if list.virtual_draws {
        text.push_str("     (someone won or lost everything: each encounter was given one more draw)\n");
    }
    text
}

/// Everyone against everyone: points out of games, in the order given.
pub fn crosstable(board: &Scoreboard, order: &[usize], names: &[&str]) -> String {
    let width = name_width(names);
    let cells: Vec<Vec<String>> =
        order.iter().map(|&row| order.iter().map(|&column| cell(board, row, column)).collect()).collect();
    let column_width = cells.iter().flatten().map(|cell| cell.chars().count()).max().unwrap_or(0).max(2);
    let mut text = format!("{:>4} {:width$} {:>13}", "", "engine", "points");
    for rank in 1..=order.len() {
        let _ = write!(text, "  {rank:>column_width$}");
    }
    text.push('\n');
    for (rank, (&engine, row)) in order.iter().zip(&cells).enumerate() {
        let games = games_of(board.encounters(), engine);
        let _ = write!(text, "{:>4} {:width$} {:>13}", rank + 1, names[engine], points_of(&games));
        for cell in row {
            let _ = write!(text, "  {cell:>column_width$}");
        }
        text.push('\n');
    }
    text
}

fn cell(board: &Scoreboard, row: usize, column: usize) -> String {
    if row == column {
        return "·".to_string();
    }
    let met =
        board.encounters().iter().find(|met| met.engines == [row, column] || met.engines == [column, row]);
    match met {
        Some(met) if met.games.games() > 0 => {
            let WinDrawLoss { wins, draws, losses } = met.games;
            let is_first = met.engines[0] == row;
            let (wins, losses) = if is_first { (wins, losses) } else { (losses, wins) };
            points_of(&WinDrawLoss { wins, draws, losses })
        }
        _ => "-".to_string(),
    }
}

/// `12.5/20`
fn points_of(games: &WinDrawLoss) -> String {
    format!("{}/{}", games.wins as f64 + games.draws as f64 / 2.0, games.games())
}

fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_string(), |share| format!("{:.1}%", share * 100.0))
}

fn name_width(names: &[&str]) -> usize {
    names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(6)
}
