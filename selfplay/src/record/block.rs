//! A block of chess: up to a thousand games in columns. Blocks know nothing of each other.

use engine::Board;
use engine::board::zobrist::Key;
use engine::cpu::{Work, widely};
use engine::types::{Move, value};

use super::coder::{Chance, Coder, Decoder, Encoder};
use super::frame::{self, BLOCK_GAMES, BlockHead, COLUMNS, payload, split};
use super::game::{Ending, GameRecord, Ply, Start};
use super::models::{DepthModel, Magnitude, MoveModel, Past, ScoreModel};
use super::order::{Candidates, Trail, phase};
use super::position::PositionModel;
use crate::Outcome;

/// The rules of chess end every game long before.
pub const LONGEST_GAME: usize = 20_000;

/// The bytes of a block. The ids of the games follow each other.
pub fn encode(games: &[GameRecord]) -> Vec<u8> {
    let mut columns = Columns::new(|_| Encoder::new());
    for game in games {
        columns.code(game.id, Some(game)).expect("a game that was played can be written");
    }
    let positions = games.iter().map(|game| game.plies.len() as u32).sum();
    let first = games.first().map_or(0, |game| game.id);
    frame::pack(first, games.len() as u32, positions, &columns.streams.map(Encoder::finish))
}

/// Bytes of each column, in the order of [`COLUMNS`].
pub fn column_sizes(head: &BlockHead, frame: &[u8]) -> Result<[usize; COLUMNS.len()], String> {
    let payload = payload(head, frame)?;
    Ok(split(&payload).ok_or("the columns do not fit")?.map(<[u8]>::len))
}

/// A game with the keys of the positions in which the engine moved: whoever reads a game has been there.
type KeyedGame = (GameRecord, Vec<Key>);

/// The games of a block.
pub fn decode(head: &BlockHead, frame: &[u8]) -> Result<Vec<KeyedGame>, String> {
    widely(Decoding { head, frame })
}

struct Decoding<'a> {
    head: &'a BlockHead,
    frame: &'a [u8],
}

impl Work for Decoding<'_> {
    type Output = Result<Vec<KeyedGame>, String>;

    #[inline(always)]
    fn run<const WIDE: bool>(self) -> Result<Vec<KeyedGame>, String> {
        decode_anywhere(self.head, self.frame)
    }
}

#[inline(always)]
fn decode_anywhere(head: &BlockHead, frame: &[u8]) -> Result<Vec<KeyedGame>, String> {
    let payload = payload(head, frame)?;
    let parts = split(&payload).ok_or("the columns do not fit")?;
    let mut columns = Columns::new(|column| Decoder::new(parts[column]));
    let mut games = Vec::with_capacity((head.games as usize).min(BLOCK_GAMES as usize));
    let mut positions = 0;
    if head.first.checked_add(u64::from(head.games)).is_none() {
        return Err(format!("no game has a number after {}", head.first));
    }
    for number in 0..u64::from(head.games) {
        let id = head.first + number;
        let game = columns.code(id, None).map_err(|reason| format!("game {id}: {reason}"))?;
        if columns.streams.iter().any(Decoder::is_exhausted) {
            return Err(format!("game {id}: a column ends within it"));
        }
        positions += game.plies.len();
        games.push((game, std::mem::take(&mut columns.keys)));
    }
    if positions != head.positions as usize || !columns.streams.iter().all(Decoder::is_finished) {
        return Err("it holds something else than its head says".to_string());
    }
    Ok(games)
}

/// What is known of a game without decoding its moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outline {
    /// Its number.
    pub id: u64,
    /// Who won.
    pub outcome: Outcome,
    /// And why.
    pub ending: Ending,
    /// Half-moves of its opening.
    pub opening: usize,
    /// Half-moves of the engine.
    pub plies: usize,
}

