//! Runs the queries of a script: those with the same source share one pass over it, on all cores.

use rayon::prelude::*;

use super::game::Game;
use super::limits::{Halt, Limits};
use super::plan::{Collect, Plan};
use super::run::{Held, Partial, Row, Run, compare};
use super::scene::Scene;
use super::source::{Chunk, Complaint, SourceError, Unread, chunks, epd_game, random_game};
use super::value::Value;
use super::vocabulary::Reach;

/// Chunks that are read at the same time for each thread: enough to keep all busy, few enough to bound the
/// memory.
const CHUNKS_AHEAD: usize = 4;
/// Positions that one thread takes through a later segment at a time.
const HELD_CHUNK: usize = 1;

/// What a query found.
#[derive(Debug)]
pub struct Found {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Value>>,
    /// Positions that were looked at.
    pub positions: u64,
    /// Why it ended early, if it did. The rows are those found until then.
    pub halt: Option<Halt>,
    /// Games and lines that were passed over, the first of them.
    pub complaints: Vec<Complaint>,
    /// How many were passed over.
    pub refused: usize,
}

/// How many complaints are kept.
const MOST_COMPLAINTS: usize = 20;

/// Runs queries; the answers are in the order of the queries. `progress` hears the positions looked at so far.
pub fn execute(
    plans: &[Plan],
    limits: &Limits,
    mut progress: impl FnMut(u64),
) -> Result<Vec<Found>, SourceError> {
    let mut answers: Vec<Option<Found>> = plans.iter().map(|_| None).collect();
    for first in 0..plans.len() {
        if answers[first].is_some() {
            continue;
        }
        let together: Vec<usize> =
            (first..plans.len()).filter(|&other| plans[other].source == plans[first].source).collect();
        let shared: Vec<&Plan> = together.iter().map(|&index| &plans[index]).collect();
        let scans = scan(&shared, limits, &mut progress)?;
        for (index, scan) in together.into_iter().zip(scans) {
            answers[index] = Some(scan.finish(&plans[index], limits));
        }
    }
    Ok(answers.into_iter().flatten().collect())
}

/// The first segment of a query, so far.
struct Scan {
    partial: Partial,
    positions: u64,
    halt: Option<Halt>,
    complaints: Vec<Complaint>,
    refused: usize,
}

/// What a chunk gave to each query.
struct ChunkResult {
    /// `// [query]`; `None`: it wants no more
    parts: Vec<Option<(Partial, u64)>>,
    halt: Option<Halt>,
    complaints: Vec<Complaint>,
}

/// Reads a source once for all queries that ask it.
fn scan(plans: &[&Plan], limits: &Limits, progress: &mut impl FnMut(u64)) -> Result<Vec<Scan>, SourceError> {
    let mut scans: Vec<Scan> = plans
        .iter()
        .map(|plan| Scan {
            partial: Partial::empty(plan, 0),
            positions: 0,
            halt: None,
            complaints: Vec::new(),
            refused: 0,
        })
        .collect();
    let expensive = plans.iter().any(|plan| plan.is_expensive());
    let mut chunks = chunks(&plans[0].source, expensive);
    let at_once = CHUNKS_AHEAD * rayon::current_num_threads();
    loop {
        let wants: Vec<bool> = plans
            .iter()
            .zip(&scans)
            .map(|(plan, scan)| scan.halt.is_none() && !scan.partial.is_full(&plan.segments[0]))
            .collect();
        let batch: Vec<Result<Chunk, SourceError>> = chunks.by_ref().take(at_once).collect();
        if batch.is_empty() || !wants.contains(&true) {
            return Ok(scans);
        }
        let results: Vec<Result<ChunkResult, SourceError>> =
            batch.into_par_iter().map(|chunk| read_chunk(&chunk?, plans, &wants, limits)).collect();
        for result in results {
            let result = result?;
            for ((scan, plan), part) in scans.iter_mut().zip(plans).zip(result.parts) {
                scan.take_in(plan, part, limits);
                scan.refused += result.complaints.len();
                let room = MOST_COMPLAINTS.saturating_sub(scan.complaints.len());
                scan.complaints.extend(result.complaints.iter().take(room).cloned());
                if scan.halt.is_none() {
                    scan.halt = result.halt.clone();
                }
            }
        }
        progress(scans.iter().map(|scan| scan.positions).max().unwrap_or(0));
    }
}

