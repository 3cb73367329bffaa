//! The plan: what is read, in which order things are asked, what is kept.

use std::fmt::Write;

use super::check::{Checker, Grouping, Needs, Past};
use super::nodes::{Node, TruthNode};
use super::problem::{Problem, Span};
use super::syntax::{Expr, ExprKind, Format, Item, Output, Query, SearchLimit, Source, Stage};
use super::vocabulary::Reach;

/// The longest walk: nobody has time for more.
const LONGEST_WALK: u64 = 12;
/// The deepest perft.
const DEEPEST_PERFT: u64 = 9;
/// The deepest search.
const DEEPEST_SEARCH: u64 = 64;
/// Plies of a random walk.
const LONGEST_RANDOM: u64 = 10_000;
/// Rows that `take` may ask for, and random walks.
const MOST: u64 = 1_000_000_000;

/// One step on the way of a position.
#[derive(Clone, Debug)]
pub enum Step {
    /// All must hold; those that need least are asked first.
    Where(Vec<(TruthNode, Needs)>),
    /// Only the first of each game.
    Once,
    /// On to all positions so many plies away, but not past where `prune` holds.
    Walk {
        /// How far.
        plies: u64,
        /// Where not to go on.
        prune: Option<TruthNode>,
    },
    /// Let the engine think.
    Search {
        /// How far.
        limit: SearchLimit,
        /// How many lines.
        lines: u64,
    },
    /// Along the line that was found.
    Follow(Option<u64>),
    /// Count leaves.
    Perft(u64),
}

/// Steps that positions take one by one, and what is done with those that arrive.
#[derive(Clone, Debug, Default)]
pub struct Segment {
    /// The steps.
    pub steps: Vec<Step>,
    /// Sorted by these; true: the largest first.
    pub order: Vec<(Node, bool)>,
    /// Only the first so many.
    pub take: Option<u64>,
}

/// What becomes of the positions at the end.
#[derive(Clone, Debug)]
pub enum Collect {
    /// A row each.
    Rows(Vec<Node>),
    /// A row a group.
    Groups {
        /// Keys and aggregates.
        grouping: Grouping,
        /// The columns, over keys and aggregates.
        select: Vec<Node>,
        /// Sorted by these.
        order: Vec<(Node, bool)>,
        /// Only the first so many.
        take: Option<u64>,
    },
    /// A line of EPD each.
    Epd,
    /// Their games, each once.
    Pgn,
}

/// A query that is ready to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where positions come from.
    pub source: Source,
    /// One or more.
    pub segments: Vec<Segment>,
    /// What becomes of them.
    pub result: Collect,
    /// Values worked out for whole games.
    pub tracks: Vec<Node>,
    /// What must be known at the first segment.
    pub needs: Needs,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// How it is written.
    pub format: Option<Format>,
    /// Whether the rows are a histogram.
    pub is_histogram: bool,
}

impl Plan {
    /// Checks a query and makes its plan.
    pub fn new(query: &Query, text: &str) -> Result<Plan, Problem> {
        let mut planner = Planner { text, checker: Checker::default(), segments: vec![Segment::default()] };
        planner.plan(query)
    }

    /// The parts of the first `where` that need no more than this.
    pub fn gate(&self, reach: Reach) -> impl Iterator<Item = &TruthNode> {
        let first = match self.segments[0].steps.first() {
            Some(Step::Where(parts)) => &parts[..],
            _ => &[],
        };
        let within = move |needs: &Needs| needs.reach <= reach && !needs.tracks;
        first.iter().filter(move |(_, needs)| within(needs)).map(|(node, _)| node)
    }

    /// Whether the source is in files.
    pub const fn reads_files(&self) -> bool {
        !matches!(self.source, Source::Position(_) | Source::Random { .. })
    }

    /// Whether positions cost more than reading them.
    pub fn is_expensive(&self) -> bool {
        let steps = self.segments.iter().flat_map(|segment| &segment.steps);
        steps.into_iter().any(|step| !matches!(step, Step::Where(_) | Step::Once))
    }
}

