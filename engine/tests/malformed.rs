//! Malformed FENs are refused, and each message says what to put right.

mod common;

use common::own_data;
use engine::Board;

#[test]
fn each_malformed_fen_has_its_message() {
    let table = own_data("malformed.tsv");
    let mut lines = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let (fen, message) = line.split_once('\t').unwrap_or_else(|| panic!("no tab in {line:?}"));
        match Board::from_fen(fen) {
            Ok(board) => panic!("{fen:?} was accepted as {}", board.fen()),
            Err(error) => assert_eq!(error.to_string(), message, "{fen:?}"),
        }
        lines += 1;
    }
    assert!(lines >= 40, "the table has only {lines} lines");
    println!("{lines} malformed FENs, each with its message");
}

#[test]
fn what_comes_back_in_a_message_is_short_and_printable() {
    let long = "9".repeat(1_000_000);
    let odd = "w\u{0}\u{1b}[2J\u{202e}";
    for fen in [
        format!("8/8/8/8/8/8/8/8 {long} - - 0 1"),
        format!("8/8/8/8/8/8/8/8 {odd} - - 0 1"),
        format!("{long} w - - 0 1"),
        format!("8/8/8/8/{long}/8/8/8 w - - 0 1"),
        format!("8/8/8/8/8/8/8/8 w - - 0 {long}"),
    ] {
        let message = Board::from_fen(&fen).unwrap_err().to_string();
        assert!(message.len() < 300, "{} bytes", message.len());
        assert!(!message.chars().any(char::is_control), "{message:?}");
    }
}
