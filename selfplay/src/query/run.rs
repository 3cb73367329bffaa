//! One query on its way through positions: each is led through the steps, and what arrives is kept.

use std::sync::{Arc, LazyLock};

use engine::Board;
use engine::search::Searcher;
use engine::types::Move;

use super::aggregate::Groups;
use super::export;
use super::game::{Game, Walker};
use super::limits::{Halt, Limits};
use super::nodes::{Node, TruthNode};
use super::plan::{Collect, Plan, Segment, Step};
use super::scene::{Found, Scene};
use super::thinking;
use super::value::Value;
use super::vocabulary::Reach;

/// What stands on the board where nobody looks at it.
static NO_BOARD: LazyLock<Board> = LazyLock::new(Board::start);

/// A row of the result, with what it is sorted by.
#[derive(Clone, Debug)]
pub struct Row {
    keys: Vec<Value>,
    /// The columns.
    pub values: Vec<Value>,
}

/// A position that waits for the next segment.
#[derive(Clone, Debug)]
pub struct Held {
    keys: Vec<Value>,
    game: Arc<Game>,
    ply: usize,
    beyond: Vec<Move>,
    found: Option<Found>,
    leaves: Option<u64>,
}

/// What came of a part of the source.
#[derive(Clone, Debug)]
pub enum Partial {
    /// Rows of the result.
    Rows(Vec<Row>),
    /// Groups of the result.
    Groups(Groups),
    /// Positions for the next segment.
    Held(Vec<Held>),
}

/// Sorts what has keys; what came first stays first among equals.
trait Keyed {
    fn keys(&self) -> &[Value];
}

impl Keyed for Row {
    fn keys(&self) -> &[Value] {
        &self.keys
    }
}

impl Keyed for Held {
    fn keys(&self) -> &[Value] {
        &self.keys
    }
}

fn sort_and_cut<T: Keyed>(rows: &mut Vec<T>, order: &[(Node, bool)], take: Option<u64>) {
    if !order.is_empty() {
        rows.sort_by(|a, b| compare(a.keys(), b.keys(), order));
    }
    rows.truncate(take.map_or(usize::MAX, |take| take as usize));
}

/// Compares keys in their order, each rising or falling.
pub fn compare(a: &[Value], b: &[Value], order: &[(Node, bool)]) -> std::cmp::Ordering {
    let pairs = a.iter().zip(b).zip(order);
    let orders = pairs.map(|((a, b), (_, falling))| if *falling { b.order(a) } else { a.order(b) });
    orders.into_iter().find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
}

impl Partial {
    /// Nothing yet, for a segment of a plan.
    pub fn empty(plan: &Plan, segment: usize) -> Partial {
        match &plan.result {
            _ if segment + 1 < plan.segments.len() => Partial::Held(Vec::new()),
            Collect::Groups { grouping, .. } => Partial::Groups(Groups::new(grouping)),
            _ => Partial::Rows(Vec::new()),
        }
    }

    /// Takes in what came of a later part.
    pub fn join(&mut self, later: Partial, segment: &Segment, limits: &Limits) -> Result<(), Halt> {
        match (&mut *self, later) {
            (Partial::Rows(rows), Partial::Rows(more)) => rows.extend(more),
            (Partial::Held(rows), Partial::Held(more)) => rows.extend(more),
            (Partial::Groups(groups), Partial::Groups(more)) => groups.join(more),
            _ => {}
        }
        self.bound(segment, limits)
    }

    /// Drops what `take` will not take, and refuses to grow beyond all bounds.
    fn bound(&mut self, segment: &Segment, limits: &Limits) -> Result<(), Halt> {
        let room = limits.rows.min(segment.take.map_or(limits.rows, |take| take as usize));
        if self.len() > 2 * room.max(1000) && segment.take.is_some() {
            self.finish(segment);
        }
        if self.len() > limits.rows && segment.take.is_none_or(|take| take as usize > limits.rows) {
            return Err(Halt::Rows(limits.rows));
        }
        Ok(())
    }

    fn len(&self) -> usize {
        match self {
            Partial::Rows(rows) => rows.len(),
            Partial::Held(rows) => rows.len(),
            Partial::Groups(groups) => groups.size(),
        }
    }

    /// Whether nothing that comes later can change it.
    pub fn is_full(&self, segment: &Segment) -> bool {
        let is_group = matches!(self, Partial::Groups(_));
        !is_group && segment.order.is_empty() && segment.take.is_some_and(|take| self.len() as u64 >= take)
    }

