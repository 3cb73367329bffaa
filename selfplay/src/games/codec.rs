//! The blocks of a record of any game: the columns of chess records, with actions as ranks in the game's own order.

use super::Game;
use super::record::{GameEnding, PlayedGame, PlayedPly};
use crate::Outcome;
use crate::record::BlockCodec;
use crate::record::block::LONGEST_GAME;
use crate::record::coder::{Chance, Coder, Decoder, Encoder};
use crate::record::frame::{self, BLOCK_GAMES, BlockHead, COLUMNS};
use crate::record::models::{DepthModel, Magnitude, Past, ScoreModel};

/// The codec of a game.
pub struct GameCodec<G: Game>(pub G);

impl<G: Game> BlockCodec for GameCodec<G> {
    type Game = PlayedGame;

    fn id(game: &PlayedGame) -> u64 {
        game.id
    }

    fn encode(&self, games: &[PlayedGame]) -> Vec<u8> {
        let mut columns = Columns::new(|_| Encoder::new());
        for game in games {
            columns.code(&self.0, game.id, Some(game)).expect("a game that was played can be written");
        }
        let positions = games.iter().map(|game| game.plies.len() as u32).sum();
        let first = games.first().map_or(0, |game| game.id);
        frame::pack(first, games.len() as u32, positions, &columns.streams.map(Encoder::finish))
    }

    fn decode(&self, head: &BlockHead, frame: &[u8]) -> Result<Vec<PlayedGame>, String> {
        let payload = frame::payload(head, frame)?;
        let parts = frame::split(&payload).ok_or("the columns do not fit")?;
        let mut columns = Columns::new(|column| Decoder::new(parts[column]));
        let mut games = Vec::with_capacity((head.games as usize).min(BLOCK_GAMES as usize));
        for number in 0..u64::from(head.games) {
            let id = head.first + number;
            let game = columns.code(&self.0, id, None).map_err(|reason| format!("game {id}: {reason}"))?;
            games.push(game);
        }
        let positions: usize = games.iter().map(|game| game.plies.len()).sum();
        if positions != head.positions as usize || !columns.streams.iter().all(Decoder::is_finished) {
            return Err("it holds something else than its head says".to_string());
        }
        Ok(games)
    }
}

/// A stream that can say that it was read beyond its end.
trait Stream: Coder {
    fn is_over(&self) -> bool;
}

impl Stream for Encoder {
    fn is_over(&self) -> bool {
        false
    }
}

impl Stream for Decoder<'_> {
    fn is_over(&self) -> bool {
        self.is_exhausted()
    }
}

/// The columns of a block with all that was learned about them. Writes and reads through the same code.
struct Columns<C> {
    /// `// [column]`
    streams: [C; COLUMNS.len()],
    limited: Chance,
    drawn: Chance,
    white_wins: Chance,
    opening_length: Magnitude<1>,
    length: Magnitude<1>,
    opening_actions: Magnitude<1>,
    depths: DepthModel,
    scores: ScoreModel,
    /// `// [whether the ply before was]`
    explored: [Chance; 2],
    /// `// [few, some, many, very many actions]`
    actions: Magnitude<4>,
    /// Those of the position at hand.
    allowed: Vec<u16>,
}

impl<C: Stream> Columns<C> {
    fn new(stream: impl FnMut(usize) -> C) -> Columns<C> {
        Columns {
            streams: std::array::from_fn(stream),
            limited: Chance::EVEN,
            drawn: Chance::EVEN,
            white_wins: Chance::EVEN,
            opening_length: Magnitude::new(),
            length: Magnitude::new(),
            opening_actions: Magnitude::new(),
            depths: DepthModel::new(),
            scores: ScoreModel::new(),
            explored: [Chance::EVEN; 2],
            actions: Magnitude::new(),
            allowed: Vec::new(),
        }
    }

    /// Codes one game: writes `known`, or reads what is there.
    fn code<G: Game>(&mut self, game: &G, id: u64, known: Option<&PlayedGame>) -> Result<PlayedGame, String> {
        let (outcome, ending) = self.result(known);
        let results = &mut self.streams[0];
        let mut length = |model: &mut Magnitude<1>, known: Option<usize>| {
            let length = model.code(results, 0, known.unwrap_or(0) as u32) as usize;
            if length > LONGEST_GAME { Err(format!("{length} plies")) } else { Ok(length) }
        };
        let opening_length = length(&mut self.opening_length, known.map(|game| game.opening.len()))?;
        let plies = length(&mut self.length, known.map(|game| game.plies.len()))?;
        let (opening, plies_read) = (Vec::new(), Vec::new());
        let mut played = PlayedGame { id, opening, outcome, ending, plies: plies_read };
        let mut state = game.start();
        for ply in 0..opening_length {
            let known = known.map(|known| known.opening[ply]);
            let rank = self.rank(game, &state, known)?;
            let rank = self.opening_actions.code(&mut self.streams[1], 0, rank);
            let action = self.follow(game, &mut state, rank)?;
            played.opening.push(action);
        }
        self.plies(game, state, plies, &mut played, known)?;
        Ok(played)
    }

    fn result(&mut self, known: Option<&PlayedGame>) -> (Outcome, GameEnding) {
        let results = &mut self.streams[0];
        let outcome = known.map(|game| game.outcome);
        let limited = known.is_some_and(|game| game.ending == GameEnding::PlyLimit);
        let ending = match results.code(&mut self.limited, limited) {
            true => GameEnding::PlyLimit,
            false => GameEnding::Rules,
        };
        let outcome = if results.code(&mut self.drawn, outcome == Some(Outcome::Draw)) {
            Outcome::Draw
        } else if results.code(&mut self.white_wins, outcome == Some(Outcome::WhiteWins)) {
            Outcome::WhiteWins
        } else {
            Outcome::BlackWins
        };
        (outcome, ending)
    }

