//! Games become an Experience Book.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use engine::board::zobrist::Key;
use engine::book::experience::{
    Action, BookWriter, ExperienceBook, ExperienceError, Header, Learned, Row, Rule, Span, WriteError,
    merge_sorted,
};
use engine::book::game_log::GameLogError;
use xxhash_rust::xxh3::xxh3_64;

use super::episode::{Discount, Episode};
use super::ledger::{Ledger, Place, Sums, decisions};
use super::material::{Material, MaterialKind, episode_of};
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
    /// For a control: a coin for each game, decided by this number, says whether all that it teaches is
    /// turned round. The book of such games knows the same positions, and nothing.
    pub coin: Option<u64>,
}

impl Method {
    /// The game of this number in a source as it is to be learned. Games of one number in several runs begin
    /// alike: each needs a coin of its own, or half of all openings would be taught truly.
    pub(crate) fn lesson(&self, source: u64, number: u64, episode: Episode) -> Episode {
        let heads = self
            .coin
            .is_some_and(|seed| xxh3_64(&[seed, source, number].map(u64::to_le_bytes).concat()) & 1 == 1);
        if heads { episode.turned_round() } else { episode }
    }

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
            ..Header::default()
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
    /// A log cannot be read.
    #[error(transparent)]
    Log(#[from] GameLogError),
    /// A PGN file cannot be read.
    #[error("{path}: {reason}")]
    Pgn {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
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
    /// New games that nothing can be learned from: without a result, or with moves that are none.
    pub unusable: u64,
    /// Decisions in the new games.
    pub positions: u64,
    /// Rows before.
    pub rows_before: u64,
    /// Rows now.
    pub rows: u64,
}

/// Learns the games of files (records, logs, PGN: their names tell) into a book, which is made if it is not there. Games that the book
/// knows are skipped. Nothing is changed unless everything went well; `progress` hears of games learned.
pub fn learn_files(
    book_path: &Path,
    files: &[PathBuf],
    method: &Method,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<LearnReport, LearnError> {
    // Taken before the old book is read: nobody may write it between.
    let writer = BookWriter::new(book_path)?;
    let old: Option<ExperienceBook> = open_if_there(book_path, &method.header())?;
    let mut header = old.as_ref().map_or_else(|| method.header(), |book| book.header().clone());
    let mut report =
        LearnReport { rows_before: old.as_ref().map_or(0, ExperienceBook::len), ..Default::default() };

    // Which games of which file are new. Files in the order of their games, so that the order in which
    // they are named does not matter.
    let mut lessons = Vec::new();
    let mut spoken_for = header.learned.clone();
    let mut materials = files.iter().map(|file| Material::of(file)).collect::<Result<Vec<_>, _>>()?;
    materials.sort_by_key(|material| material.span);
    for material in materials {
        let span = material.span;
        let missing = spoken_for.missing(span);
        let new: u64 = missing.iter().map(Span::games).sum();
        report.games += new;
        report.known += span.games() - new;
        report.unusable += material.unusable(&missing);
        for &part in &missing {
            let _ = spoken_for.add(part); // apart from all that is there: `missing` says so
        }
        if !missing.is_empty() {
            lessons.push((material, missing));
        }
    }
    if lessons.is_empty() && old.is_some() {
        writer.give_up();
        return Ok(LearnReport { rows: report.rows_before, ..report });
    }
    header.learned = spoken_for;
    header.games += report.games;

    let mut ledger = Ledger::new(method.rule, method.discount);
    // What the blocks of records taught, each in the order of a book: under `mean` they add like books.
    let mut sorted: Vec<Vec<Row>> = Vec::new();
    let known = |(key, action): Place| old.as_ref().and_then(|book| sums_of(book, key, action));
    for (material, missing) in &lessons {
        let source = material.span.source;
        let file = match &material.kind {
            MaterialKind::Record(file) => file,
            MaterialKind::Games(games) => {
                let new = missing.iter().flat_map(|span| span.first..span.end);
                for number in new {
                    if let Some(Some(episode)) = games.get(number as usize) {
                        ledger.learn(&method.lesson(source, u64::from(number), episode.clone()), known);
                        progress(1);
                    }
                }
                continue;
            }
        };
        let is_new = |game: &GameRecord| {
            missing.iter().any(|span| (u64::from(span.first)..u64::from(span.end)).contains(&game.id))
        };
        match method.rule {
            Rule::Mean => {
                let learn_block = |games: Vec<(GameRecord, Vec<Key>)>| {
                    let mut rows = Vec::with_capacity(games.iter().map(|(game, _)| game.plies.len()).sum());
                    let (mut learned, mut steps) = (0, 0);
                    for (game, keys) in games.iter().filter(|(game, _)| is_new(game)) {
                        if let Some(episode) = episode_of(game, keys) {
                            let lesson = method.lesson(source, game.id, episode);
                            rows.extend(decisions(&lesson, method.discount).filter_map(row_of));
                            learned += 1;
                            steps += lesson.steps.len() as u64;
                        }
                    }
                    progress(learned);
                    (steps, in_order(rows))
                };
                record::map_blocks_with_keys([file], learn_block, |(steps, rows)| {
                    report.positions += steps;
                    sorted.push(rows);
                    ControlFlow::Continue(())
                })?;
            }
            Rule::Td => {
                let reader = Reader::open(file)?;
                for number in 0..reader.blocks().len() {
                    for (game, keys) in reader.decode_with_keys(number)? {
                        if is_new(&game)
                            && let Some(episode) = episode_of(&game, &keys)
                        {
                            ledger.learn(&method.lesson(source, game.id, episode), known);
                            progress(1);
                        }
                    }
                }
                if let Some(damage) = reader.into_damage().into_iter().next() {
                    return Err(damage.into());
                }
            }
        }
    }
    report.positions += ledger.steps();
    sorted.push(rows_of(ledger));
    let new_rows = merge_sorted(sorted.into_iter().map(Vec::into_iter).collect());
    report.rows = replace_book(writer, &header, old, method.rule, new_rows)?;
    Ok(report)
}

/// Writes a book of what the old one held and what was learned since, in the order of a book; says how many rows it has.
pub(crate) fn replace_book<A: Action>(
    writer: BookWriter,
    header: &Header,
    old: Option<ExperienceBook<A>>,
    rule: Rule,
    new_rows: impl Iterator<Item = Row<A>>,
) -> Result<u64, WriteError> {
    match (old, rule) {
        (None, _) => writer.write(header, new_rows),
        (Some(old), Rule::Mean) => {
            let sources: Vec<Box<dyn Iterator<Item = Row<A>>>> =
                vec![Box::new(old.rows().flatten()), Box::new(new_rows)];
            writer.write(header, merge_sorted(sources))
        }
        // What the ledger holds began with what the book said: it takes its place.
        (Some(old), Rule::Td) => {
            let new_rows: Vec<Row<A>> = new_rows.collect();
            let taken: std::collections::HashSet<Place> = new_rows.iter().map(Row::place).collect();
            let kept = old.rows().flatten().filter(|row| !taken.contains(&row.place()));
            let sources: Vec<Box<dyn Iterator<Item = Row<A>>>> =
                vec![Box::new(kept), Box::new(new_rows.into_iter())];
            writer.write(header, merge_sorted(sources))
        }
    }
}

/// The book at a path, if there is one; it must be whole and have been learned as the wanted header says.
pub(crate) fn open_if_there<A: Action>(
    path: &Path,
    wanted: &Header,
) -> Result<Option<ExperienceBook<A>>, LearnError> {
    let book = match ExperienceBook::open_keyed(path, wanted.keys) {
        Ok(book) => book,
        Err(ExperienceError::Io(cause)) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(LearnError::Book { path: path.to_path_buf(), cause }),
    };
    book.header()
        .mixes_with(wanted)
        .map_err(|reason| LearnError::Unlike { path: path.to_path_buf(), reason })?;
    let whole = book.rows().all(|row| row.is_ok());
    if whole { Ok(Some(book)) } else { Err(LearnError::Damaged { path: path.to_path_buf() }) }
}

/// What a book knows of a decision.
pub(crate) fn sums_of<A: Action>(book: &ExperienceBook<A>, key: u64, action: u16) -> Option<Sums> {
    let row = book.lookup(key).find(|row| row.m.to_bits() == action)?;
    let Row { games, wins, draws, depth_sum, score_sum, .. } = row;
    Some(Sums { games, wins, draws, depth_sum, score_sum })
}

/// Rows in the order of a book, those of the same move added. Keys are random numbers, so their first bits tell nearly
/// where a row belongs; what is left to sort are handfuls.
fn in_order(rows: Vec<Row>) -> Vec<Row> {
    let Some(&any) = rows.first() else { return rows };
    let bits = rows.len().ilog2().clamp(1, 24);
    let bucket = |row: &Row| (row.key >> (64 - bits)) as usize;
    // Where each bucket begins; while rows are put into it, where the next one goes.
    let mut places = vec![0; 1 << bits];
    rows.iter().for_each(|row| places[bucket(row)] += 1);
    let mut begin = 0;
    for place in &mut places {
        begin += std::mem::replace(place, begin);
    }
    let mut sorted = vec![any; rows.len()];
    for row in &rows {
        let place = &mut places[bucket(row)];
        sorted[*place] = *row;
        *place += 1;
    }
    let mut begin = 0;
    for end in places {
        if end - begin > 1 {
            sorted[begin..end].sort_unstable_by_key(Row::place);
        }
        begin = end;
    }
    sorted.dedup_by(|row, sum| {
        let is_same = row.place() == sum.place();
        if is_same {
            sum.absorb(row);
        }
        is_same
    });
    sorted
}

/// What was learned, in the order of a book.
pub(crate) fn rows_of<A: Action>(ledger: Ledger) -> Vec<Row<A>> {
    ledger.into_sorted().into_iter().filter_map(row_of).collect()
}

fn row_of<A: Action>(((key, action), sums): (Place, Sums)) -> Option<Row<A>> {
    let Sums { games, wins, draws, depth_sum, score_sum } = sums;
    Some(Row { key, m: A::of_bits(action)?, games, wins, draws, depth_sum, score_sum })
}

#[cfg(test)]
mod tests {
    use engine::Board;

    use super::*;
    use crate::play::Dice;

    #[test]
    fn rows_come_in_order_and_add() {
        let moves = Board::start().legal_moves();
        let mut dice = Dice::for_game(3, 0);
        for count in [0, 1, 2, 3, 50, 3000] {
            // Any numbers, some of them often, and some that begin alike.
            let keys: Vec<Key> =
                (0..=count / 2).map(|n| dice.below(u64::MAX) >> if n % 3 == 0 { 40 } else { 0 }).collect();
            let mut row = || Row {
                key: dice.choose(&keys),
                m: moves[dice.below(3) as usize],
                games: 1,
                wins: dice.below(2) as u32,
                draws: 0,
                depth_sum: dice.below(20) as u32,
                score_sum: dice.below(1000) as i64 - 500,
            };
            let rows: Vec<Row> = (0..count).map(|_| row()).collect();
            let mut wanted: std::collections::BTreeMap<Place, Row> = Default::default();
            for row in &rows {
                wanted.entry(row.place()).and_modify(|sum| sum.absorb(row)).or_insert(*row);
            }
            assert_eq!(in_order(rows), wanted.into_values().collect::<Vec<_>>(), "{count}");
        }
    }
}
