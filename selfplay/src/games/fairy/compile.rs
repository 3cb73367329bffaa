//! Compiled pieces: what a line can do from a square is worked out once, as a list of squares to walk along.
//!
//! Path modifiers look at nothing but squares, so the interpreter lists all paths on an empty board. Paths that end where
//! something stands become one tree, written flat: each node says where to go on if its square is blocked. Hoppers keep
//! their paths and count hurdles. Lines that do more stay with the interpreter.

use super::geometry::{Bits, MOST_CELLS, piece_of};
use super::modifier::{ANY, Line, Modifier, Types};
use super::pipeline::{Scene, run_line};
use super::position::Position;
use super::variant::Variant;

/// What may happen on a square.
mod ends {
    pub const MOVE: u8 = 1;
    pub const CAPTURE: u8 = 2;
    pub const EN_PASSANT: u8 = 4;
    pub const SHOOT: u8 = 8;
}

/// A square of a tree of paths.
#[derive(Clone, Copy, Debug)]
struct Node {
    square: u8,
    ends: u8,
    /// Which of the masks says what may be taken here.
    mask: u8,
    /// Squares passed by a double step that ends here.
    passed: [u8; 2],
    /// The next node if something stands here.
    skip: u16,
}

/// A path with hurdles.
#[derive(Clone, Debug)]
struct HopPath {
    /// Squares, and whether the move may end there.
    squares: Box<[(u8, bool)]>,
    hurdles: (u8, u8),
    behind: bool,
    /// Takes the hurdle.
    locust: bool,
    ends: u8,
    mask: u8,
}

/// All that a type of piece of a side can do from a square.
#[derive(Clone, Debug)]
pub struct Program {
    nodes: Box<[Node]>,
    hops: Box<[HopPath]>,
    /// Numbers of lines that are interpreted.
    pub interpreted: Box<[u8]>,
    /// Whether two ways may have the same result.
    pub repeats: bool,
    /// Where something could be taken.
    pub reach: Bits,
    /// Squares it can go to on an empty board, for its first value.
    pub mobility: u16,
}

/// A possible move that a program found.
#[derive(Clone, Copy)]
pub struct Found {
    /// Where to.
    pub dest: u8,
    /// What is taken; 255: nothing.
    pub victim: u8,
    /// Squares passed by a double step.
    pub passed: [u8; 2],
}

/// Programs of all types, sides and squares.
#[derive(Default)]
pub struct Tables {
    cells: usize,
    /// `// [type][side][square]`
    programs: Vec<Program>,
    masks: Vec<Types>,
}

/// The board modifiers of a line that can be compiled.
#[derive(Clone, Copy, Default)]
struct Board {
    no_hop: bool,
    hop: Option<(u8, u8)>,
    behind: bool,
    replace: Option<Types>,
    no_friendly: bool,
    move_only: bool,
    capture_only: bool,
    locust: Option<Types>,
    shoot: bool,
    passable: bool,
    en_passant: bool,
}

impl Board {
    /// What comes after the path, if that is all of a kind that can be compiled.
    fn of(line: &Line) -> Option<Board> {
        let begin = line.iter().position(|modifier| !modifier.is_geometric()).unwrap_or(line.len());
        let mut board = Board::default();
        for modifier in &line[begin..] {
            let takes = board.replace.is_some() || board.locust.is_some() || board.en_passant;
            match modifier {
                Modifier::NoHop => board.no_hop = true,
                Modifier::Hop(least, most) => board.hop = Some((*least, *most)),
                Modifier::Behind => board.behind = true,
                Modifier::Replace(types) if !takes => board.replace = Some(*types),
                Modifier::NoFriendly if board.replace.is_some() => board.no_friendly = true,
                Modifier::MoveOnly if !takes => board.move_only = true,
                Modifier::CaptureOnly if takes => board.capture_only = true,
                Modifier::Locust(types) if !takes => board.locust = Some(*types),
                Modifier::Shoot if board.capture_only && board.replace.is_some() => board.shoot = true,
                Modifier::Passable => board.passable = true,
                Modifier::EnPassant if !takes => board.en_passant = true,
                _ => return None,
            }
        }
        let hops = board.hop.is_some() || board.behind || board.locust.is_some();
        let odd = (board.replace.is_some() && !board.no_friendly)
            || (board.no_hop && hops)
            || (board.behind && board.hop.is_none())
            || (hops && (board.shoot || board.passable || board.en_passant))
            || (board.move_only && (board.replace.is_some() || board.locust.is_some() || board.en_passant));
        (!odd).then_some(board)
    }