    fn plies<G: Game>(
        &mut self,
        game: &G,
        mut state: G::State,
        count: usize,
        played: &mut PlayedGame,
        known: Option<&PlayedGame>,
    ) -> Result<(), String> {
        let mut past = Past::at_start();
        let mut explored = false;
        for ply in 0..count {
            let known = known.map(|known| known.plies[ply]);
            let rank = self.rank(game, &state, known.map(|ply| ply.action))?;
            let choice = self.allowed.len();
            let [_, _, depths, scores, actions] = &mut self.streams;
            let wanted = known.map_or(0, |ply| i32::from(ply.depth));
            let depth = self.depths.code(depths, &past, choice, false, wanted);
            let wanted = known.map_or(0, |ply| i32::from(ply.score_stm));
            let score = self.scores.code(scores, &past, depth, 0, wanted);
            let wanted = known.is_some_and(|ply| ply.explored);
            explored = actions.code(&mut self.explored[usize::from(explored)], wanted);
            let context = match choice {
                0..=8 => 0,
                9..=64 => 1,
                65..=512 => 2,
                _ => 3,
            };
            let rank = self.actions.code(actions, context, rank);
            played.plies.push(PlayedPly {
                action: self.follow(game, &mut state, rank)?,
                score_stm: i16::try_from(score).map_err(|_| format!("ply {ply}: score {score}"))?,
                depth: u8::try_from(depth).map_err(|_| format!("ply {ply}: depth {depth}"))?,
                explored,
            });
            past = past.after(score, depth);
        }
        Ok(())
    }

    /// Lists what can be done in a position; the place of the known action among it.
    fn rank<G: Game>(&mut self, game: &G, state: &G::State, known: Option<u16>) -> Result<u32, String> {
        // Before anything is made of what was read: a column that has ended goes on with zeros for ever.
        if self.streams.iter().any(Stream::is_over) {
            return Err("a column ends within it".to_string());
        }
        self.allowed.clear();
        if game.outcome(state).is_none() {
            game.actions(state, &mut self.allowed);
        }
        let Some(known) = known else { return Ok(0) };
        let rank = self.allowed.iter().position(|&action| action == known);
        rank.map(|rank| rank as u32).ok_or_else(|| format!("action {known} is not allowed"))
    }

    /// Does the action of a rank; an error where there is none.
    fn follow<G: Game>(&mut self, game: &G, state: &mut G::State, rank: u32) -> Result<u16, String> {
        let action =
            *self.allowed.get(rank as usize).ok_or("an action that is not allowed, or after its end")?;
        game.apply(state, action);
        Ok(action)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::games::dominions::Dominions;
    use crate::games::nim::Nim;
    use crate::play::Dice;

    fn random_game<G: Game>(game: &G, id: u64) -> PlayedGame {
        let mut dice = Dice::for_game(41, id);
        let mut state = game.start();
        let (mut opening, mut plies) = (Vec::new(), Vec::new());
        let opening_length = dice.below(4) as usize;
        while game.outcome(&state).is_none() {
            let action = game.random_action(&state, &mut dice);
            game.apply(&mut state, action);
            if opening.len() < opening_length {
                opening.push(action);
                continue;
            }
            let score_stm = (dice.below(20_001) as i64 - 10_000) as i16;
            let (depth, explored) = (dice.below(256) as u8, dice.below(4) == 0);
            plies.push(PlayedPly { action, score_stm, depth, explored });
        }
        let outcome = game.outcome(&state).unwrap_or(Outcome::Draw);
        PlayedGame { id, opening, outcome, ending: GameEnding::Rules, plies }
    }

    fn comes_back<G: Game>(game: G, games: u64) {
        let written: Vec<PlayedGame> = (500..500 + games).map(|id| random_game(&game, id)).collect();
        let codec = GameCodec(game);
        let block = codec.encode(&written);
        let head = BlockHead::decode(&block).unwrap();
        assert_eq!(codec.decode(&head, &block[frame::HEAD..]).unwrap(), written);
    }

    #[test]
    fn random_games_come_back_as_they_were() {
        comes_back(Nim::with_rules("3-4-5").unwrap(), 300);
        comes_back(Dominions::with_rules("").unwrap(), 5);
    }

    /// Reads nonsense that carries the right checksums. `TABULA_FUZZ_SECONDS` sets for how long.
    #[test]
    fn no_payload_can_do_harm() {
        let seconds = std::env::var("TABULA_FUZZ_SECONDS").map_or(1, |text| text.parse().unwrap());
        let until = Instant::now() + Duration::from_secs(seconds);
        let (nim, dominions) = (Nim::with_rules("").unwrap(), Dominions::with_rules("").unwrap());
        let mut trial = 0;
        while trial < 100 || Instant::now() < until {
            let mut dice = Dice::for_game(78, trial);
            trial += 1;
            let payload = frame::any_payload(&mut dice);
            let (head, frame) = frame::forged(1 + dice.below(2000) as u32, &payload);
            assert!(GameCodec(nim.clone()).decode(&head, &frame).is_err(), "trial {trial}");
            assert!(GameCodec(dominions.clone()).decode(&head, &frame).is_err(), "trial {trial}");
        }
    }
}
