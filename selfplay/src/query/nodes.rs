//! Compiled expressions: a tree for each type, so that nothing is asked for its type while positions pass.

use std::borrow::Cow;

use engine::eval::explain::explain;
use engine::eval::{FULL_PHASE, Score};
use engine::types::{Bitboard, Color, PieceType};

use super::chess;
use super::fields::{NumberField, SetField, TextField, TruthField};
use super::material::MaterialPattern;
use super::scene::Scene;
use super::syntax::Quantifier;
use super::tracks::TrackRead;
use super::value::Value;

/// An expression of any type.
#[derive(Clone, Debug)]
pub enum Node {
    /// Gives a number.
    Number(NumberNode),
    /// Gives true or false.
    Truth(TruthNode),
    /// Gives squares.
    Set(SetNode),
    /// Gives a text.
    Text(TextNode),
}

impl Node {
    /// The value at a position.
    pub fn value(&self, scene: &Scene) -> Value {
        match self {
            Node::Number(node) => Value::Number(node.at(scene)),
            Node::Truth(node) => Value::Truth(node.at(scene)),
            Node::Set(node) => Value::Set(node.at(scene)),
            Node::Text(node) => Value::Text(node.at(scene).map(|text| text.into_owned().into())),
        }
    }

    /// Its type, as errors name it.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Node::Number(_) => "a number",
            Node::Truth(_) => "a condition",
            Node::Set(_) => "a set of squares",
            Node::Text(_) => "a text",
        }
    }
}

/// A side, perhaps one that the position decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Side {
    White,
    Black,
    Mover,
    Other,
}

impl Side {
    /// All, by name.
    pub const NAMED: [(&str, Side); 4] =
        [("white", Side::White), ("black", Side::Black), ("mover", Side::Mover), ("opponent", Side::Other)];

    fn of(self, scene: &Scene) -> Color {
        match self {
            Side::White => Color::White,
            Side::Black => Color::Black,
            Side::Mover => scene.board.side_to_move(),
            Side::Other => !scene.board.side_to_move(),
        }
    }
}

/// What part of the evaluation is asked for.
#[derive(Clone, Debug)]
pub struct Term {
    /// A line of the list of weights, or the title of a section.
    pub name: String,
    /// Whose; `None`: White's less Black's.
    pub side: Option<Side>,
}

impl Term {
    fn at(&self, scene: &Scene) -> f64 {
        let explanation = explain(scene.board, scene.weights());
        let [white, black] = match explanation.sections().contains(&self.name.as_str()) {
            true => explanation.section(&self.name),
            false => {
                let row = explanation.rows.iter().find(|row| row.field.name == self.name);
                row.map_or([Score::ZERO; 2], |row| row.sides)
            }
        };
        let score = match self.side.map(|side| side.of(scene)) {
            Some(Color::White) => white,
            Some(Color::Black) => black,
            None => white - black,
        };
        let blended = score.mg() * explanation.phase + score.eg() * (FULL_PHASE - explanation.phase);
        f64::from(blended) / f64::from(FULL_PHASE)
    }
}

/// Gives a number; NaN where something it needs is missing.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum NumberNode {
    Constant(f64),
    Field(NumberField),
    One(fn(f64) -> f64, Box<NumberNode>),
    Two(fn(f64, f64) -> f64, Box<(NumberNode, NumberNode)>),
    Clamp(Box<(NumberNode, NumberNode, NumberNode)>),
    If(Box<(TruthNode, NumberNode, NumberNode)>),
    Count(SetNode),
    Files(SetNode),
    Ranks(SetNode),
    Distance(Box<(SetNode, SetNode)>),
    Material(Side),
    Term(Box<Term>),
    Parse(TextNode),
    Track(TrackRead, usize),
    Slot(usize),
}

