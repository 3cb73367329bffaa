//! One game of the engine against itself.

use std::sync::Arc;

use engine::Board;
use engine::book::experience::ExperienceBook;
use engine::search::{Handler, Limits, SearchReport, SearchResult, Searcher, Signals, Silent};
use engine::types::{Color, Move, Value};

use super::generator::Generator;
use super::opening::GameStart;
use super::settings::{Exploration, Judge, Settings};
use crate::arena::adjudication::Adjudicator;
use crate::arena::game::end_by_rules;
use crate::arena::opening::OpeningError;
use crate::arena::{Adjudication, EngineScore};
use crate::random_opening::MOST_OPENINGS;
use crate::record::{Ending, GameRecord, Ply};
use crate::{Dice, Outcome};

/// Why a game was not played to its end.
#[derive(Debug, thiserror::Error)]
pub enum GameError {
    /// Somebody stopped the run.
    #[error("stopped")]
    Stopped,
    /// The book has a line that cannot be played.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// No opening was level enough.
    #[error(
        "game {game}: {MOST_OPENINGS} openings in a row were beyond ±{limit} centipawns; \
         raise --opening-limit or take other openings"
    )]
    NoLevelOpening {
        /// The game.
        game: u64,
        /// The limit.
        limit: i32,
    },
    /// The search returned no move in a position that has some: a fault of the program.
    #[error("game {game}: the search found no move in {fen}")]
    NoMove {
        /// The game.
        game: u64,
        /// The position.
        fen: String,
    },
}

/// Plays games, one after the other, each as if it were the first.
pub struct SelfPlay<'a> {
    run: &'a Generator,
    settings: &'a Settings,
    /// One for both sides, or, where a style tells own from opponent or one side is the pupil, `// [color]`.
    searchers: Vec<Searcher>,
    /// If there is one. It knows nothing of a book, nor of what the players think.
    judge: Option<(Judge, Searcher)>,
    signals: &'a Signals,
    /// Nodes of all searches so far.
    pub nodes: u64,
}

