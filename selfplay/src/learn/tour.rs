//! Walking a book from a position through the moves it knows.

use std::collections::HashSet;

use engine::Board;
use engine::book::experience::{ExperienceBook, Row};

/// The rows of a position whose moves are legal in it.
pub fn legal_rows(book: &ExperienceBook, board: &Board) -> Vec<Row> {
    book.lookup(board.key()).filter(|row| board.is_legal(row.m)).collect()
}

/// Calls `see` with every position that can be reached from `root` by moves of the book, each once, as
/// long as a move was played in at least `min_games` games.
pub fn tour(book: &ExperienceBook, root: &Board, min_games: u32, mut see: impl FnMut(&Board, &[Row])) {
    let mut seen = HashSet::new();
    let mut open = vec![root.clone()];
    while let Some(board) = open.pop() {
        if !seen.insert(board.key()) {
            continue;
        }
        let rows: Vec<Row> =
            legal_rows(book, &board).into_iter().filter(|row| row.games >= min_games).collect();
        if rows.is_empty() {
            continue;
        }
        see(&board, &rows);
        for row in &rows {
            let mut after = board.clone();
            after.make(row.m);
            open.push(after);
        }
    }
}

/// The line of the moves that were played most often.
pub fn main_line(book: &ExperienceBook, root: &Board, longest: usize) -> Vec<(Board, Row)> {
    let mut line: Vec<(Board, Row)> = Vec::new();
    let mut board = root.clone();
    while line.len() < longest {
        let most = legal_rows(book, &board).into_iter().max_by_key(|row| (row.games, row.score_sum));
        let Some(row) = most else { break };
        let before = board.clone();
        board.make(row.m);
        line.push((before, row));
        if board.repetitions() > 1 {
            break;
        }
    }
    line
}
