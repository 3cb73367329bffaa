//! Games for tests: random ones, of every kind that a record must hold.

use engine::Board;
use engine::types::{Move, value};
use selfplay::Dice;
use selfplay::Outcome;
use selfplay::play::OpeningSource;
use selfplay::record::{Ending, GameRecord, Header, Ply, Start, VERSION};

/// A header for games with these ids.
pub fn header(games: std::ops::Range<u64>) -> Header {
    Header {
        version: VERSION,
        engine: 0x0123_4567_89AB_CDEF,
        weights: 42,
        seed: 7,
        games,
        settings: "nodes=100\nopenings=random\n".to_string(),
    }
}

/// A random game of at most `longest` plies after its opening. Nobody could have played it, but it is
/// legal; its scores and depths take every value there is.
pub fn random_game(seed: u64, id: u64, longest: u64) -> GameRecord {
    let mut dice = Dice::for_game(seed, id);
    let source = match dice.below(3) {
        0 => OpeningSource::DoubleFischer,
        _ => OpeningSource::Random,
    };
    let start = source.draw(id, 0, dice.below(12) as u32, &mut dice).expect("needs no file");
    let (mut start, mut opening, mut board) = (start.start, start.opening, start.board);
    if dice.below(4) == 0 {
        // A position with clocks, perhaps with en passant, in the middle of nowhere.
        start = Start::of(&board);
        opening = Vec::new();
        board = start.board();
    }
    let length = dice.below(longest + 1);
    let wild = dice.below(5) == 0;
    let (mut score, mut depth) = (0i64, 9i64);
    let mut plies = Vec::new();
    for _ in 0..length {
        let Some(played) = random_move(&board, &mut dice) else { break };
        score = match (wild, dice.below(30)) {
            (true, _) => dice.below(64_001) as i64 - 32_000,
            (false, 0) => i64::from(value::MATE) - dice.below(40) as i64,
            (false, 1) => -i64::from(value::TB_WIN) + dice.below(40) as i64,
            _ => (-score).clamp(-2000, 2000) + dice.below(61) as i64 - 30,
        };
        depth = match wild {
            true => dice.below(256) as i64,
            false => (depth + dice.below(5) as i64 - 2).clamp(1, 40),
        };
        plies.push(Ply { played, score_stm: score as i16, depth: depth as u8, explored: dice.below(9) == 0 });
        board.make(played);
    }
    let outcome = dice.choose(&[Outcome::WhiteWins, Outcome::Draw, Outcome::BlackWins]);
    let ending = dice.choose(&Ending::ALL);
    GameRecord { id, start, opening, outcome, ending, plies }
}

fn random_move(board: &Board, dice: &mut Dice) -> Option<Move> {
    let legal = board.legal_moves();
    (!legal.is_empty()).then(|| dice.choose(&legal))
}