    fn ends(&self) -> u8 {
        match self {
            Board { en_passant: true, .. } => ends::EN_PASSANT,
            Board { shoot: true, .. } => ends::CAPTURE | ends::SHOOT,
            Board { locust: Some(_), .. } => ends::MOVE,
            Board { move_only: true, .. } | Board { replace: None, .. } => ends::MOVE,
            Board { capture_only: true, .. } => ends::CAPTURE,
            _ => ends::MOVE | ends::CAPTURE,
        }
    }

    fn types(&self) -> Types {
        self.replace.or(self.locust).unwrap_or(ANY)
    }
}

impl Tables {
    /// Compiles all pieces of a variant.
    pub fn of(variant: &Variant) -> Tables {
        let mut tables = Tables { cells: variant.geometry.cells(), programs: Vec::new(), masks: vec![ANY] };
        for (number, piece) in variant.pieces.iter().enumerate() {
            for side in 0..2 {
                for square in 0..tables.cells as u8 {
                    let lines = if piece.joker { &[] } else { piece.lines.as_slice() };
                    let program = tables.program(variant, number, lines, side, square);
                    tables.programs.push(program);
                }
            }
        }
        tables
    }

    /// The program of a piece on a square.
    pub fn get(&self, piece: u8, side: u8, square: u8) -> &Program {
        &self.programs[(usize::from(piece) * 2 + usize::from(side)) * self.cells + usize::from(square)]
    }

    fn mask(&mut self, types: Types) -> u8 {
        if let Some(place) = self.masks.iter().position(|mask| *mask == types) {
            return place as u8;
        }
        self.masks.push(types);
        (self.masks.len() - 1) as u8
    }

    fn program(&mut self, variant: &Variant, piece: usize, lines: &[Line], side: u8, square: u8) -> Program {
        let (mut nodes, mut hops, mut interpreted) = (Vec::new(), Vec::new(), Vec::new());
        let burns = variant.pieces[piece].burns;
        let mut mobility = Bits::EMPTY;
        for (number, line) in lines.iter().enumerate() {
            let begin = line.iter().position(|modifier| !modifier.is_geometric()).unwrap_or(line.len());
            let paths = empty_paths(variant, side, square, &line[..begin].to_vec());
            paths.iter().filter_map(|path| path.last()).for_each(|end| mobility.add(*end));
            // Masks are numbered in a byte; who has more is interpreted.
            match Board::of(line).filter(|_| !burns && self.masks.len() < 200) {
                None => interpreted.push(number as u8),
                Some(board) => {
                    let mask = self.mask(board.types());
                    add_paths(&board, mask, paths, &mut nodes, &mut hops);
                }
            }
        }
        let reach = if interpreted.is_empty() { reach_of(&nodes, &hops) } else { Bits::ALL };
        let repeats = !interpreted.is_empty() || repeats(&nodes, &hops);
        let mobility = mobility.count() as u16;
        Program {
            nodes: nodes.into(),
            hops: hops.into(),
            interpreted: interpreted.into(),
            repeats,
            reach,
            mobility,
        }
    }
}

