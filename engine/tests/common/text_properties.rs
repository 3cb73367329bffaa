//! What must hold for any text that is given to the readers. The fuzzers ask these; they return what
//! is wrong, or whether the text was accepted.

use engine::Board;
use engine::board::Epd;
use engine::types::Color;
use shakmaty::{CastlingMode, Chess, FromSetup, Position, PositionError, fen::Fen};

/// Whether a text was accepted, or what went wrong.
pub type Verdict = Result<bool, String>;

/// A FEN that is accepted describes a playable position and survives being written and read again.
pub fn fen(text: &str) -> Verdict {
    let Ok(board) = Board::from_fen(text) else { return Ok(false) };
    playable(&board)?;
    for written in [board.fen(), board.shredder_fen()] {
        match Board::from_fen(&written) {
            Ok(again) if again == board => {}
            Ok(again) => return Err(format!("{text:?} is written {written:?}, which reads as {again:?}")),
            Err(error) => return Err(format!("{text:?} is written {written:?}: {error}")),
        }
    }
    Ok(true)
}

/// As [`fen`], and the operations survive too.
pub fn epd(text: &str) -> Verdict {
    let Ok(epd) = Board::from_epd(text) else { return Ok(false) };
    playable(&epd.board)?;
    let written = epd.to_string();
    let Epd { board, operations } =
        Board::from_epd(&written).map_err(|error| format!("{text:?} is written {written:?}: {error}"))?;
    // Clocks that stood in fields come back as operations in front.
    let added = operations.len() - operations.len().min(epd.operations.len());
    if board != epd.board || operations[added..] != epd.operations {
        return Err(format!("{text:?} is written {written:?}, which reads otherwise"));
    }
    let _ = epd.moves("bm");
    Ok(true)
}

/// A UCI text that is accepted is a legal move, and writing it gives a text that means the same.
pub fn uci(board: &Board, text: &str) -> Verdict {
    let Ok(m) = board.parse_uci(text) else { return Ok(false) };
    if !board.is_legal(m) {
        return Err(format!("{text:?} reads as {m:?}, which is not legal in {}", board.fen()));
    }
    for chess960 in [false, true] {
        let written = board.uci(m, chess960);
        if board.parse_uci(&written) != Ok(m) {
            return Err(format!("{text:?} is written {written:?}, which reads otherwise in {}", board.fen()));
        }
    }
    Ok(true)
}

/// A SAN text that is accepted is a legal move, and writing it gives a text that means the same.
pub fn san(board: &Board, text: &str) -> Verdict {
    let Ok(m) = board.parse_san(text) else { return Ok(false) };
    if !board.is_legal(m) {
        return Err(format!("{text:?} reads as {m:?}, which is not legal in {}", board.fen()));
    }
    let written = board.san(m);
    if board.parse_san(&written) != Ok(m) {
        return Err(format!("{text:?} is written {written:?}, which reads otherwise in {}", board.fen()));
    }
    Ok(true)
}

/// The moves of an accepted position are those that shakmaty finds; every one can be made and taken
/// back, and the keys stay right.
fn playable(board: &Board) -> Result<(), String> {
    let fen = board.fen();
    let theirs = fen.parse::<Fen>().map_err(|error| format!("{fen}: {error}"))?;
    let theirs = Chess::from_setup(theirs.into_setup(), CastlingMode::Chess960)
        .or_else(PositionError::ignore_too_much_material)
        .map_err(|error| format!("{fen}: {error}"))?;
    let moves = board.legal_moves();
    let expected = theirs.legal_moves().len();
    if moves.len() != expected || board.count_legal_moves() != expected as u64 {
        return Err(format!("{fen}: {} moves, expected {expected}", moves.len()));
    }
    let mut walked = board.clone();
    for &m in moves.iter() {
        walked.make(m);
        let keys = (walked.key(), walked.pawn_key(), Color::ALL.map(|color| walked.non_pawn_key(color)));
        if keys != walked.recompute_keys() {
            return Err(format!("{fen} {m:?}: the keys went wrong"));
        }
        let _ = walked.count_legal_moves();
        walked.unmake();
        if walked != *board {
            return Err(format!("{fen} {m:?}: taking the move back left a difference"));
        }
    }
    Ok(())
}