/// The outlines of a block's games: only the column of results is decoded.
pub fn outlines(head: &BlockHead, frame: &[u8]) -> Result<Vec<Outline>, String> {
    let payload = payload(head, frame)?;
    let parts = split(&payload).ok_or("the columns do not fit")?;
    let mut columns = Columns::new(|column| Decoder::new(parts[column]));
    let mut outlines = Vec::with_capacity((head.games as usize).min(BLOCK_GAMES as usize));
    for number in 0..u64::from(head.games) {
        let id = head.first + number;
        let outline = columns.outline(id, None).map_err(|reason| format!("game {id}: {reason}"))?;
        if columns.streams[0].is_exhausted() {
            return Err(format!("game {id}: a column ends within it"));
        }
        outlines.push(outline);
    }
    let positions: usize = outlines.iter().map(|outline| outline.plies).sum();
    match positions == head.positions as usize && columns.streams[0].is_finished() {
        true => Ok(outlines),
        false => Err("it holds something else than its head says".to_string()),
    }
}

/// The columns of a block with all that was learned about them. Writes and reads through the same code.
struct Columns<C> {
    /// `// [column]`
    streams: [C; COLUMNS.len()],
    endings: [Chance; 16],
    /// `// [ending]`
    drawn: [Chance; 16],
    white_wins: [Chance; 16],
    opening_length: Magnitude<1>,
    length: Magnitude<1>,
    is_initial: Chance,
    positions: PositionModel,
    opening_moves: MoveModel,
    depths: DepthModel,
    scores: ScoreModel,
    /// `// [whether the ply before was]`
    explored: [Chance; 2],
    moves: MoveModel,
    candidates: Candidates,
    /// Of the last game's positions.
    keys: Vec<Key>,
}

impl<C: Coder> Columns<C> {
    fn new(stream: impl FnMut(usize) -> C) -> Columns<C> {
        Columns {
            streams: std::array::from_fn(stream),
            endings: [Chance::EVEN; 16],
            drawn: [Chance::EVEN; 16],
            white_wins: [Chance::EVEN; 16],
            opening_length: Magnitude::new(),
            length: Magnitude::new(),
            is_initial: Chance::EVEN,
            positions: PositionModel::new(),
            opening_moves: MoveModel::new(),
            depths: DepthModel::new(),
            scores: ScoreModel::new(),
            explored: [Chance::EVEN; 2],
            moves: MoveModel::new(),
            candidates: Candidates::new(),
            keys: Vec::new(),
        }
    }

    /// Codes one game: writes `known`, or reads what is there.
    #[inline(always)]
    fn code(&mut self, id: u64, known: Option<&GameRecord>) -> Result<GameRecord, String> {
        let Outline { outcome, ending, opening: opening_length, plies, .. } = self.outline(id, known)?;
        let [_, openings, ..] = &mut self.streams;
        let is_initial = known.is_some_and(|game| game.start == Start::Initial);
        let start = match openings.code(&mut self.is_initial, is_initial) {
            true => Start::Initial,
            false => self.positions.code(openings, known.map(|game| &game.start))?,
        };
        let mut game = GameRecord {
            id,
            start,
            opening: Vec::with_capacity(opening_length),
            outcome,
            ending,
            plies: Vec::with_capacity(plies),
        };
        let mut board = game.start.board();
        let mut trail = Trail::default();
        for ply in 0..opening_length {
            let known = known.map(|game| game.opening[ply]);
            self.candidates.judge(&board, trail);
            let played = self.opening_moves.code(openings, &board, &mut self.candidates, known);
            game.opening.push(follow(&mut board, &mut trail, played)?);
        }
        self.plies(&mut game, plies, board, trail, known)?;
        Ok(game)
    }

    /// Codes what the column of results holds of one game.
    #[inline(always)]
    fn outline(&mut self, id: u64, known: Option<&GameRecord>) -> Result<Outline, String> {
        let (outcome, ending) = self.result(known)?;
        let [results, ..] = &mut self.streams;
        let mut length = |model: &mut Magnitude<1>, known: Option<usize>| {
            let length = model.code(results, 0, known.unwrap_or(0) as u32) as usize;
            if length > LONGEST_GAME { Err(format!("{length} plies")) } else { Ok(length) }
        };
        let opening = length(&mut self.opening_length, known.map(|game| game.opening.len()))?;
        let plies = length(&mut self.length, known.map(|game| game.plies.len()))?;
        Ok(Outline { id, outcome, ending, opening, plies })
    }

