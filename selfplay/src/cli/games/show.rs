//! `selfplay show`, for records of games other than chess.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use selfplay::games::codec::GameCodec;
use selfplay::games::play::side_name;
use selfplay::games::record::PlayedGame;
use selfplay::games::registry::{WithGame, with_game};
use selfplay::games::{Game, full_name};
use selfplay::record::Reader;

use super::GameName;
use crate::cli::show_command::{block_of, turn_pages};

/// Step through a game in the terminal: position, action, score.
///
/// Keys, each with Enter: nothing or `n` next, `p` back, a number goes to that ply, `e` to the end, `q` quits. Without a
/// terminal the whole game is written.
#[derive(Args)]
pub struct ShowArgs {
    /// The game that the record must be of
    #[arg(long, value_name = "GAME")]
    game: GameName,

    /// The record
    #[arg(value_name = "FILE.tgr")]
    file: PathBuf,

    /// The number of the game [default: the first of the file]
    #[arg(long, value_name = "ID")]
    id: Option<u64>,

    /// Begin at this ply
    #[arg(long, value_name = "N", default_value_t = 0)]
    ply: usize,
}

/// Runs the command.
pub fn run(args: &ShowArgs) -> anyhow::Result<ExitCode> {
    let reader = Reader::open_any(&args.file)?;
    args.game.with(OfGame(Work { reader, id: args.id, ply: args.ply }))
}

/// Shows a game of a record of any game but chess; its header says which.
pub fn show_record(reader: Reader, id: Option<u64>, ply: usize) -> anyhow::Result<ExitCode> {
    let name = reader.header().game();
    with_game(&name, Work { reader, id, ply })?
}

/// A record that must be of the game named: its rules may be in a file that only the command line knows.
struct OfGame(Work);

impl WithGame for OfGame {
    type Output = anyhow::Result<ExitCode>;

    fn run<G: Game>(self, game: G) -> anyhow::Result<ExitCode> {
        let reader = self.0.reader.of_game(&full_name(&game))?;
        Work { reader, ..self.0 }.run(game)
    }
}

struct Work {
    reader: Reader,
    id: Option<u64>,
    ply: usize,
}

impl WithGame for Work {
    type Output = anyhow::Result<ExitCode>;

    fn run<G: Game>(self, game: G) -> anyhow::Result<ExitCode> {
        let (id, block) = block_of(&self.reader, self.id)?;
        let games = self.reader.decode_by(&GameCodec(game.clone()), block)?;
        let played = games.into_iter().find(|played| played.id == id);
        let played = played.with_context(|| format!("game {id} is missing in its block"))?;
        turn_pages(self.ply, played.length(), |ply| page(&game, &played, ply))
    }
}

/// The position before a ply, and what was played there.
fn page<G: Game>(game: &G, played: &PlayedGame, ply: usize) -> String {
    let mut state = game.start();
    played.actions().take(ply).for_each(|action| game.apply(&mut state, action));
    let mover = side_name(game.mover(&state));
    let searched = ply.checked_sub(played.opening.len()).and_then(|number| played.plies.get(number));
    let next = match (searched, played.opening.get(ply)) {
        (Some(searched), _) => format!(
            "{mover} plays {}: {:+} at depth {}{}",
            game.action_text(&state, searched.action),
            searched.score_stm,
            searched.depth,
            if searched.explored { " (drawn)" } else { "" }
        ),
        (None, Some(&action)) => format!("{mover} plays {}: opening", game.action_text(&state, action)),
        (None, None) => format!("{} {}", played.outcome.pgn(), played.ending.words()),
    };
    format!("game {}, ply {ply} of {}\n{}\n{next}\n", played.id, played.length(), game.diagram(&state))
}