struct Planner<'t> {
    text: &'t str,
    checker: Checker,
    segments: Vec<Segment>,
}

impl Planner<'_> {
    fn plan(&mut self, query: &Query) -> Result<Plan, Problem> {
        let (source, implied) = self.source(&query.source)?;
        if let Some(condition) = implied {
            self.stage(&Stage::Where(condition), &(0..0))?;
        }
        let mut group: Option<(&[Item], Vec<&Stage>)> = None;
        for (stage, span) in &query.stages {
            match (&mut group, stage) {
                (Some((_, after)), Stage::OrderBy(_) | Stage::Take(_)) => after.push(stage),
                (Some(_), _) => {
                    let problem =
                        Problem::new(span.clone(), "only `order by` and `take` can follow `group by`");
                    return Err(problem.with_help("put it before `group by`"));
                }
                (None, Stage::GroupBy(items)) => group = Some((items, Vec::new())),
                (None, stage) => self.stage(stage, span)?,
            }
        }
        let format = query.format;
        let is_histogram = matches!(query.output, Output::Histogram(..));
        let (result, columns) = self.output(query, group)?;
        Ok(Plan {
            source,
            segments: std::mem::take(&mut self.segments),
            result,
            tracks: std::mem::take(&mut self.checker.tracks),
            needs: self.checker.needs,
            columns,
            format,
            is_histogram,
        })
    }

    /// Bounds what a source may ask for. One position of one game is all positions and a condition.
    fn source(&self, source: &Source) -> Result<(Source, Option<Expr>), Problem> {
        match source {
            Source::Random { plies, times, .. } => {
                self.bound(*plies, LONGEST_RANDOM, "plies of a random walk")?;
                self.bound(*times, MOST, "random walks")?;
            }
            Source::Position(Some(fen)) => {
                if let Err(error) = engine::Board::from_fen(fen) {
                    let at = self.text.find(fen.as_str()).unwrap_or(0);
                    return Err(Problem::new(at..at + fen.len(), error.to_string()));
                }
            }
            Source::Game { number, at, black, files } => {
                let side = if *black { "black" } else { "white" };
                let text = format!("game = {number} and stm = {side} and move_number = {at}");
                let condition = super::parser::parse_expression(&text)?;
                return Ok((Source::Games { files: files.clone(), variations: false }, Some(condition)));
            }
            _ => {}
        }
        Ok((source.clone(), None))
    }

    fn bound(&self, asked: u64, most: u64, what: &str) -> Result<(), Problem> {
        self.bound_at(asked, most, what, &(0..0))
    }

    fn bound_at(&self, asked: u64, most: u64, what: &str, span: &Span) -> Result<(), Problem> {
        match asked <= most {
            true => Ok(()),
            false => {
                Err(Problem::new(span.clone(), format!("{asked} {what} are more than the limit of {most}")))
            }
        }
    }

    /// The segment that the next step belongs to.
    fn open_segment(&mut self) -> &mut Segment {
        let Some(last) = self.segments.last() else { unreachable!("there is always one") };
        if last.take.is_some() || !last.order.is_empty() {
            self.segments.push(Segment::default());
        }
        let Some(last) = self.segments.last_mut() else { unreachable!("there is always one") };
        last
    }

    fn stage(&mut self, stage: &Stage, span: &Span) -> Result<(), Problem> {
        let step = match stage {
            Stage::Where(condition) => Step::Where(cheapest_first(self.checker.conditions(condition)?)),
            Stage::Once if self.segments.len() > 1 || self.segments[0].take.is_some() => {
                return Err(Problem::new(span.clone(), "`once` cannot follow `order by` or `take`"));
            }
            Stage::Once => Step::Once,
            Stage::Walk(plies) => {
                self.bound_at(*plies, LONGEST_WALK, "plies of a walk", span)?;
                self.needs_board(Past { beyond: true, ..self.checker.past });
                Step::Walk { plies: *plies, prune: None }
            }
            Stage::PruneWith(condition) => return self.prune(condition, span),
            Stage::Search { limit, lines } => {
                if let SearchLimit::Depth(depth) = limit {
                    self.bound_at(*depth, DEEPEST_SEARCH, "plies of depth", span)?;
                }
                self.bound_at(*lines, 256, "lines", span)?;
                self.needs_board(Past { searched: true, ..self.checker.past });
                Step::Search { limit: *limit, lines: (*lines).max(1) }
            }
            Stage::Follow(plies) => {
                if !self.checker.past.searched {
                    let problem = Problem::new(span.clone(), "`follow` needs a line to follow");
                    return Err(problem.with_help("put a stage like `search depth 8` before it"));
                }
                self.needs_board(Past { beyond: true, ..self.checker.past });
                Step::Follow(*plies)
            }
            Stage::Perft(depth) => {
                self.bound_at(*depth, DEEPEST_PERFT, "plies of perft", span)?;
                self.needs_board(Past { counted: true, ..self.checker.past });
                Step::Perft(*depth)
            }
            Stage::OrderBy(keys) => {
                let keys = self.keys(keys)?;
                self.open_segment().order = keys;
                return Ok(());
            }
            Stage::Take(count) => {
                self.bound_at(*count, MOST, "rows", span)?;
                let Some(last) = self.segments.last_mut() else { unreachable!("there is always one") };
                last.take = Some(last.take.map_or(*count, |before| before.min(*count)));
                return Ok(());
            }
            Stage::GroupBy(_) => unreachable!("it is no step"),
        };
        let steps = &mut self.open_segment().steps;
        match (steps.last_mut(), step) {
            // One condition after the other is both at once.
            (Some(Step::Where(before)), Step::Where(more)) => {
                before.extend(more);
                *before = cheapest_first(std::mem::take(before));
            }
            (_, step) => steps.push(step),
        }
        Ok(())
    }

    fn needs_board(&mut self, past: Past) {
        self.checker.past = past;
        self.checker.needs.reach = Reach::Board;
    }

    fn prune(&mut self, condition: &Expr, span: &Span) -> Result<(), Problem> {
        let condition = self.checker.truth(condition)?;
        let last = self.segments.last_mut().and_then(|segment| segment.steps.last_mut());
        match last {
            Some(Step::Walk { prune, .. }) => {
                *prune = Some(match prune.take() {
                    Some(before) => TruthNode::Or(Box::new((before, condition))),
                    None => condition,
                });
                Ok(())
            }
            _ => Err(Problem::new(span.clone(), "`prune with` belongs right after a `walk`")
                .with_help("to filter positions use `where`")),
        }
    }

    fn keys(&mut self, keys: &[(Expr, bool)]) -> Result<Vec<(Node, bool)>, Problem> {
        keys.iter().map(|(key, falling)| Ok((self.checker.node(key)?, *falling))).collect()
    }

    fn output(
        &mut self,
        query: &Query,
        group: Option<(&[Item], Vec<&Stage>)>,
    ) -> Result<(Collect, Vec<String>), Problem> {
        if let Some(format @ (Format::Epd | Format::Pgn)) = query.format {
            if group.is_some() || !matches!(query.output, Output::Unsaid) {
                let message = "EPD and PGN are written of positions, not of columns or groups";
                return Err(Problem::new(0..0, message).with_help("leave out `select` and `group by`"));
            }
            self.checker.needs.reach = Reach::Board;
            return Ok((if format == Format::Epd { Collect::Epd } else { Collect::Pgn }, Vec::new()));
        }
        let defaults = ["file_name", "game", "ply", "fen"];
        let default = || defaults.map(|name| Item { value: name_of(name), name: None }).to_vec();
        match (&query.output, group) {
            (Output::Histogram(value, width), None) => self.histogram(value, *width),
            (Output::Histogram(value, _), Some(_)) => {
                Err(Problem::new(value.span.clone(), "a histogram makes its own groups")
                    .with_help("leave out `group by`"))
            }
            (Output::Select(items), None) if !items.iter().any(|item| has_aggregate(&item.value)) => {
                let items = items.clone();
                self.rows(&items)
            }
            (Output::Unsaid, None) => self.rows(&default()),
            (Output::Select(items), group) => {
                let (keys, after) = group.unwrap_or((&[], Vec::new()));
                self.groups(keys, items, &after)
            }
            (Output::Unsaid, Some((keys, after))) => {
                let count = Item { value: name_of("count"), name: None };
                self.groups(keys, &[count], &after)
            }
        }
    }

    fn rows(&mut self, items: &[Item]) -> Result<(Collect, Vec<String>), Problem> {
        let nodes = items.iter().map(|item| self.checker.node(&item.value)).collect::<Result<_, _>>()?;
        Ok((Collect::Rows(nodes), items.iter().map(|item| self.title(item)).collect()))
    }

    fn groups(
        &mut self,
        keys: &[Item],
        items: &[Item],
        after: &[&Stage],
    ) -> Result<(Collect, Vec<String>), Problem> {
        self.open_segment();
        let mut grouping = Grouping::default();
        for key in keys {
            grouping.keys.push((key.value.clone(), self.checker.node(&key.value)?));
        }
        self.checker.grouping = Some(grouping);
        // The keys come first, unless they are selected anyway.
        let shown = keys.iter().filter(|key| !items.iter().any(|item| item.value == key.value));
        let items: Vec<Item> = shown.chain(items).cloned().collect();
        let select = items.iter().map(|item| self.checker.node(&item.value)).collect::<Result<_, _>>()?;
        let (mut order, mut take) = (Vec::new(), None);
        for stage in after {
            match stage {
                Stage::OrderBy(keys) => order = self.keys(keys)?,
                Stage::Take(count) => take = Some(*count),
                _ => {}
            }
        }
        let columns = items.iter().map(|item| self.title(item)).collect();
        let grouping = self.checker.grouping.take().unwrap_or_default();
        Ok((Collect::Groups { grouping, select, order, take }, columns))
    }

    /// Groups of the value, or of the ranges that it falls into.
    fn histogram(&mut self, value: &Expr, width: Option<f64>) -> Result<(Collect, Vec<String>), Problem> {
        let key = match width {
            Some(width) => {
                self.checker.number(value)?;
                let width = Expr { kind: ExprKind::Number(width), span: value.span.clone() };
                Expr {
                    kind: ExprKind::Call("bucket".into(), vec![value.clone(), width]),
                    span: value.span.clone(),
                }
            }
            None => value.clone(),
        };
        let count = Item { value: name_of("count"), name: None };
        let title = self.text.get(value.span.clone()).map(one_line);
        self.groups(&[Item { value: key, name: title }], &[count], &[])
    }

    /// The name of a column: the one given, or the text of its expression.
    fn title(&self, item: &Item) -> String {
        let written = || self.text.get(item.value.span.clone()).filter(|text| !text.is_empty()).map(one_line);
        let made = || match &item.value.kind {
            ExprKind::Name(name) => name.clone(),
            _ => "value".to_string(),
        };
        item.name.clone().or_else(|| written().filter(|_| item.value.span != (0..0))).unwrap_or_else(made)
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn name_of(name: &str) -> Expr {
    Expr { kind: ExprKind::Name(name.to_string()), span: 0..0 }
}

/// Conditions have no side effects: what is known soonest is asked first.
fn cheapest_first(mut parts: Vec<(TruthNode, Needs)>) -> Vec<(TruthNode, Needs)> {
    parts.sort_by_key(|(_, needs)| (needs.reach, needs.tracks, needs.paths));
    parts
}

fn has_aggregate(expression: &Expr) -> bool {
    use super::vocabulary::is_aggregate;
    match &expression.kind {
        ExprKind::Name(name) => is_aggregate(name, 0),
        ExprKind::Call(name, arguments) => {
            is_aggregate(name, arguments.len()) || arguments.iter().any(has_aggregate)
        }
        ExprKind::Unary(_, inner) => has_aggregate(inner),
        ExprKind::Binary(_, left, right) => has_aggregate(left) || has_aggregate(right),
        ExprKind::OneOf(left, list) => has_aggregate(left) || list.iter().any(has_aggregate),
        _ => false,
    }
}

impl Plan {
    /// The plan in words, one line a step.
    pub fn explain(&self) -> String {
        let mut text = format!("source    {}\n", describe_source(&self.source));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "reads     {}", self.needs.reach.words());
        if !self.tracks.is_empty() {
            let _ = writeln!(text, "tracks    {} worked out for each whole game", self.tracks.len());
        }
        if self.needs.paths {
            text.push_str("paths     of all pieces, move by move\n");
        }
        for (number, segment) in self.segments.iter().enumerate() {
            if number > 0 {
                text.push_str("then, on the rows that were kept\n");
            }
            segment.explain(&mut text, number == 0);
        }
        let _ = match &self.result {
            Collect::Rows(nodes) => writeln!(text, "select    {} columns, a row a position", nodes.len()),
            Collect::Groups { grouping, order, take, .. } => {
                let keys = grouping.keys.len();
                let _ = writeln!(text, "group     by {keys} keys, {} aggregates", grouping.aggregates.len());
                if !order.is_empty() {
                    let _ = writeln!(text, "order     by {} keys over groups", order.len());
                }
                take.map_or(Ok(()), |take| writeln!(text, "take      {take} groups"))
            }
            Collect::Epd => writeln!(text, "write     EPD, a line a position"),
            Collect::Pgn => writeln!(text, "write     PGN, each game once"),
        };
        let _ = writeln!(text, "columns   {}", self.columns.join(", "));
        text
    }
}

