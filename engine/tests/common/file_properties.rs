//! What must hold of the readers of binary files, whatever bytes they are given. Shared by the tests and
//! by the targets of cargo-fuzz.

use std::path::Path;

use engine::Board;
use engine::book::polyglot::{PolyglotBook, PolyglotBuilder, key};
use engine::syzygy::Tablebases;

/// Whether the file was accepted, or what went wrong.
pub type Verdict = Result<bool, String>;

/// A book is refused with its name, or it answers with legal moves only and survives being written.
pub fn polyglot(bytes: &[u8]) -> Verdict {
    let book = match PolyglotBook::from_bytes("fuzzed.bin", bytes.to_vec()) {
        Err(error) if error.to_string().contains("fuzzed.bin") => return Ok(false),
        Err(error) => return Err(format!("an error without the file's name: {error}")),
        Ok(book) => book,
    };
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1",
    ] {
        let board = Board::from_fen(fen).map_err(|error| error.to_string())?;
        let answer = book.answer(&board);
        let entries = book.entries(key(&board)).count();
        if answer.moves.len() + answer.skipped > entries {
            return Err(format!("{entries} entries gave {answer:?}"));
        }
        if let Some(illegal) = answer.moves.iter().find(|known| !board.is_legal(known.m)) {
            return Err(format!("{:?} is not legal in {fen}", illegal.m));
        }
    }
    let mut builder = PolyglotBuilder::new();
    builder.merge(&book);
    let written: Vec<u8> = builder.sorted().iter().flat_map(|entry| entry.to_bytes()).collect();
    let again = PolyglotBook::from_bytes("again.bin", written).map_err(|error| error.to_string())?;
    if !again.iter().eq(builder.sorted()) {
        return Err("another book after writing and reading".to_string());
    }
    Ok(true)
}

/// Tables of an ending (`KQvK`) with these bytes are used or complained about, and never end the program.
/// `folder` is emptied and written to. `positions` are of this ending.
pub fn syzygy(folder: &Path, ending: &str, wdl: &[u8], dtz: &[u8], positions: &[Board]) -> Verdict {
    let at = |error: std::io::Error| format!("{}: {error}", folder.display());
    // New files, not new bytes in files that may still be mapped.
    for old in std::fs::read_dir(folder).map_err(at)? {
        std::fs::remove_file(old.map_err(at)?.path()).map_err(at)?;
    }
    for (extension, bytes) in [("rtbw", wdl), ("rtbz", dtz)] {
        std::fs::write(folder.join(format!("{ending}.{extension}")), bytes).map_err(at)?;
    }
    let tables = Tablebases::open(&[folder]);
    let mut complaints = tables.take_complaints();
    let mut answers = 0;
    for board in positions {
        // Twice: what failed once must fail quietly.
        for _ in 0..2 {
            answers += usize::from(tables.probe_wdl(board).is_some());
            answers += usize::from(tables.probe_dtz(board).is_some());
            if let Some(ranking) = tables.rank_root_moves(board, &board.legal_moves(), true)
                && ranking.moves.len() != board.legal_moves().len()
            {
                return Err(format!("{} of the moves are ranked in {}", ranking.moves.len(), board.fen()));
            }
        }
    }
    complaints.extend(tables.take_complaints());
    if complaints.iter().any(|complaint| !complaint.contains(ending) && !complaint.contains("there is no")) {
        return Err(format!("a complaint without the table's name: {complaints:?}"));
    }
    if answers == 0 && complaints.is_empty() && !positions.is_empty() {
        return Err("no answer and no complaint".to_string());
    }
    let mut sorted = complaints.clone();
    sorted.sort();
    sorted.dedup();
    if sorted.len() != complaints.len() {
        return Err(format!("told twice: {complaints:?}"));
    }
    Ok(complaints.is_empty())
}