/// All paths on an empty board.
fn empty_paths(variant: &Variant, side: u8, square: u8, line: &Line) -> Vec<Vec<u8>> {
    let cells = [0; MOST_CELLS];
    let geometry = variant.geometry;
    let scene = Scene { geometry, cells: &cells, side, passed: [255; 2], victim: 255, royals: Bits::EMPTY };
    run_line(&scene, square, line).into_iter().map(|one| one.path).filter(|path| !path.is_empty()).collect()
}

fn add_paths(board: &Board, mask: u8, paths: Vec<Vec<u8>>, nodes: &mut Vec<Node>, hops: &mut Vec<HopPath>) {
    let ends = board.ends();
    if board.hop.is_some() || board.locust.is_some() {
        let hurdles = board.hop.unwrap_or((1, 1));
        for squares in longest(paths) {
            let (locust, behind) = (board.locust.is_some(), board.behind);
            hops.push(HopPath { squares, hurdles, behind, locust, ends, mask });
        }
        return;
    }
    let leaf = |path: &[u8]| Node {
        square: path[path.len() - 1],
        ends,
        mask,
        passed: if board.passable { passed_on(path) } else { [255; 2] },
        skip: 0,
    };
    if board.no_hop {
        grow(&paths, 0, &leaf, nodes);
    } else {
        for path in &paths {
            let skip = nodes.len() as u16 + 1;
            nodes.push(Node { skip, ..leaf(path) });
        }
    }
}

fn passed_on(path: &[u8]) -> [u8; 2] {
    let mut passed = [255; 2];
    for (place, square) in passed.iter_mut().zip(&path[..path.len() - 1]) {
        *place = *square;
    }
    passed
}

/// Adds a tree of paths that are alike up to a depth: a node, what comes after it, the next node.
fn grow(paths: &[Vec<u8>], depth: usize, leaf: &impl Fn(&[u8]) -> Node, nodes: &mut Vec<Node>) {
    let mut done: Vec<u8> = Vec::new();
    for path in paths.iter().filter(|path| path.len() > depth) {
        let square = path[depth];
        if done.contains(&square) {
            continue;
        }
        done.push(square);
        let below: Vec<Vec<u8>> =
            paths.iter().filter(|path| path.get(depth) == Some(&square)).cloned().collect();
        let place = nodes.len();
        let node = leaf(&path[..=depth]);
        let is_end = below.iter().any(|path| path.len() == depth + 1);
        nodes.push(if is_end { node } else { Node { ends: 0, ..node } });
        grow(&below, depth + 1, leaf, nodes);
        nodes[place].skip = nodes.len() as u16;
    }
}

/// Paths that are not the beginning of another one, with the places where a move may end.
fn longest(mut paths: Vec<Vec<u8>>) -> Vec<Box<[(u8, bool)]>> {
    paths.sort();
    paths.dedup();
    let is_prefix =
        |path: &Vec<u8>| paths.iter().any(|other| other.len() > path.len() && other.starts_with(path));
    let mut found = Vec::new();
    let mut told: Vec<&[u8]> = Vec::new();
    for path in paths.iter().filter(|path| !is_prefix(path)) {
        let mut squares = Vec::new();
        for length in 1..=path.len() {
            // Where ways part, the common ends are told once.
            let part = &path[..length];
            let is_end = paths.iter().any(|other| other == part) && !told.contains(&part);
            if is_end {
                told.push(part);
            }
            squares.push((part[length - 1], is_end));
        }
        found.push(squares.into());
    }
    found
}

fn reach_of(nodes: &[Node], hops: &[HopPath]) -> Bits {
    let taken = nodes.iter().filter(|node| node.ends & ends::CAPTURE != 0).map(|node| node.square);
    let hopped = hops.iter().filter(|hop| hop.locust || hop.ends & ends::CAPTURE != 0);
    taken.chain(hopped.flat_map(|hop| hop.squares.iter().map(|square| square.0))).collect()
}

