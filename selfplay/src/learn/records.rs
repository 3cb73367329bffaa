//! Game records become an Experience Book.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use engine::book::experience::{
    BookWriter, ExperienceBook, ExperienceError, Header, Learned, Row, Rule, Span, WriteError, merge_sorted,
};
use engine::types::Move;
use xxhash_rust::xxh3::xxh3_64;

use super::episode::{Discount, Episode, Fate, Step};
use super::ledger::{Ledger, Place, Sums};
use crate::Outcome;
use crate::record::{self, GameRecord, Reader, RecordError};

/// How to learn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Method {
    /// The rule.
    pub rule: Rule,
    /// Its numbers.
    pub discount: Discount,
    /// The style that played, if the book is for one.
    pub style: String,
}

impl Method {
    /// The header of a book that holds nothing yet and is learned so.
    pub fn header(&self) -> Header {
        Header {
            rule: self.rule,
            alpha_milli: self.discount.alpha_milli,
            gamma_milli: self.discount.gamma_milli,
            learns_draws: self.discount.learns_draws,
            style: self.style.clone(),
            games: 0,
            learned: Learned::default(),
        }
    }
}

/// Why nothing was learned. The book is as it was.
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    /// The book that is there cannot be read.
    #[error("{path}: {cause}")]
    Book {
        /// The book.
        path: PathBuf,
        /// What is wrong.
        cause: ExperienceError,
    },
    /// The book that is there has lost rows.
    #[error("{path} is damaged; `selfplay book repair` makes a whole book of what is left")]
    Damaged {
        /// The book.
        path: PathBuf,
    },
    /// It was learned otherwise.
    #[error("{path} was learned otherwise: {reason}; learn into another book, or give the same settings")]
    Unlike {
        /// The book.
        path: PathBuf,
        /// What differs.
        reason: String,
    },
    /// A record cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Game numbers are kept in 32 bits.
    #[error("{path}: game number {game} is too large for a book (the limit is 4,294,967,295)")]
    Number {
        /// The record.
        path: PathBuf,
        /// The number.
        game: u64,
    },
    /// The book cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// What was learned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LearnReport {
    /// Games that were new.
    pub games: u64,
    /// Games that the book knew already.
    pub known: u64,
    /// Decisions in the new games.
    pub positions: u64,
    /// Rows before.
    pub rows_before: u64,
    /// Rows now.
    pub rows: u64,
}

