//! Records of any game become its Experience Book: the learner of chess, told which game it is.

use std::path::{Path, PathBuf};

use engine::book::experience::{BookWriter, ExperienceBook, GAME_STYLE, Header, Span};

use super::record::{PlayedGame, games_of, open};
use super::{Game, keys_of};
use crate::learn::records::{open_if_there, replace_book, rows_of, sums_of};
use crate::learn::{Episode, LearnError, LearnReport, Ledger, Method, Place, Step, fate, span_of};

/// The header of an empty book of this game.
fn header_of<G: Game>(game: &G, method: &Method) -> Header {
    // Sixteen bytes are kept.
    let style: String = format!("{GAME_STYLE}{}", G::NAME).chars().take(16).collect();
    Header { keys: keys_of(game), style, ..method.header() }
}

/// A game as the learner sees it; `None` if nobody thought in it.
pub fn episode_of<G: Game>(game: &G, played: &PlayedGame) -> Option<Episode> {
    let mut steps = Vec::with_capacity(played.plies.len());
    played.for_each_position(game, |state, ply| {
        steps.push(Step {
            key: game.key(state),
            mover: game.mover(state),
            action: ply.action,
            value_stm: (!ply.explored).then(|| i32::from(ply.score_stm)),
            depth: ply.depth,
            undrawn_stm: ply.explored.then(|| i32::from(ply.score_stm)),
        });
    });
    let last_mover = steps.last()?.mover;
    Some(Episode { steps, fate_of_last: fate(played.outcome, last_mover) })
}

/// Learns records of this game into its book, which is made if it is not there. Games that the book knows are skipped;
/// records and books of other games are refused. Nothing is changed unless everything went well.
pub fn learn_records<G: Game>(
    game: &G,
    book_path: &Path,
    files: &[PathBuf],
    method: &Method,
) -> Result<LearnReport, LearnError> {
    // Taken before the old book is read: nobody may write it between.
    let writer = BookWriter::new(book_path)?;
    let wanted = header_of(game, method);
    let old: Option<ExperienceBook<u16>> = open_if_there(book_path, &wanted)?;
    let mut header = old.as_ref().map_or(wanted, |book| book.header().clone());
    let mut report =
        LearnReport { rows_before: old.as_ref().map_or(0, ExperienceBook::len), ..Default::default() };
    let mut sources = Vec::new();
    for file in files {
        sources.push((span_of(file, open(game, file)?.header())?, file));
    }
    // In the order of their games, so that the order in which they are named does not matter.
    sources.sort();
    let mut ledger = Ledger::new(method.rule, method.discount);
    let known = |(key, action): Place| old.as_ref().and_then(|book| sums_of(book, key, action));
    for (span, file) in sources {
        let missing = header.learned.missing(span);
        let new: u64 = missing.iter().map(Span::games).sum();
        report.games += new;
        report.known += span.games() - new;
        if missing.is_empty() {
            continue;
        }
        for &part in &missing {
            let _ = header.learned.add(part); // apart from all that is there: `missing` says so
        }
        for played in games_of(game, std::slice::from_ref(file))? {
            let is_new =
                missing.iter().any(|part| (u64::from(part.first)..u64::from(part.end)).contains(&played.id));
            match episode_of(game, &played) {
                Some(episode) if is_new => {
                    ledger.learn(&method.lesson(span.source, played.id, episode), known)
                }
                _ => report.unusable += u64::from(is_new),
            }
        }
    }
    if report.games == 0 && old.is_some() {
        writer.give_up();
        return Ok(LearnReport { rows: report.rows_before, ..report });
    }
    header.games += report.games;
    report.positions = ledger.steps();
    report.rows = replace_book(writer, &header, old, method.rule, rows_of(ledger).into_iter())?;
    Ok(report)
}