impl<'a> SelfPlay<'a> {
    /// A player of a run, with searchers of its own.
    pub fn new(run: &'a Generator, signals: &'a Signals) -> SelfPlay<'a> {
        let settings = &run.settings;
        let one_for_both = Arc::ptr_eq(&run.weights[0], &run.weights[1]) && !settings.sparring;
        let weights = run.weights.iter().take(if one_for_both { 1 } else { 2 });
        let searcher = |weights: &Arc<_>| {
            let mut searcher = Searcher::new(settings.hash_mb, Arc::clone(weights));
            searcher.set_experience(run.experience.clone());
            searcher
        };
        let searchers = weights.map(searcher).collect();
        let judge =
            settings.judge.map(|judge| (judge, Searcher::new(settings.hash_mb, Arc::clone(&run.weights[0]))));
        SelfPlay { run, settings, searchers, judge, signals, nodes: 0 }
    }

    /// Plays the game with this number. The result depends on the number and the seed alone.
    pub fn play(&mut self, game: u64) -> Result<GameRecord, GameError> {
        let pupil = self.seat(game);
        let mut dice = Dice::for_game(self.run.seed, game);
        let played_out = !dice.happens(self.settings.rules.share);
        let nodes = self.nodes_of_game(&mut dice);
        let GameStart { start, opening, mut board } = self.level_opening(game, &mut dice)?;
        let tablebases = self.run.tablebases.clone();
        let rules = Adjudication { tablebases, ..self.settings.rules.on_scores() };
        let mut adjudicator = Adjudicator::new(rules);
        let mut plies: Vec<Ply> = Vec::with_capacity(200);
        let (outcome, ending) = loop {
            if let Some((outcome, ending)) = end_by_rules(&board)
                && let Some(ending) = Ending::by_rules(&ending)
            {
                break (outcome, ending);
            }
            if opening.len() + plies.len() >= self.settings.rules.max_plies {
                break (Outcome::Draw, Ending::PlyLimit);
            }
            if !played_out && let Some(outcome) = adjudicator.decide_by_tables(&board) {
                break (outcome, Ending::Tablebase);
            }
            let mover = board.side_to_move();
            let number = plies.len() as u32;
            let explores =
                number < self.settings.exploration.plies && pupil.is_none_or(|pupil| pupil == mover);
            let deep = self.settings.deep.filter(|deep| deep.includes(self.run.seed, game, plies.len()));
            let nodes = deep.map_or(nodes, |deep| deep.nodes);
            let mut ply = self.choose(game, &board, nodes, explores, &mut dice)?;
            self.judge(number, &board, &mut ply)?;
            let move_number = u32::from(board.fullmove_number());
            board.make(ply.played);
            plies.push(ply);
            let score = EngineScore::from_value(ply.value_stm());
            let verdict = adjudicator.decide(mover, move_number, Some(score));
            if !played_out
                && let Some(outcome) = verdict
                && end_by_rules(&board).is_none()
            {
                let drawn = outcome == Outcome::Draw;
                break (outcome, if drawn { Ending::AdjudicatedDraw } else { Ending::AdjudicatedWin });
            }
        };
        Ok(GameRecord { id: game, start, opening, outcome, ending, plies })
    }

    /// Makes the searchers ready for a game, and says who is the pupil, if there is one: each opening is played
    /// from either side in turn.
    fn seat(&mut self, game: u64) -> Option<Color> {
        if let Some((_, searcher)) = &mut self.judge {
            searcher.new_game();
        }
        if !self.settings.sparring {
            self.searchers.iter_mut().for_each(Searcher::new_game);
            return None;
        }
        let pupil = Color::ALL[(self.run.openings.round(game) % 2) as usize];
        for (searcher, color) in self.searchers.iter_mut().zip(Color::ALL) {
            // This forgets the game before, too.
            searcher.set_experience(self.run.experience.clone().filter(|_| color == pupil));
        }
        Some(pupil)
    }

    fn nodes_of_game(&self, dice: &mut Dice) -> u64 {
        let Settings { nodes, vary_nodes, .. } = *self.settings;
        if vary_nodes == 0 {
            return nodes;
        }
        nodes + nodes.saturating_mul(dice.below(u64::from(vary_nodes) + 1)) / 100
    }

    /// Puts what a judge finds in the place of what the player thought of its move, if one looks at this ply.
    fn judge(&mut self, number: u32, board: &Board, ply: &mut Ply) -> Result<(), GameError> {
        let hard_multiple = self.settings.hard_multiple;
        let Some((judge, searcher)) = self.judge.as_mut().filter(|(judge, _)| number < judge.plies) else {
            return Ok(());
        };
        let limits = Limits { searchmoves: vec![ply.played], ..limits(judge.nodes, hard_multiple) };
        let result = searcher.search(board, &limits, self.signals, &mut Silent);
        let result = self.counted(result)?;
        ply.score_stm = result.score as i16;
        ply.depth = result.depth.min(255) as u8;
        Ok(())
    }

    /// An opening that a search finds level enough for both sides.
    fn level_opening(&mut self, game: u64, dice: &mut Dice) -> Result<GameStart, GameError> {
        let limit = self.settings.opening_limit;
        for attempt in 0..MOST_OPENINGS {
            let mut start = self.run.openings.draw(game, attempt, self.settings.opening_plies, dice)?;
            if let Some(book) = &self.run.book {
                start.follow(book, self.settings.rules.max_plies, dice);
            }
            if end_by_rules(&start.board).is_some() {
                continue;
            }
            if self.settings.opening_nodes == 0 {
                return Ok(start);
            }
            let limits = self.limits(self.settings.opening_nodes);
            let result = self.search(&start.board, &limits, &mut Silent)?;
            if result.score.abs() <= limit {
                return Ok(start);
            }
        }
        Err(GameError::NoLevelOpening { game, limit })
    }

    /// The move to play, and what the search says of the position.
    fn choose(
        &mut self,
        game: u64,
        board: &Board,
        nodes: u64,
        explores: bool,
        dice: &mut Dice,
    ) -> Result<Ply, GameError> {
        let limits = self.limits(nodes);
        let exploration = self.settings.exploration;
        let mut lines = Lines::default();
        let result = if explores {
            self.set_lines(exploration.lines);
            let result = self.search(board, &limits, &mut lines);
            self.set_lines(1);
            result?
        } else {
            self.search(board, &limits, &mut Silent)?
        };
        let no_move = || GameError::NoMove { game, fen: board.fen() };
        let best = result.best.ok_or_else(no_move)?;
        let known = self.run.experience.as_deref().filter(|_| exploration.visits > 0);
        let games_of = |m| known.map_or(0, |book| games_of(book, board, m));
        let drawn = if explores { lines.draw(&exploration, games_of, dice) } else { None };
        Ok(Ply {
            played: drawn.unwrap_or(best),
            score_stm: result.score as i16,
            depth: result.depth.min(255) as u8,
            explored: drawn.is_some_and(|m| m != best),
        })
    }

    fn set_lines(&mut self, lines: usize) {
        for searcher in &mut self.searchers {
            searcher.options.multipv = lines;
        }
    }

    fn limits(&self, nodes: u64) -> Limits {
        limits(nodes, self.settings.hard_multiple)
    }

    fn search(
        &mut self,
        board: &Board,
        limits: &Limits,
        handler: &mut dyn Handler,
    ) -> Result<SearchResult, GameError> {
        let searcher = match board.side_to_move() {
            Color::Black => self.searchers.last_mut(),
            Color::White => self.searchers.first_mut(),
        };
        let Some(searcher) = searcher else { unreachable!("there is always one") };
        let result = searcher.search(board, limits, self.signals, handler);
        self.counted(result)
    }

    /// Counts the nodes of a search, unless it was cut short.
    fn counted(&mut self, result: SearchResult) -> Result<SearchResult, GameError> {
        if self.signals.stopped() {
            return Err(GameError::Stopped);
        }
        self.nodes += result.nodes;
        Ok(result)
    }
}