impl NumberNode {
    /// The number at a position.
    pub fn at(&self, scene: &Scene) -> f64 {
        match self {
            NumberNode::Constant(number) => *number,
            NumberNode::Field(field) => field.of(scene),
            NumberNode::One(function, inner) => function(inner.at(scene)),
            NumberNode::Two(function, sides) => function(sides.0.at(scene), sides.1.at(scene)),
            NumberNode::Clamp(parts) => {
                let (low, high) = (parts.1.at(scene), parts.2.at(scene));
                let number = parts.0.at(scene);
                // `f64::clamp` panics where low is above high.
                if number < low {
                    low
                } else if number > high {
                    high
                } else {
                    number
                }
            }
            NumberNode::If(parts) => match parts.0.at(scene) {
                true => parts.1.at(scene),
                false => parts.2.at(scene),
            },
            NumberNode::Count(set) => f64::from(set.at(scene).count()),
            NumberNode::Files(set) => f64::from(set.at(scene).file_fill().count() / 8),
            NumberNode::Ranks(set) => f64::from(chess::rank_fill(set.at(scene)).count() / 8),
            NumberNode::Distance(sets) => {
                chess::distance(sets.0.at(scene), sets.1.at(scene)).map_or(f64::NAN, f64::from)
            }
            NumberNode::Material(side) => chess::points(scene.board, side.of(scene)),
            NumberNode::Term(term) => term.at(scene),
            NumberNode::Parse(text) => {
                let text = text.at(scene);
                text.and_then(|text| text.trim().parse().ok())
                    .filter(|n: &f64| n.is_finite())
                    .unwrap_or(f64::NAN)
            }
            NumberNode::Track(read, track) => read.number(&scene.tracks[*track], scene.ply),
            NumberNode::Slot(slot) => match scene.slots.get(*slot) {
                Some(Value::Number(number)) => *number,
                _ => f64::NAN,
            },
        }
    }
}

/// How two numbers are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Comparison {
    /// From its sign.
    pub fn from_sign(sign: &str) -> Option<Comparison> {
        Some(match sign {
            "=" => Comparison::Equal,
            "!=" => Comparison::NotEqual,
            "<" => Comparison::Less,
            "<=" => Comparison::LessEqual,
            ">" => Comparison::Greater,
            ">=" => Comparison::GreaterEqual,
            _ => return None,
        })
    }

    /// Never true where a number is missing.
    fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Comparison::Equal => a == b,
            Comparison::NotEqual => a != b && !a.is_nan() && !b.is_nan(),
            Comparison::Less => a < b,
            Comparison::LessEqual => a <= b,
            Comparison::Greater => a > b,
            Comparison::GreaterEqual => a >= b,
        }
    }

    fn holds_for_texts(self, a: &str, b: &str) -> bool {
        match self {
            Comparison::Equal => a == b,
            Comparison::NotEqual => a != b,
            Comparison::Less => a < b,
            Comparison::LessEqual => a <= b,
            Comparison::Greater => a > b,
            Comparison::GreaterEqual => a >= b,
        }
    }
}

/// Gives true or false.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum TruthNode {
    Field(TruthField),
    And(Box<(TruthNode, TruthNode)>),
    Or(Box<(TruthNode, TruthNode)>),
    Not(Box<TruthNode>),
    Numbers(Comparison, Box<(NumberNode, NumberNode)>),
    Texts(Comparison, Box<(TextNode, TextNode)>),
    Truths(bool, Box<(TruthNode, TruthNode)>),
    Sets(bool, Box<(SetNode, SetNode)>),
    Within(Box<(SetNode, SetNode)>),
    Any(SetNode),
    Each(Quantifier, usize, Box<(SetNode, TruthNode)>),
    Has(Box<Node>),
    If(Box<(TruthNode, TruthNode, TruthNode)>),
    MayCastle(Side),
    Material(MaterialPattern, bool),
    Contains(Box<(TextNode, TextNode)>),
    Starts(Box<(TextNode, TextNode)>),
    Then(Box<TruthNode>, usize, usize),
    Track(TrackRead, usize),
    Slot(usize),
}

