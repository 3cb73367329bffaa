//! `selfplay book`: look into Experience Books, add them, mend them, turn them into other things.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};
use clap::{Args, Subcommand};
use engine::Board;
use engine::book::experience::{ExperienceBook, ExperienceEntry, Row, merge, write_book};
use engine::book::polyglot::PolyglotBuilder;
use selfplay::learn::tour::{legal_rows, main_line, tour};
use selfplay::learn::{Kept, shuffle};
use serde_json::{Value, json};

use super::learn_command::{MethodArgs, learn};

/// Look into Experience Books, add them, mend them, turn them into other things.
#[derive(Args)]
#[command(after_help = "Examples:
  selfplay book info experience.exp
  selfplay book show experience.exp e2e4 e7e5
  selfplay book merge a.exp b.exp -o both.exp
  selfplay book import games.pgn.zip --book experience.exp
  selfplay book polyglot experience.exp -o opening.bin --min-games 5")]
pub struct BookArgs {
    #[command(subcommand)]
    command: BookCommand,
}

#[derive(Subcommand)]
enum BookCommand {
    /// Say what a book holds.
    Info {
        /// The book
        book: PathBuf,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the moves known in a position.
    Show {
        /// The book
        book: PathBuf,
        /// A FEN in quotes, or moves from the initial position
        position: Vec<String>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Add books that learned different games. Any order gives the same bytes.
    Merge {
        /// The books
        #[arg(required = true)]
        books: Vec<PathBuf>,
        /// Their sum
        #[arg(short, long)]
        out: PathBuf,
    },
    /// Learn from anyone's games: results from the headers, evaluations from the comments where there are some.
    Import {
        /// PGN files, plain or zipped
        #[arg(required = true, value_name = "FILE.pgn[.zip]")]
        games: Vec<PathBuf>,
        /// The book; made if it is not there
        #[arg(short, long, value_name = "FILE.exp")]
        book: PathBuf,
        #[command(flatten)]
        method: MethodArgs,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Check every block of a book; exits with 1 if any is damaged.
    Verify {
        /// The book
        book: PathBuf,
    },
    /// Make a whole book of what is left of a damaged one.
    Repair {
        /// The damaged book; it stays as it is
        book: PathBuf,
        /// The whole one
        #[arg(short, long)]
        out: PathBuf,
    },
    /// Leave out moves that were played too seldom.
    Prune {
        /// The book; it stays as it is
        book: PathBuf,
        /// Keep moves played in at least so many games
        #[arg(long)]
        min_games: u32,
        /// The smaller one
        #[arg(short, long)]
        out: PathBuf,
    },
    /// Make a control for experiments: a book of the same moves whose results and scores are those of others.
    Shuffle {
        /// The book; it stays as it is
        book: PathBuf,
        /// The one that knows nothing
        #[arg(short, long)]
        out: PathBuf,
        /// Decides what goes where
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Leave how often each move was played about as it is: what was played more often is often better
        #[arg(long)]
        keep_counts: bool,
    },
    /// Write all rows as text: a JSON object a line, or CSV.
    Export {
        /// The book
        book: PathBuf,
        /// JSON, an object a line: the default
        #[arg(long, conflicts_with = "csv")]
        json: bool,
        /// CSV
        #[arg(long)]
        csv: bool,
        /// Where to; standard output if not given
        #[arg(short, long)]
        out: Option<PathBuf>,
    },
    /// Make a Polyglot opening book of the lines from the initial position.
    Polyglot {
        /// The book
        book: PathBuf,
        /// The Polyglot file
        #[arg(short, long)]
        out: PathBuf,
        /// Only moves played in at least so many games
        #[arg(long, default_value_t = 2)]
        min_games: u32,
    },
}

/// Runs the command.
pub fn run(args: &BookArgs) -> anyhow::Result<ExitCode> {
    match &args.command {
        BookCommand::Info { book, json } => info(&open(book)?, *json)?,
        BookCommand::Show { book, position, json } => show(&open(book)?, position, *json)?,
        BookCommand::Merge { books, out } => {
            let opened = books.iter().map(|book| open(book)).collect::<Result<Vec<_>, _>>()?;
            let rows = merge(&opened, out)?;
            println!("{}: {rows} rows of {} books", out.display(), opened.len());
        }
        BookCommand::Import { games, book, method, json } => learn(games, book, method, *json)?,
        BookCommand::Verify { book } => return verify(&open(book)?),
        BookCommand::Repair { book, out } => repair(book, out)?,
        BookCommand::Prune { book, min_games, out } => prune(&open(book)?, *min_games, out)?,
        BookCommand::Shuffle { book, out, seed, keep_counts } => {
            let kept = if *keep_counts { Kept::Counts } else { Kept::Moves };
            write_shuffled(&open(book)?, out, kept, *seed)?;
        }
        BookCommand::Export { book, csv, out, json: _ } => export(&open(book)?, *csv, out.as_deref())?,
        BookCommand::Polyglot { book, out, min_games } => polyglot(&open(book)?, out, *min_games)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn open(path: &Path) -> anyhow::Result<ExperienceBook> {
    // Not as a context: the error tells its cause itself, which would then be told twice.
    ExperienceBook::open(path).map_err(|error| anyhow!("cannot open the book {}: {error}", path.display()))
}

fn info(book: &ExperienceBook, as_json: bool) -> anyhow::Result<()> {
    let header = book.header();
    let (mut games, mut deepest, mut depths) = (0_u64, 0, 0_u64);
    for row in book.rows().flatten() {
        games += u64::from(row.games);
        depths += u64::from(row.depth_sum);
        deepest = deepest.max(row.avg_depth());
    }
    let mean_depth = depths as f64 / games.max(1) as f64;
    let line = main_line(book, &Board::start(), 12);
    let moves: Vec<String> = line.iter().map(|(board, row)| board.san(row.m)).collect();
    if as_json {
        let figures = json!({
            "rows": book.len(), "positions": book.positions(), "games": header.games, "rule": header.rule.name(),
            "alpha": f64::from(header.alpha_milli) / 1000.0, "gamma": f64::from(header.gamma_milli) / 1000.0,
            "learns_draws": header.learns_draws, "style": header.style, "mean_depth": mean_depth,
            "deepest": deepest, "spans": header.learned.spans().len(), "main_line": moves,
        });
        println!("{}", serde_json::to_string_pretty(&figures)?);
        return Ok(());
    }
    println!("{}", book.path().display());
    println!("rows        {} moves in {} positions", book.len(), book.positions());
    println!("games       {} in {} spans", header.games, header.learned.spans().len());
    println!(
        "rule        {} (alpha {:.3}, gamma {:.3}, draws {})",
        header.rule.name(),
        f64::from(header.alpha_milli) / 1000.0,
        f64::from(header.gamma_milli) / 1000.0,
        if header.learns_draws { "learned from" } else { "counted only" }
    );
    if !header.style.is_empty() {
        println!("style       {}", header.style);
    }
    println!("depth       {mean_depth:.1} on average, {deepest} at most");
    println!(
        "main line   {}",
        if moves.is_empty() { "(none from the initial position)".into() } else { moves.join(" ") }
    );
    Ok(())
}

/// A position from a FEN, or from moves played from the initial position.
fn find_position(words: &[String]) -> anyhow::Result<Board> {
    let text = words.join(" ");
    if text.contains('/') {
        return Board::from_fen(&text).with_context(|| format!("\"{text}\" is no position"));
    }
    let mut board = Board::start();
    for word in text.split_whitespace() {
        let m = board
            .parse_uci(word)
            .or_else(|_| board.parse_san(word))
            .with_context(|| format!("\"{word}\" is no move in {}", board.fen()))?;
        board.make(m);
    }
    Ok(board)
}

fn show(book: &ExperienceBook, words: &[String], as_json: bool) -> anyhow::Result<()> {
    let board = find_position(words)?;
    let mut rows = legal_rows(book, &board);
    rows.sort_by_key(|row| std::cmp::Reverse((row.games, row.score())));
    let entry = ExperienceEntry::of(&rows);
    if as_json {
        let moves: Vec<Value> = rows
            .iter()
            .map(|row| {
                json!({
                    "move": board.uci(row.m, false), "san": board.san(row.m), "games": row.games, "wins": row.wins,
                    "draws": row.draws, "losses": row.losses(), "score": row.score(), "depth": row.avg_depth(),
                })
            })
            .collect();
        let position = entry.map(|entry| {
            json!({ "score": entry.score, "games": entry.games_played, "wins": entry.wins, "draws": entry.draws,
                    "depth": entry.avg_depth })
        });
        println!(
            "{}",
            serde_json::to_string_pretty(
                &json!({ "fen": board.fen(), "position": position, "moves": moves })
            )?
        );
        return Ok(());
    }
    println!("{}", board.fen());
    let Some(entry) = entry else {
        println!("not in the book");
        return Ok(());
    };
    println!(
        "{:<8} {:>8} {:>7} {:>7} {:>7} {:>7} {:>6}",
        "move", "games", "win", "draw", "loss", "score", "depth"
    );
    let percent =
        |part: u32, whole: u32| format!("{:.1}%", 100.0 * f64::from(part) / f64::from(whole.max(1)));
    let score = |centipawns: i32| format!("{:+.2}", f64::from(centipawns) / 100.0);
    for row in &rows {
        println!(
            "{:<8} {:>8} {:>7} {:>7} {:>7} {:>7} {:>6}",
            board.san(row.m),
            row.games,
            percent(row.wins, row.games),
            percent(row.draws, row.games),
            percent(row.losses(), row.games),
            score(row.score()),
            row.avg_depth()
        );
    }
    println!(
        "{:<8} {:>8} {:>7} {:>7} {:>7} {:>7} {:>6}",
        "all",
        entry.games_played,
        percent(entry.wins, entry.games_played),
        percent(entry.draws, entry.games_played),
        percent(entry.games_played - entry.wins - entry.draws, entry.games_played),
        score(entry.score),
        entry.avg_depth
    );
    Ok(())
}

fn verify(book: &ExperienceBook) -> anyhow::Result<ExitCode> {
    let found = book.verify();
    if found.is_whole() {
        println!("{}: {} rows in {} blocks, all whole", book.path().display(), book.len(), found.row_blocks);
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!(
        "{}: {}; `selfplay book repair {} -o whole.exp` saves the rest",
        book.path().display(),
        found.damage().join(", "),
        book.path().display()
    );
    Ok(ExitCode::FAILURE)
}

fn repair(path: &Path, out: &Path) -> anyhow::Result<()> {
    if path == out {
        bail!("the damaged book stays as it is: give -o another name");
    }
    let book = ExperienceBook::salvage(path)
        .with_context(|| format!("nothing can be saved of {}", path.display()))?;
    let mut lost = 0;
    let mut last = None;
    let mut rows = Vec::new();
    for row in book.rows() {
        match row {
            Ok(row) if last.is_none_or(|last| row.place() > last) => {
                last = Some(row.place());
                rows.push(row);
            }
            Ok(_) => lost += 1,
            Err(damage) => lost += damage.rows,
        }
    }
    // What it learned stays noted: learning it again would count the rows that were saved twice.
    let saved = write_book(out, book.header(), rows.into_iter())?;
    println!("{}: {saved} rows saved, {lost} lost", out.display());
    Ok(())
}

fn prune(book: &ExperienceBook, min_games: u32, out: &Path) -> anyhow::Result<()> {
    check_whole(book)?;
    let kept = book.rows().flatten().filter(|row| row.games >= min_games);
    let rows = write_book(out, book.header(), kept)?;
    println!("{}: {rows} rows kept of {}", out.display(), book.len());
    Ok(())
}

fn write_shuffled(book: &ExperienceBook, out: &Path, kept: Kept, seed: u64) -> anyhow::Result<()> {
    check_whole(book)?;
    let mut rows: Vec<Row> = book.rows().flatten().collect();
    shuffle(&mut rows, kept, seed);
    let rows = write_book(out, book.header(), rows.into_iter())?;
    println!("{}: {rows} rows, none about its own move but by chance", out.display());
    Ok(())
}

fn check_whole(book: &ExperienceBook) -> anyhow::Result<()> {
    match book.rows().find_map(Result::err) {
        Some(damage) => bail!("{}: {damage}; `selfplay book repair` first", book.path().display()),
        None => Ok(()),
    }
}

fn export(book: &ExperienceBook, csv: bool, out: Option<&Path>) -> anyhow::Result<()> {
    let mut sink: BufWriter<Box<dyn Write>> = BufWriter::new(match out {
        Some(path) => {
            Box::new(std::fs::File::create(path).with_context(|| format!("cannot write {}", path.display()))?)
        }
        None => Box::new(std::io::stdout().lock()),
    });
    if csv {
        writeln!(sink, "key,move,games,wins,draws,losses,score,depth")?;
    }
    for row in book.rows() {
        let row = row.with_context(|| format!("{}: `selfplay book repair` first", book.path().display()))?;
        let Row { key, m, games, wins, draws, .. } = row;
        let (losses, score, depth) = (row.losses(), row.score(), row.avg_depth());
        match csv {
            true => writeln!(sink, "{key:016x},{m:?},{games},{wins},{draws},{losses},{score},{depth}")?,
            false => {
                let line = json!({ "key": format!("{key:016x}"), "move": format!("{m:?}"), "games": games, "wins": wins,
                    "draws": draws, "losses": losses, "score": score, "depth": depth });
                writeln!(sink, "{line}")?;
            }
        }
    }
    sink.flush()?;
    Ok(())
}

/// A move's weight in the Polyglot book: how often it was played, times the points it made; moves that
/// made less than a third of the points are known and not to be played.
fn weight(row: &Row) -> u64 {
    let half_points = 2 * u64::from(row.wins) + u64::from(row.draws);
    if 3 * half_points < 2 * u64::from(row.games) { 0 } else { half_points }
}

fn polyglot(book: &ExperienceBook, out: &Path, min_games: u32) -> anyhow::Result<()> {
    let mut builder = PolyglotBuilder::new();
    tour(book, &Board::start(), min_games, |board, rows| {
        // Weights have sixteen bits: scaled by position, so that shares stay what they are.
        let most = rows.iter().map(weight).max().unwrap_or(0).max(1);
        let scale = |weight: u64| if most > 65_535 { weight * 65_535 / most } else { weight };
        for row in rows {
            builder.add(board, row.m, scale(weight(row)) as u16);
        }
    });
    if builder.is_empty() {
        bail!(
            "{} has no line from the initial position with {min_games} games or more: \
             were its games played from other openings?",
            book.path().display()
        );
    }
    builder.write(out)?;
    println!("{}: {} moves", out.display(), builder.len());
    Ok(())
}
