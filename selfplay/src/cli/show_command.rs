//! `selfplay show`: steps through a game in the terminal.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::Args;
use engine::types::Color;
use selfplay::arena::EngineScore;
use selfplay::record::{GameRecord, Reader, VERSION};

use super::games::show_record;

/// Step through a game in the terminal: board, score, and the graph of all scores.
///
/// Keys, each with Enter: nothing or `n` next, `p` back, a number goes to that ply, `e` to the end, `q`
/// quits. Without a terminal the whole game is written.
#[derive(Args)]
pub struct ShowArgs {
    /// The record
    #[arg(value_name = "FILE.tgr")]
    file: PathBuf,

    /// The number of the game [default: the first of the file]
    #[arg(long, value_name = "ID")]
    game: Option<u64>,

    /// Begin at this ply
    #[arg(long, value_name = "N", default_value_t = 0)]
    ply: usize,
}

/// Runs the command.
pub fn run(args: &ShowArgs) -> anyhow::Result<ExitCode> {
    let reader = Reader::open_any(&args.file)?;
    if reader.header().version != VERSION {
        return show_record(reader, args.game, args.ply);
    }
    let (id, block) = block_of(&reader, args.game)?;
    let found = reader.decode(block)?.into_iter().find(|game| game.id == id);
    let game = found.with_context(|| format!("game {id} is missing in its block"))?;
    turn_pages(args.ply, game.length(), |ply| page(&game, ply))
}

/// The game asked for, or the first one, and the number of its block.
pub fn block_of(reader: &Reader, asked: Option<u64>) -> anyhow::Result<(u64, usize)> {
    let games = reader.header().games.clone();
    let id = asked.unwrap_or(games.start);
    let block =
        reader.blocks().position(|head| (head.first..head.first + u64::from(head.games)).contains(&id));
    let block = block.with_context(|| {
        format!(
            "game {id} is not in {}: it has {} to {}",
            reader.path().display(),
            games.start,
            games.end - 1
        )
    })?;
    Ok((id, block))
}

/// Shows the pages of a game one by one, on request; without a terminal all of them.
pub fn turn_pages(first: usize, last: usize, page: impl Fn(usize) -> String) -> anyhow::Result<ExitCode> {
    ensure!(first <= last, "--ply {first}: the game has {last} plies");
    let mut output = io::stdout().lock();
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        for ply in first..=last {
            if writeln!(output, "{}", page(ply)).is_err() {
                break;
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut ply = first;
    let mut lines = io::stdin().lock().lines();
    loop {
        // Home and clear.
        write!(output, "\x1b[H\x1b[2J{}\nEnter/n next, p back, number, e end, q quit: ", page(ply))?;
        output.flush()?;
        let Some(line) = lines.next() else { break };
        match line?.trim() {
            "" | "n" => ply = (ply + 1).min(last),
            "p" => ply = ply.saturating_sub(1),
            "e" => ply = last,
            "q" => break,
            number => ply = number.parse().unwrap_or(ply).min(last),
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The position before a ply, what was played there, and the graph.
fn page(game: &GameRecord, ply: usize) -> String {
    let mut board = game.start.board();
    let moves = game.opening.iter().copied().chain(game.plies.iter().map(|ply| ply.played));
    moves.take(ply).for_each(|m| board.make(m));
    let searched = ply.checked_sub(game.opening.len()).and_then(|number| game.plies.get(number));
    let next = match (searched, game.opening.get(ply)) {
        (Some(searched), _) => format!(
            "{} plays {}: {} at depth {}{}",
            name(board.side_to_move()),
            board.san(searched.played),
            EngineScore::from_value(searched.value_stm()),
            searched.depth,
            if searched.explored { " (drawn)" } else { "" }
        ),
        (None, Some(&m)) => format!("{} plays {}: opening", name(board.side_to_move()), board.san(m)),
        (None, None) => format!("{}: {}", game.outcome.pgn(), game.ending.words()),
    };
    format!("game {}, ply {ply} of {}\n{}\n{next}\n\n{}", game.id, game.length(), board, graph(game, ply))
}

fn name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// White's score over the game: a column of the graph is the last of the plies it stands for.
fn graph(game: &GameRecord, ply: usize) -> String {
    const WIDTH: usize = 100;
    const LEVELS: [char; 9] = ['▁', '▂', '▃', '▄', '─', '▅', '▆', '▇', '█'];
    /// Centipawns at which a graph leaves the middle by half a level.
    const SCALE: f64 = 150.0;
    let first_mover = game.first_searched().side_to_move();
    let width = game.plies.len().clamp(1, WIDTH);
    let mut line = String::new();
    for column in 0..width {
        let number = (column + 1) * game.plies.len() / width;
        let Some(searched) = number.checked_sub(1).and_then(|number| game.plies.get(number)) else { break };
        let white_moves = (number % 2 == 1) == (first_mover == Color::White);
        let score_white = if white_moves { searched.score_stm } else { -searched.score_stm };
        let bent = (f64::from(score_white) / SCALE).tanh();
        line.push(LEVELS[((bent + 1.0) * 4.0).round() as usize]);
    }
    let here = ply.saturating_sub(game.opening.len()) * width / game.plies.len().max(1);
    format!("{line}  White's score\n{}^\n", " ".repeat(here.min(width - 1)))
}