/// Learns the games of record files into a book, which is made if it is not there. Games that the book
/// knows are skipped. Nothing is changed unless everything went well; `progress` hears of games learned.
pub fn learn_records(
    book_path: &Path,
    files: &[PathBuf],
    method: &Method,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<LearnReport, LearnError> {
    // Taken before the old book is read: nobody may write it between.
    let writer = BookWriter::new(book_path)?;
    let old = open_if_there(book_path, method)?;
    let mut header = old.as_ref().map_or_else(|| method.header(), |book| book.header().clone());
    let mut report =
        LearnReport { rows_before: old.as_ref().map_or(0, ExperienceBook::len), ..Default::default() };

    // Which games of which file are new. Files in the order of their games, so that the order in which
    // they are named does not matter.
    let mut lessons = Vec::new();
    let mut spoken_for = header.learned.clone();
    let mut spans =
        files.iter().map(|file| Ok((span_of(file)?, file))).collect::<Result<Vec<_>, LearnError>>()?;
    spans.sort();
    for (span, file) in spans {
        let missing = spoken_for.missing(span);
        let new: u64 = missing.iter().map(Span::games).sum();
        report.games += new;
        report.known += span.games() - new;
        for &part in &missing {
            let _ = spoken_for.add(part); // apart from all that is there: `missing` says so
        }
        if !missing.is_empty() {
            lessons.push((file, missing));
        }
    }
    if lessons.is_empty() && old.is_some() {
        writer.give_up();
        return Ok(LearnReport { rows: report.rows_before, ..report });
    }
    header.learned = spoken_for;
    header.games += report.games;

    let mut ledger = Ledger::new(method.rule, method.discount);
    let known = |(key, action): Place| old.as_ref().and_then(|book| sums_of(book, key, action));
    for (file, missing) in &lessons {
        let is_new = |game: &GameRecord| {
            missing.iter().any(|span| (u64::from(span.first)..u64::from(span.end)).contains(&game.id))
        };
        match method.rule {
            Rule::Mean => {
                let learn_block = |_: &record::Header, games: Vec<GameRecord>| {
                    let mut part = Ledger::new(method.rule, method.discount);
                    for episode in games.iter().filter(|game| is_new(game)).filter_map(episode_of) {
                        part.learn(&episode, |_| None);
                    }
                    progress(part.games());
                    part
                };
                record::map_blocks([file], learn_block, |part| {
                    ledger.absorb(part);
                    ControlFlow::Continue(())
                })?;
            }
            Rule::Td => {
                for game in record::games([file]) {
                    let game = game?;
                    if is_new(&game)
                        && let Some(episode) = episode_of(&game)
                    {
                        ledger.learn(&episode, known);
                        progress(1);
                    }
                }
            }
        }
    }
    report.positions = ledger.steps();
    let new_rows: Vec<Row> = ledger.into_sorted().into_iter().filter_map(row_of).collect();
    report.rows = match (old, method.rule) {
        (None, _) => writer.write(&header, new_rows.into_iter())?,
        (Some(old), Rule::Mean) => {
            let sources: Vec<Box<dyn Iterator<Item = Row>>> =
                vec![Box::new(old.rows().flatten()), Box::new(new_rows.into_iter())];
            writer.write(&header, merge_sorted(sources))?
        }
        // What the ledger holds began with what the book said: it takes its place.
        (Some(old), Rule::Td) => {
            let taken: std::collections::HashSet<Place> = new_rows.iter().map(Row::place).collect();
            let kept = old.rows().flatten().filter(|row| !taken.contains(&row.place()));
            let sources: Vec<Box<dyn Iterator<Item = Row>>> =
                vec![Box::new(kept), Box::new(new_rows.into_iter())];
            writer.write(&header, merge_sorted(sources))?
        }
    };
    Ok(report)
}

fn open_if_there(path: &Path, method: &Method) -> Result<Option<ExperienceBook>, LearnError> {
    let book = match ExperienceBook::open(path) {
        Ok(book) => book,
        Err(ExperienceError::Io(cause)) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(LearnError::Book { path: path.to_path_buf(), cause }),
    };
    book.header()
        .mixes_with(&method.header())
        .map_err(|reason| LearnError::Unlike { path: path.to_path_buf(), reason })?;
    let whole = book.rows().all(|row| row.is_ok());
    if whole { Ok(Some(book)) } else { Err(LearnError::Damaged { path: path.to_path_buf() }) }
}

/// The games of a record, named for ever by what they depend on.
fn span_of(path: &Path) -> Result<Span, LearnError> {
    let reader = Reader::open(path)?;
    let header = reader.header();
    let number =
        |game: u64| u32::try_from(game).map_err(|_| LearnError::Number { path: path.to_path_buf(), game });
    let source = record::Header { games: 0..0, ..header.clone() };
    Ok(Span {
        source: xxh3_64(&source.encode()),
        first: number(header.games.start)?,
        end: number(header.games.end)?,
    })
}

/// A game as the learner sees it; `None` if the engine never moved.
fn episode_of(game: &GameRecord) -> Option<Episode> {
    let mut board = game.first_searched();
    let mut steps = Vec::with_capacity(game.plies.len());
    let mut last_mover = None;
    for ply in &game.plies {
        last_mover = Some(board.side_to_move());
        steps.push(Step {
            key: board.key(),
            action: ply.played.bits(),
            value_stm: (!ply.explored).then(|| ply.value_stm()),
            depth: ply.depth,
        });
        board.make(ply.played);
    }
    let fate_of_last = match game.outcome {
        Outcome::Draw => Fate::Draw,
        outcome if outcome == Outcome::win_for(last_mover?) => Fate::Win,
        _ => Fate::Loss,
    };
    Some(Episode { steps, fate_of_last })
}

fn sums_of(book: &ExperienceBook, key: u64, action: u16) -> Option<Sums> {
    let row = book.lookup(key).find(|row| row.m.bits() == action)?;
    let Row { games, wins, draws, depth_sum, score_sum, .. } = row;
    Some(Sums { games, wins, draws, depth_sum, score_sum })
}

fn row_of(((key, action), sums): (Place, Sums)) -> Option<Row> {
    let Sums { games, wins, draws, depth_sum, score_sum } = sums;
    Some(Row { key, m: Move::from_bits(action)?, games, wins, draws, depth_sum, score_sum })
}