impl Segment {
    fn explain(&self, text: &mut String, is_first: bool) {
        for (number, step) in self.steps.iter().enumerate() {
            let _ = match step {
                Step::Where(parts) => {
                    let pushed = is_first && number == 0;
                    parts.iter().try_for_each(|(_, needs)| {
                        let place = match needs.reach {
                            _ if !pushed || needs.tracks => "",
                            Reach::Nothing | Reach::Label => ", before a block or game is decoded",
                            Reach::Game | Reach::Ply => ", before moves are decoded",
                            Reach::Moves => ", before boards are made",
                            Reach::Board => "",
                        };
                        writeln!(text, "where     a condition on {}{place}", needs.reach.words())
                    })
                }
                Step::Once => writeln!(text, "once      a game"),
                Step::Walk { plies, prune } => {
                    let pruned = if prune.is_some() { ", pruned" } else { "" };
                    writeln!(text, "walk      {plies} plies{pruned}")
                }
                Step::Search { limit, lines } => writeln!(text, "search    {limit:?}, {lines} lines"),
                Step::Follow(plies) => match plies {
                    Some(plies) => writeln!(text, "follow    {plies} plies of the line"),
                    None => writeln!(text, "follow    the line to its end"),
                },
                Step::Perft(depth) => writeln!(text, "perft     {depth}"),
            };
        }
        if !self.order.is_empty() {
            let _ = writeln!(text, "order     by {} keys", self.order.len());
        }
        if let Some(take) = self.take {
            let _ = writeln!(text, "take      {take}");
        }
    }
}

fn describe_source(source: &Source) -> String {
    match source {
        Source::Games { files, variations } => {
            format!("games of {}{}", files.join(", "), if *variations { ", variations too" } else { "" })
        }
        Source::Positions(files) => format!("positions of {}", files.join(", ")),
        Source::Position(Some(fen)) => format!("the position {fen}"),
        Source::Position(None) => "the initial position".to_string(),
        Source::Game { number, .. } => format!("game {number}"),
        Source::Random { plies, times, seed } => {
            format!("{times} random walks of {plies} plies, seed {seed}")
        }
    }
}
