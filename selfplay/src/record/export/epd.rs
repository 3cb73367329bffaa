//! EPD: a line for each position that was searched, with the result of its game and its score.

use engine::types::value;

use crate::record::GameRecord;

/// Which positions to leave out.
#[derive(Clone, Copy, Debug, Default)]
pub struct EpdFilter {
    /// Those in check, those in which a capture or a promotion was played, and those with a mate score.
    pub quiet_only: bool,
    /// The first so many after the opening.
    pub skip: usize,
    /// All but every so-manieth; 0 and 1 leave out none.
    pub every: usize,
}

/// The lines of one game, each with a line feed: position, `c9` the result as PGN writes it, `ce` the
/// score in centipawns for the side to move (`dm` moves to mate instead, where one is announced), `acd`
/// the depth, `pm` the move played.
pub fn epd_lines(game: &GameRecord, filter: EpdFilter) -> String {
    let mut text = String::new();
    let mut board = game.first_searched();
    for (number, ply) in game.plies.iter().enumerate() {
        let score = ply.value_stm();
        let is_quiet = !board.in_check() && ply.played.is_quiet() && !value::is_decided(score);
        let in_turn = number >= filter.skip && (number - filter.skip).is_multiple_of(filter.every.max(1));
        if in_turn && (is_quiet || !filter.quiet_only) {
            let judged = match value::is_mate(score) {
                true => format!("dm {}", (value::MATE - score.abs() + 1) / 2 * score.signum()),
                false => format!("ce {score}"),
            };
            text.push_str(&format!(
                "{} c9 \"{}\"; {judged}; acd {}; pm {};\n",
                board.epd_position(),
                game.outcome.pgn(),
                ply.depth,
                board.san(ply.played)
            ));
        }
        board.make(ply.played);
    }
    text
}