impl Scan {
    fn take_in(&mut self, plan: &Plan, part: Option<(Partial, u64)>, limits: &Limits) {
        let Some((partial, positions)) = part else { return };
        // What comes after a full `take` was read for nothing, and after a halt it would leave a gap.
        if self.halt.is_some() || self.partial.is_full(&plan.segments[0]) {
            return;
        }
        self.positions += positions;
        if let Err(halt) = self.partial.join(partial, &plan.segments[0], limits) {
            self.halt = Some(halt);
        }
    }

    /// Runs the segments after the first and makes rows of what they give.
    fn finish(mut self, plan: &Plan, limits: &Limits) -> Found {
        self.partial.finish(&plan.segments[0]);
        for number in 1..plan.segments.len() {
            let Partial::Held(held) = &self.partial else { break };
            let (partial, halt) = go_on(plan, number, held, limits);
            self.partial = partial;
            self.halt = self.halt.or(halt);
        }
        Found {
            columns: plan.columns.clone(),
            rows: rows(plan, self.partial),
            positions: self.positions,
            halt: self.halt,
            complaints: self.complaints,
            refused: self.refused,
        }
    }
}

/// Takes the positions that were kept through the next segment.
fn go_on(plan: &Plan, number: usize, held: &[Held], limits: &Limits) -> (Partial, Option<Halt>) {
    let segment = &plan.segments[number];
    let mut whole = Partial::empty(plan, number);
    let at_once = CHUNKS_AHEAD * rayon::current_num_threads() * HELD_CHUNK;
    for batch in held.chunks(at_once) {
        let parts: Vec<(Partial, Option<Halt>)> = batch
            .par_chunks(HELD_CHUNK)
            .map(|rows| {
                let mut run = Run::new(plan, number, limits);
                let halt = rows.iter().try_for_each(|held| run.held(held)).err();
                (run.finish().0, halt)
            })
            .collect();
        for (partial, halt) in parts {
            if whole.is_full(segment) {
                break;
            }
            let joined = whole.join(partial, segment, limits);
            if let Some(halt) = halt.or(joined.err()) {
                whole.finish(segment);
                return (whole, Some(halt));
            }
        }
        if whole.is_full(segment) {
            break;
        }
    }
    whole.finish(segment);
    (whole, None)
}

fn rows(plan: &Plan, partial: Partial) -> Vec<Vec<Value>> {
    let no_game = Game::default();
    let no_board = engine::Board::start();
    match (partial, &plan.result) {
        (Partial::Rows(rows), _) => rows.into_iter().map(|Row { values, .. }| values).collect(),
        (Partial::Groups(groups), Collect::Groups { select, order, take, .. }) => {
            let mut rows: Vec<(Vec<Value>, Vec<Value>)> = groups
                .finish()
                .into_iter()
                .map(|slots| {
                    let scene = Scene { slots: &slots, ..Scene::new(&no_game, 0, &no_board) };
                    let keys = order.iter().map(|(node, _)| node.value(&scene)).collect();
                    (keys, select.iter().map(|node| node.value(&scene)).collect())
                })
                .collect();
            if !order.is_empty() {
                rows.sort_by(|a, b| compare(&a.0, &b.0, order));
            }
            rows.truncate(take.map_or(usize::MAX, |take| take as usize));
            rows.into_iter().map(|(_, values)| values).collect()
        }
        _ => Vec::new(),
    }
}