impl TruthNode {
    /// Whether it holds at a position.
    pub fn at(&self, scene: &Scene) -> bool {
        match self {
            TruthNode::Field(field) => field.of(scene),
            TruthNode::And(sides) => sides.0.at(scene) && sides.1.at(scene),
            TruthNode::Or(sides) => sides.0.at(scene) || sides.1.at(scene),
            TruthNode::Not(inner) => !inner.at(scene),
            TruthNode::Numbers(how, sides) => how.holds(sides.0.at(scene), sides.1.at(scene)),
            TruthNode::Texts(how, sides) => match (sides.0.at(scene), sides.1.at(scene)) {
                (Some(a), Some(b)) => how.holds_for_texts(&a, &b),
                _ => false,
            },
            TruthNode::Truths(equal, sides) => (sides.0.at(scene) == sides.1.at(scene)) == *equal,
            TruthNode::Sets(equal, sides) => (sides.0.at(scene) == sides.1.at(scene)) == *equal,
            TruthNode::Within(sides) => (sides.0.at(scene) - sides.1.at(scene)).is_empty(),
            TruthNode::Any(set) => set.at(scene).any(),
            TruthNode::Each(quantifier, variable, parts) => {
                let kept = those(scene, *variable, &parts.0, &parts.1, *quantifier == Quantifier::Some);
                match quantifier {
                    Quantifier::Every => kept == parts.0.at(scene),
                    _ => kept.any(),
                }
            }
            TruthNode::Has(node) => node.value(scene).is_known(),
            TruthNode::If(parts) => match parts.0.at(scene) {
                true => parts.1.at(scene),
                false => parts.2.at(scene),
            },
            TruthNode::MayCastle(side) => scene.board.castling_rights().any(side.of(scene)),
            TruthNode::Material(pattern, either) => {
                pattern.matches(scene.board) || (*either && pattern.matches_reversed(scene.board))
            }
            TruthNode::Contains(sides) => match (sides.0.at(scene), sides.1.at(scene)) {
                (Some(a), Some(b)) => a.contains(b.as_ref()),
                _ => false,
            },
            TruthNode::Starts(sides) => match (sides.0.at(scene), sides.1.at(scene)) {
                (Some(a), Some(b)) => a.starts_with(b.as_ref()),
                _ => false,
            },
            TruthNode::Then(first, track, within) => {
                first.at(scene) && TrackRead::Later(*within).truth(&scene.tracks[*track], scene.ply)
            }
            TruthNode::Track(read, track) => read.truth(&scene.tracks[*track], scene.ply),
            TruthNode::Slot(slot) => matches!(scene.slots.get(*slot), Some(Value::Truth(true))),
        }
    }
}

/// The squares of a set for which a condition holds; only the first, if one will do.
fn those(scene: &Scene, variable: usize, set: &SetNode, body: &TruthNode, one: bool) -> Bitboard {
    let place = &scene.variables[variable];
    let before = place.get();
    let mut kept = Bitboard::EMPTY;
    for square in set.at(scene) {
        place.set(Bitboard::of(square));
        if body.at(scene) {
            kept |= Bitboard::of(square);
            if one {
                break;
            }
        }
    }
    place.set(before);
    kept
}

/// What squares a motif stands on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum SideSet {
    King,
    Attacked,
    Pinned,
    Forks,
    Skewers,
    Hanging,
    Passed,
    Isolated,
    Doubled,
}

/// Gives squares.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum SetNode {
    Constant(Bitboard),
    Field(SetField),
    Variable(usize),
    Pieces(Option<Side>, Option<PieceType>),
    OfSide(SideSet, Side),
    And(Box<(SetNode, SetNode)>),
    Or(Box<(SetNode, SetNode)>),
    Xor(Box<(SetNode, SetNode)>),
    Less(Box<(SetNode, SetNode)>),
    Not(Box<SetNode>),
    Attacks(Box<SetNode>),
    Attackers(Side, Box<SetNode>),
    Between(Box<(SetNode, SetNode)>),
    Around(Box<SetNode>),
    Ahead(Side, Box<SetNode>),
    Files(Box<SetNode>),
    Ranks(Box<SetNode>),
    Visited(Box<SetNode>),
    Those(usize, Box<(SetNode, TruthNode)>),
    If(Box<(TruthNode, SetNode, SetNode)>),
    Track(TrackRead, usize),
    Slot(usize),
}