    #[inline(always)]
    fn result(&mut self, known: Option<&GameRecord>) -> Result<(Outcome, Ending), String> {
        let results = &mut self.streams[0];
        let wanted = known.map_or(0, |game| game.ending as usize);
        let mut code = 1;
        for bit in (0..4).rev() {
            code = code << 1 | usize::from(results.code(&mut self.endings[code], wanted >> bit & 1 != 0));
        }
        let code = code - 16;
        let ending = Ending::from_code(code as u8).ok_or_else(|| format!("unknown ending {code}"))?;
        let outcome = known.map(|game| game.outcome);
        let outcome = if results.code(&mut self.drawn[code], outcome == Some(Outcome::Draw)) {
            Outcome::Draw
        } else if results.code(&mut self.white_wins[code], outcome == Some(Outcome::WhiteWins)) {
            Outcome::WhiteWins
        } else {
            Outcome::BlackWins
        };
        Ok((outcome, ending))
    }

    #[inline(always)]
    fn plies(
        &mut self,
        game: &mut GameRecord,
        count: usize,
        mut board: Board,
        mut trail: Trail,
        known: Option<&GameRecord>,
    ) -> Result<(), String> {
        let [_, _, depths, scores, moves] = &mut self.streams;
        self.keys.clear();
        self.keys.reserve(count);
        let mut past = Past::at_start();
        let mut explored = false;
        for ply in 0..count {
            let known = known.map(|game| game.plies[ply]);
            self.keys.push(board.key());
            self.candidates.judge(&board, trail);
            let wanted = known.map_or(0, |ply| i32::from(ply.depth));
            let legal = self.candidates.left();
            let depth = self.depths.code(depths, &past, legal, board.in_check(), wanted);
            let wanted = known.map_or(0, |ply| ply.value_stm());
            let score = self.scores.code(scores, &past, depth, phase(&board), wanted);
            let wanted = known.is_some_and(|ply| ply.explored);
            explored = moves.code(&mut self.explored[usize::from(explored)], wanted);
            let played = self.moves.code(moves, &board, &mut self.candidates, known.map(|ply| ply.played));
            game.plies.push(Ply {
                played: follow(&mut board, &mut trail, played)?,
                score_stm: i16::try_from(score)
                    .ok()
                    .filter(|_| score.abs() <= value::INFINITE)
                    .ok_or_else(|| format!("ply {ply}: score {score}"))?,
                depth: u8::try_from(depth).map_err(|_| format!("ply {ply}: depth {depth}"))?,
                explored,
            });
            past = past.after(score, depth);
        }
        Ok(())
    }
}

/// Makes a move that was coded; an error where there was none to code.
fn follow(board: &mut Board, trail: &mut Trail, played: Option<Move>) -> Result<Move, String> {
    let m = played.ok_or("it goes on after its end")?;
    *trail = trail.followed_by(m);
    board.make(m);
    Ok(m)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::frame::{any_payload, forged};
    use super::*;
    use crate::play::Dice;

    /// Reads nonsense that carries the right checksums. `TABULA_FUZZ_SECONDS` sets for how long.
    #[test]
    fn no_payload_can_do_harm() {
        let seconds = std::env::var("TABULA_FUZZ_SECONDS").map_or(2, |text| text.parse().unwrap());
        let until = Instant::now() + Duration::from_secs(seconds);
        let mut trial = 0;
        while trial < 200 || Instant::now() < until {
            let mut dice = Dice::for_game(77, trial);
            trial += 1;
            let payload = any_payload(&mut dice);
            let (head, frame) = forged(1 + dice.below(2000) as u32, &payload);
            assert!(decode(&head, &frame).is_err(), "trial {trial}");
        }
    }

    #[test]
    fn lengths_that_do_not_fit_are_refused() {
        for payload in [&[][..], &[1, 0, 0, 0], &[0xFF; 20], &[0; 21]] {
            let (head, frame) = forged(1, payload);
            assert!(decode(&head, &frame).is_err(), "{payload:?}");
        }
        let (head, frame) = forged(1, &[0; 20]);
        let damaged: Vec<u8> = frame.iter().map(|byte| byte ^ 1).collect();
        assert!(decode(&head, &damaged).unwrap_err().contains("checksum"));
    }
}