/// Reads a chunk as far as the queries need it, and asks them.
fn read_chunk(
    chunk: &Chunk,
    plans: &[&Plan],
    wants: &[bool],
    limits: &Limits,
) -> Result<ChunkResult, SourceError> {
    let mut runs: Vec<Option<Run>> =
        plans.iter().zip(wants).map(|(plan, wants)| wants.then(|| Run::new(plan, 0, limits))).collect();
    let mut asking = Asking { plans, runs: &mut runs, halt: None, complaints: Vec::new() };
    match chunk {
        Chunk::Block { reader, file, number } => asking.block(reader, file, *number)?,
        Chunk::Pgn { text, file, places, first, variations } => {
            for (index, (line, from, to)) in places.iter().enumerate() {
                let unread = Unread::new(file, first + index as u64, &text[*from..*to]);
                if !asking.admits(&unread.label, Reach::Label) {
                    continue;
                }
                let (games, refused) = unread.games(*variations);
                asking.complain(file, *line, refused);
                games.iter().for_each(|game| asking.game(game));
            }
        }
        Chunk::Epd { text, file, places } => {
            for (line, from, to) in places {
                match epd_game(file, *line, &text[*from..*to]) {
                    Ok(game) => asking.game(&game),
                    Err(reason) => asking.complain(file, *line, Some(reason)),
                }
            }
        }
        Chunk::Random { walks, plies, seed } => {
            for walk in walks.0..walks.1 {
                asking.halt = asking.halt.take().or_else(|| limits.spend(*plies).err());
                if asking.halt.is_some() {
                    break;
                }
                asking.game(&random_game(*seed, walk, *plies));
            }
        }
        Chunk::Position(game) => asking.game(game),
    }
    let (halt, complaints) = (asking.halt, asking.complaints);
    Ok(ChunkResult { parts: runs.into_iter().map(|run| run.map(Run::finish)).collect(), halt, complaints })
}

/// The queries that hear of the games of a chunk.
struct Asking<'a, 'p> {
    plans: &'a [&'p Plan],
    runs: &'a mut [Option<Run<'p>>],
    halt: Option<Halt>,
    complaints: Vec<Complaint>,
}

impl Asking<'_, '_> {
    fn game(&mut self, game: &Game) {
        for run in self.runs.iter_mut().flatten().filter(|run| !run.is_full()) {
            if self.halt.is_none() {
                self.halt = run.game(game).err();
            }
        }
    }

    fn admits(&self, game: &Game, reach: Reach) -> bool {
        self.runs.iter().flatten().any(|run| run.admits(game, reach))
    }

    fn complain(&mut self, file: &std::sync::Arc<str>, line: usize, reason: Option<String>) {
        self.complaints.extend(reason.map(|reason| Complaint { file: file.clone(), line, reason }));
    }

    /// Reads of a block what is needed: nothing, its results, or all of it.
    fn block(
        &mut self,
        reader: &crate::record::Reader,
        file: &std::sync::Arc<str>,
        number: usize,
    ) -> Result<(), SourceError> {
        let Some(head) = reader.blocks().nth(number) else { return Ok(()) };
        let mut ids = head.first..head.first + u64::from(head.games);
        let label = |number| Game { number, file: file.clone(), ..Game::default() };
        let has_gate = |reach| self.plans.iter().all(|plan| plan.gate(reach).next().is_some());
        if has_gate(Reach::Label) && !ids.any(|number| self.admits(&label(number), Reach::Label)) {
            return Ok(());
        }
        let shallow = self.plans.iter().all(|plan| plan.needs.reach <= Reach::Ply && !plan.needs.tracks);
        if shallow || has_gate(Reach::Game) {
            let outlines = reader.outlines(number)?;
            let games = outlines.iter().map(|outline| Game {
                number: outline.id,
                file: file.clone(),
                outcome: Some(outline.outcome),
                ending: Some(outline.ending),
                length: outline.opening + outline.plies,
                ..Game::default()
            });
            if shallow {
                games.for_each(|game| self.game(&game));
                return Ok(());
            }
            if !games.into_iter().any(|game| self.admits(&game, Reach::Game)) {
                return Ok(());
            }
        }
        for record in reader.decode(number)? {
            let game = Game::from_record(file, record);
            self.game(&game);
        }
        Ok(())
    }
}