impl SetNode {
    /// The squares at a position.
    pub fn at(&self, scene: &Scene) -> Bitboard {
        let board = scene.board;
        match self {
            SetNode::Constant(set) => *set,
            SetNode::Field(field) => field.of(scene),
            SetNode::Variable(variable) => scene.variables[*variable].get(),
            SetNode::Pieces(side, kind) => {
                let of_side = side.map_or(board.occupied(), |side| board.by_color(side.of(scene)));
                kind.map_or(of_side, |kind| of_side & board.by_kind(kind))
            }
            SetNode::OfSide(what, side) => what.at(board, side.of(scene)),
            SetNode::And(sides) => sides.0.at(scene) & sides.1.at(scene),
            SetNode::Or(sides) => sides.0.at(scene) | sides.1.at(scene),
            SetNode::Xor(sides) => sides.0.at(scene) ^ sides.1.at(scene),
            SetNode::Less(sides) => sides.0.at(scene) - sides.1.at(scene),
            SetNode::Not(inner) => !inner.at(scene),
            SetNode::Attacks(inner) => chess::attacks_of(board, inner.at(scene)),
            SetNode::Attackers(side, inner) => chess::attackers(board, side.of(scene), inner.at(scene)),
            SetNode::Between(sides) => chess::between(sides.0.at(scene), sides.1.at(scene)),
            SetNode::Around(inner) => {
                let set = inner.at(scene);
                set.grown() - set
            }
            SetNode::Ahead(side, inner) => {
                let side = side.of(scene);
                inner.at(scene).forward(side).forward_fill(side)
            }
            SetNode::Files(inner) => inner.at(scene).file_fill(),
            SetNode::Ranks(inner) => chess::rank_fill(inner.at(scene)),
            SetNode::Visited(inner) => {
                let Some(visited) = scene.visited else { return Bitboard::EMPTY };
                let paths = inner.at(scene).into_iter().map(|square| visited[square.index()]);
                paths.fold(Bitboard::EMPTY, |all, path| all | path)
            }
            SetNode::Those(variable, parts) => those(scene, *variable, &parts.0, &parts.1, false),
            SetNode::If(parts) => match parts.0.at(scene) {
                true => parts.1.at(scene),
                false => parts.2.at(scene),
            },
            SetNode::Track(read, track) => read.set(&scene.tracks[*track], scene.ply),
            SetNode::Slot(slot) => match scene.slots.get(*slot) {
                Some(Value::Set(set)) => *set,
                _ => Bitboard::EMPTY,
            },
        }
    }
}

impl SideSet {
    fn at(self, board: &engine::Board, side: Color) -> Bitboard {
        match self {
            SideSet::King => Bitboard::of(board.king(side)),
            SideSet::Attacked => board.attacked_by(side),
            SideSet::Pinned => chess::pinned(board, side),
            SideSet::Forks => chess::forks(board, side),
            SideSet::Skewers => chess::skewers(board, side),
            SideSet::Hanging => chess::hanging(board, side),
            SideSet::Passed => chess::passed(board, side),
            SideSet::Isolated => chess::isolated(board, side),
            SideSet::Doubled => chess::doubled(board, side),
        }
    }
}

/// Gives a text.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum TextNode {
    Constant(Box<str>),
    Field(TextField),
    Tag(Box<str>),
    If(Box<(TruthNode, TextNode, TextNode)>),
    Track(TrackRead, usize),
    Slot(usize),
}

impl TextNode {
    /// The text at a position.
    pub fn at<'a>(&'a self, scene: &Scene<'a>) -> Option<Cow<'a, str>> {
        match self {
            TextNode::Constant(text) => Some(Cow::Borrowed(text)),
            TextNode::Field(field) => field.of(scene),
            TextNode::Tag(name) => scene.game.tag(name).map(Cow::Borrowed),
            TextNode::If(parts) => match parts.0.at(scene) {
                true => parts.1.at(scene),
                false => parts.2.at(scene),
            },
            TextNode::Track(read, track) => read.text(&scene.tracks[*track], scene.ply).map(Cow::Owned),
            TextNode::Slot(slot) => match scene.slots.get(*slot) {
                Some(Value::Text(Some(text))) => Some(Cow::Borrowed(text)),
                _ => None,
            },
        }
    }
}