    /// Sorts and cuts as the segment says.
    pub fn finish(&mut self, segment: &Segment) {
        match self {
            Partial::Rows(rows) => sort_and_cut(rows, &segment.order, segment.take),
            Partial::Held(rows) => sort_and_cut(rows, &segment.order, segment.take),
            Partial::Groups(_) => {}
        }
    }
}

/// Leads positions through one segment of a plan. One a thread and chunk.
pub struct Run<'p> {
    plan: &'p Plan,
    segment: &'p Segment,
    limits: &'p Limits,
    searcher: Option<Searcher>,
    /// Whether a `once` has let a position of this game through.
    once: bool,
    /// Whether this game was written.
    written: bool,
    /// The game as the next segment keeps it.
    held_game: Option<Arc<Game>>,
    partial: Partial,
    /// Positions that were looked at.
    pub positions: u64,
}

/// Why a position goes no further: it was refused, or the whole run ends.
type Onward = Result<(), Halt>;

impl<'p> Run<'p> {
    /// Ready for the first position.
    pub fn new(plan: &'p Plan, number: usize, limits: &'p Limits) -> Run<'p> {
        Run {
            plan,
            segment: &plan.segments[number],
            limits,
            searcher: None,
            once: false,
            written: false,
            held_game: None,
            partial: Partial::empty(plan, number),
            positions: 0,
        }
    }

    /// What came of it.
    pub fn finish(mut self) -> (Partial, u64) {
        self.partial.finish(self.segment);
        (self.partial, self.positions)
    }

    /// Whether no further position is wanted.
    pub fn is_full(&self) -> bool {
        self.partial.is_full(self.segment)
    }

    /// Whether a game may have positions that are wanted, as far as can be told with so little read.
    pub fn admits(&self, game: &Game, reach: Reach) -> bool {
        let scene = Scene::new(game, 0, &NO_BOARD);
        self.plan.gate(reach).all(|node| node.at(&scene))
    }

    /// Asks at every position of a game.
    pub fn game(&mut self, game: &Game) -> Onward {
        self.start_game();
        self.limits.check()?;
        self.positions += (game.length + 1 - game.first_ply) as u64;
        if !self.admits(game, Reach::Game) {
            return Ok(());
        }
        let tracks = self.tracks(game);
        let needs = self.plan.needs;
        if needs.reach < Reach::Board {
            for ply in game.first_ply..=game.length {
                let scene = Scene { tracks: &tracks, ..Scene::new(game, ply, &NO_BOARD) };
                self.step(0, &scene)?;
                if self.is_full() {
                    break;
                }
            }
            return Ok(());
        }
        let mut walker = Walker::new(game, needs.paths);
        for ply in game.first_ply..=game.length {
            // What can be refused without a board is refused before it is brought up to date.
            let blind = Scene { tracks: &tracks, ..Scene::new(game, ply, &NO_BOARD) };
            if !self.plan.gate(Reach::Moves).all(|node| node.at(&blind)) {
                continue;
            }
            walker.go_to(ply);
            let seen = Scene::new(game, ply, walker.board());
            let scene = Scene { tracks: &tracks, visited: walker.visited(), ..seen };
            self.step(0, &scene)?;
            if self.is_full() {
                break;
            }
        }
        Ok(())
    }

    fn start_game(&mut self) {
        self.once = false;
        self.written = false;
        self.held_game = None;
    }

    /// Works out the values that questions about other moments need.
    fn tracks(&self, game: &Game) -> Vec<Vec<Value>> {
        let mut tracks: Vec<Vec<Value>> = Vec::with_capacity(self.plan.tracks.len());
        for node in &self.plan.tracks {
            let mut walker = Walker::new(game, self.plan.needs.paths);
            let mut track = Vec::with_capacity(game.length + 1);
            for ply in 0..=game.length {
                walker.go_to(ply);
                let seen = Scene::new(game, ply, walker.board());
                track.push(node.value(&Scene { tracks: &tracks, visited: walker.visited(), ..seen }));
            }
            tracks.push(track);
        }
        tracks
    }

    /// Asks at a position that an earlier segment kept.
    pub fn held(&mut self, held: &Held) -> Onward {
        self.start_game();
        self.limits.check()?;
        self.positions += 1;
        let game = &held.game;
        self.held_game = Some(game.clone());
        let tracks = self.tracks(game);
        let mut walker = Walker::new(game, self.plan.needs.paths);
        let board = walker.go_to(held.ply - held.beyond.len());
        let mut beyond_board = None;
        if !held.beyond.is_empty() {
            let mut further = board.clone();
            held.beyond.iter().for_each(|&m| further.make(m));
            beyond_board = Some(further);
        }
        let board = beyond_board.as_ref().unwrap_or(walker.board());
        let scene = Scene {
            tracks: &tracks,
            visited: walker.visited(),
            beyond: &held.beyond,
            found: held.found.as_ref(),
            leaves: held.leaves,
            ..Scene::new(game, held.ply, board)
        };
        self.step(0, &scene)
    }

    fn step(&mut self, at: usize, scene: &Scene) -> Onward {
        let segment = self.segment;
        let Some(step) = segment.steps.get(at) else { return self.arrive(scene) };
        match step {
            Step::Where(parts) => match parts.iter().all(|(node, _)| node.at(scene)) {
                true => self.step(at + 1, scene),
                false => Ok(()),
            },
            Step::Once if self.once => Ok(()),
            Step::Once => {
                self.once = true;
                self.step(at + 1, scene)
            }
            Step::Walk { plies, prune } => {
                let mut board = scene.board.clone();
                let mut moves = scene.beyond.to_vec();
                self.walk(at, scene, &mut board, &mut moves, *plies, prune.as_ref())
            }
            Step::Search { limit, lines } => {
                let found = thinking::search(&mut self.searcher, scene.board, *limit, *lines, self.limits)?;
                found.iter().try_for_each(|found| self.step(at + 1, &known(scene, Some(found), scene.leaves)))
            }
            Step::Follow(plies) => {
                let Some(found) = scene.found else { return Ok(()) };
                let most = plies.map_or(usize::MAX, |plies| plies as usize);
                let mut board = scene.board.clone();
                let mut moves = scene.beyond.to_vec();
                for &m in found.line.iter().take(most) {
                    board.make(m);
                    moves.push(m);
                }
                self.step(at + 1, &scene.with(&board, &moves, Some(found)))
            }
            Step::Perft(depth) => {
                let leaves = thinking::perft(&mut scene.board.clone(), *depth as u32, self.limits)?;
                self.step(at + 1, &known(scene, scene.found, Some(leaves)))
            }
        }
    }

    fn walk(
        &mut self,
        at: usize,
        scene: &Scene,
        board: &mut Board,
        moves: &mut Vec<Move>,
        left: u64,
        prune: Option<&TruthNode>,
    ) -> Onward {
        if left == 0 {
            return self.step(at + 1, &scene.with(board, moves, None));
        }
        for &m in board.legal_moves().iter() {
            self.limits.spend(1)?;
            board.make(m);
            moves.push(m);
            let pruned = prune.is_some_and(|prune| prune.at(&scene.with(board, moves, None)));
            let went = match pruned || self.is_full() {
                true => Ok(()),
                false => self.walk(at, scene, board, moves, left - 1, prune),
            };
            moves.pop();
            board.unmake();
            went?;
        }
        Ok(())
    }

    /// A position that took all steps is kept.
    fn arrive(&mut self, scene: &Scene) -> Onward {
        let keys: Vec<Value> = self.segment.order.iter().map(|(node, _)| node.value(scene)).collect();
        if let Partial::Groups(groups) = &mut self.partial {
            if let Collect::Groups { grouping, .. } = &self.plan.result {
                groups.add(grouping, scene);
            }
            return self.partial.bound(self.segment, self.limits);
        }
        if let Partial::Held(rows) = &mut self.partial {
            let game = self.held_game.get_or_insert_with(|| Arc::new(scene.game.clone())).clone();
            let (beyond, found) = (scene.beyond.to_vec(), scene.found.cloned());
            rows.push(Held { keys, game, ply: scene.ply, beyond, found, leaves: scene.leaves });
            return self.partial.bound(self.segment, self.limits);
        }
        let values = match &self.plan.result {
            Collect::Rows(nodes) => nodes.iter().map(|node| node.value(scene)).collect(),
            Collect::Epd => vec![Value::Text(Some(export::epd(scene).into()))],
            Collect::Pgn if self.written => return Ok(()),
            Collect::Pgn => vec![Value::Text(Some(export::pgn(scene.game).into()))],
            Collect::Groups { .. } => return Ok(()),
        };
        self.written = true;
        if let Partial::Rows(rows) = &mut self.partial {
            rows.push(Row { keys, values });
        }
        self.partial.bound(self.segment, self.limits)
    }
}

/// The same position with what was found out about it.
fn known<'b>(scene: &'b Scene, found: Option<&'b Found>, leaves: Option<u64>) -> Scene<'b> {
    let mut known = scene.with(scene.board, scene.beyond, found);
    known.visited = scene.visited;
    known.leaves = leaves;
    known
}