fn repeats(nodes: &[Node], hops: &[HopPath]) -> bool {
    let mut seen = Vec::new();
    let of_nodes = nodes.iter().map(|node| (node.square, node.ends));
    let of_hops = hops
        .iter()
        .flat_map(|hop| hop.squares.iter().filter(|square| square.1).map(move |square| (square.0, hop.ends)));
    for (square, ends) in of_nodes.chain(of_hops).filter(|end| end.1 != 0) {
        for bit in [ends::MOVE, ends::CAPTURE] {
            if ends & bit != 0 {
                if seen.contains(&(square, bit)) {
                    return true;
                }
                seen.push((square, bit));
            }
        }
    }
    false
}

impl Program {
    /// Everything that can be done, but for interpreted lines.
    pub fn walk(
        &self,
        tables: &Tables,
        position: &Position,
        src: u8,
        side: u8,
        mut found: impl FnMut(Found),
    ) {
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            let cell = position.cells[usize::from(node.square)];
            if cell == 0 || node.square == src {
                at += 1;
                if node.ends & ends::MOVE != 0 {
                    found(Found { dest: node.square, victim: 255, passed: node.passed });
                } else if node.ends & ends::EN_PASSANT != 0 && is_passed(position, node.square, side) {
                    found(Found { dest: node.square, victim: position.tail.victim, passed: [255; 2] });
                }
                continue;
            }
            at = usize::from(node.skip);
            if node.ends & ends::CAPTURE != 0 && is_prey(cell, side, tables.masks[usize::from(node.mask)]) {
                let dest = if node.ends & ends::SHOOT != 0 { src } else { node.square };
                found(Found { dest, victim: node.square, passed: [255; 2] });
            }
        }
        for hop in &self.hops {
            hop.walk(tables.masks[usize::from(hop.mask)], position, src, side, &mut found);
        }
    }

    /// Whether something on one of these squares can be taken, interpreted lines left aside.
    pub fn takes(&self, tables: &Tables, position: &Position, src: u8, side: u8, targets: Bits) -> bool {
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            let cell = position.cells[usize::from(node.square)];
            if cell == 0 || node.square == src {
                at += 1;
                continue;
            }
            at = usize::from(node.skip);
            if node.ends & ends::CAPTURE != 0
                && targets.has(node.square)
                && is_prey(cell, side, tables.masks[usize::from(node.mask)])
            {
                return true;
            }
        }
        let mut taken = false;
        for hop in &self.hops {
            let mask = tables.masks[usize::from(hop.mask)];
            hop.walk(mask, position, src, side, &mut |found| {
                taken |= found.victim != 255 && targets.has(found.victim);
            });
        }
        taken
    }
}

fn is_prey(cell: u8, side: u8, types: Types) -> bool {
    let (piece, owner) = piece_of(cell);
    owner != side && types >> piece & 1 == 1
}

fn is_passed(position: &Position, square: u8, side: u8) -> bool {
    let tail = &position.tail;
    tail.victim != 255
        && tail.passed.contains(&square)
        && position.occupied[usize::from(1 - side)].has(tail.victim)
}

impl HopPath {
    fn walk(&self, types: Types, position: &Position, src: u8, side: u8, found: &mut impl FnMut(Found)) {
        let (least, most) = self.hurdles;
        let (mut count, mut last, mut before) = (0, 255, false);
        for &(square, is_end) in &self.squares {
            let cell = if square == src { 0 } else { position.cells[usize::from(square)] };
            let fits = is_end && count >= least && (before || !self.behind);
            if cell == 0 {
                if fits && self.ends & ends::MOVE != 0 {
                    if !self.locust {
                        found(Found { dest: square, victim: 255, passed: [255; 2] });
                    } else if is_prey(position.cells[usize::from(last)], side, types) {
                        found(Found { dest: square, victim: last, passed: [255; 2] });
                    }
                }
            } else {
                if fits && self.ends & ends::CAPTURE != 0 && is_prey(cell, side, types) {
                    found(Found { dest: square, victim: square, passed: [255; 2] });
                }
                (count, last) = (count + 1, square);
                if count > most {
                    return;
                }
            }
            before = cell != 0;
        }
    }
}