fn limits(nodes: u64, hard_multiple: u64) -> Limits {
    Limits { soft_nodes: Some(nodes), nodes: Some(nodes.saturating_mul(hard_multiple)), ..Limits::default() }
}

/// How many games the book has of a move.
fn games_of(book: &ExperienceBook, board: &Board, m: Move) -> u32 {
    book.lookup(board.key()).find(|row| row.m == m).map_or(0, |row| row.games)
}

/// The best lines of the last iteration that was reported whole.
#[derive(Default)]
struct Lines {
    depth: u32,
    /// `(first move, score for the side to move)`, best first
    best: Vec<(Move, Value)>,
}

impl Handler for Lines {
    fn report(&mut self, report: &SearchReport) {
        if report.multipv == 1 {
            self.best.clear();
            self.depth = report.depth;
        }
        if report.depth == self.depth
            && let Some(&first) = report.pv.first()
        {
            self.best.push((first, report.score));
        }
    }
}

impl Lines {
    /// One of the moves: the worse, and the better known, the rarer.
    fn draw(&self, how: &Exploration, games_of: impl Fn(Move) -> u32, dice: &mut Dice) -> Option<Move> {
        let (_, best) = *self.best.first()?;
        let weight = |m: Move, score: Value| {
            let worse = f64::from((best - score).max(0)) / f64::from(how.temperature.max(1));
            // `libm` computes the same bits on every machine.
            let weight = (libm::exp(-worse) * 1_000_000.0) as u64;
            let visits = u64::from(how.visits.max(1));
            // At least 1, or all could be 0.
            (weight * visits / (visits + u64::from(games_of(m)))).max(1)
        };
        let weights: Vec<u64> = self.best.iter().map(|&(m, score)| weight(m, score)).collect();
        Some(self.best[dice.weighted(&weights)].0)
    }
}
