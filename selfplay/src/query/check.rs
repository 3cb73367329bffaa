//! The type checker: names get their meaning, and every expression its type, before anything is read.

use engine::types::{Bitboard, Square};

use super::aggregate::AggregateKind;
use super::nodes::{Comparison, Node, NumberNode, SetNode, Side, TextNode, TruthNode};
use super::problem::{Problem, Span};
use super::scene::MOST_VARIABLES;
use super::syntax::{Expr, ExprKind, Quantifier};
use super::vocabulary::{self, Meaning, Reach};

/// What has to be known for some expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// How much must be read.
    pub reach: Reach,
    /// Whether the paths of pieces are asked for.
    pub paths: bool,
    /// Whether other moments of the game are asked for.
    pub tracks: bool,
}

impl Needs {
    /// What both need.
    pub fn and(self, other: Needs) -> Needs {
        Needs {
            reach: self.reach.max(other.reach),
            paths: self.paths || other.paths,
            tracks: self.tracks || other.tracks,
        }
    }
}

/// What came before an expression in its query.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Past {
    /// A `search`.
    pub searched: bool,
    /// A `perft`.
    pub counted: bool,
    /// A `walk` or `follow`: the position is in no game any more.
    pub beyond: bool,
}

/// An aggregate over the rows of a group.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// What is worked out.
    pub kind: AggregateKind,
    /// Of what.
    pub of: Option<Node>,
    expression: Expr,
}

/// The groups of a query: what they agree in, what is worked out for each.
#[derive(Clone, Debug, Default)]
pub struct Grouping {
    /// What they agree in.
    pub keys: Vec<(Expr, Node)>,
    /// What is worked out.
    pub aggregates: Vec<Aggregate>,
}

/// Checks the expressions of one query.
#[derive(Default)]
pub struct Checker {
    /// What came before.
    pub past: Past,
    /// Values to be worked out for whole games; later ones may ask earlier ones.
    pub tracks: Vec<Node>,
    /// What the expressions so far need.
    pub needs: Needs,
    /// Set while an expression over groups is checked.
    pub(super) grouping: Option<Grouping>,
    pub(super) variables: Vec<String>,
}

impl Checker {
    /// A condition over positions, cut at its `and`s, each part with what it needs.
    pub fn conditions(&mut self, expression: &Expr) -> Result<Vec<(TruthNode, Needs)>, Problem> {
        if let ExprKind::Binary("and", left, right) = &expression.kind {
            let mut parts = self.conditions(left)?;
            parts.extend(self.conditions(right)?);
            return Ok(parts);
        }
        let (node, needs) = self.apart(|checker| checker.truth(expression))?;
        Ok(vec![(node, needs)])
    }

    /// Does something, and says what it alone needs.
    pub(super) fn apart<T>(
        &mut self,
        check: impl FnOnce(&mut Checker) -> Result<T, Problem>,
    ) -> Result<(T, Needs), Problem> {
        let before = std::mem::take(&mut self.needs);
        let result = check(self);
        let needs = self.needs;
        self.needs = before.and(needs);
        Ok((result?, needs))
    }

    pub(super) fn reach(&mut self, reach: Reach) {
        self.needs.reach = self.needs.reach.max(reach);
    }

    /// An expression of any type.
    pub fn node(&mut self, expression: &Expr) -> Result<Node, Problem> {
        if let Some(node) = self.of_group(expression)? {
            return Ok(node);
        }
        let span = expression.span.clone();
        match &expression.kind {
            ExprKind::Number(number) => Ok(Node::Number(NumberNode::Constant(*number))),
            ExprKind::Text(text) => Ok(Node::Text(TextNode::Constant(text.as_str().into()))),
            ExprKind::Name(name) => self.name(name, span),
            ExprKind::Call(name, arguments) => self.call(name, arguments, span),
            ExprKind::Unary(sign, inner) => self.unary(sign, inner),
            ExprKind::Binary(sign, left, right) => self.binary(sign, left, right, span),
            ExprKind::OneOf(left, list) => self.one_of(left, list),
            ExprKind::Each { quantifier, variable, set, body } => {
                self.each(*quantifier, variable, set, body, span)
            }
            ExprKind::Then(first, second, within) => {
                let first = self.truth(first)?;
                let track = self.track(second, "then")?;
                let Node::Truth(_) = &self.tracks[track] else {
                    return Err(wrong_type(
                        second,
                        "`then` needs conditions",
                        self.tracks[track].type_name(),
                    ));
                };
                let within = within.map_or(usize::MAX, |within| within as usize);
                Ok(Node::Truth(TruthNode::Then(Box::new(first), track, within)))
            }
        }
    }

    /// A value to be worked out for the whole game.
    pub(super) fn track(&mut self, expression: &Expr, word: &str) -> Result<usize, Problem> {
        if self.past.beyond {
            let message = format!("`{word}` looks along a game, but after `walk` or `follow` there is none");
            let problem = Problem::new(expression.span.clone(), message);
            return Err(problem.with_help("ask before the walk"));
        }
        if self.past.searched || self.past.counted {
            let message = format!("`{word}` looks along the game, where nothing was searched");
            return Err(Problem::new(expression.span.clone(), message).with_help("put it before the search"));
        }
        let hidden = std::mem::take(&mut self.variables);
        let node = self.node(expression);
        self.variables = hidden;
        let node = node?;
        self.needs.tracks = true;
        self.reach(Reach::Moves);
        self.tracks.push(node);
        Ok(self.tracks.len() - 1)
    }

    fn name(&mut self, name: &str, span: Span) -> Result<Node, Problem> {
        if let Some(index) = self.variables.iter().rposition(|variable| variable == name) {
            return Ok(Node::Set(SetNode::Variable(index)));
        }
        if let Ok(square) = name.parse::<Square>() {
            return Ok(Node::Set(SetNode::Constant(Bitboard::of(square))));
        }
        let Some(word) = vocabulary::field(name) else { return Err(self.unknown_name(name, span)) };
        self.available(name, &span)?;
        if self.grouping.is_some() {
            let problem = Problem::new(span, format!("`{name}` is not the same for all rows of a group"));
            return Err(
                problem.with_help(format!("add it to `group by`, or use an aggregate like first({name})"))
            );
        }
        self.reach(word.reach);
        Ok(match word.meaning {
            Meaning::Number(field) => Node::Number(NumberNode::Field(field)),
            Meaning::Truth(field) => Node::Truth(TruthNode::Field(field)),
            Meaning::Set(field) => Node::Set(SetNode::Field(field)),
            Meaning::Text(field, _) => Node::Text(TextNode::Field(field)),
        })
    }

    /// Some names mean something only after the stage that makes them.
    fn available(&self, name: &str, span: &Span) -> Result<(), Problem> {
        let stage = match name {
            "value" | "value_white" | "rank_of_line" | "nodes" | "reached" | "best"
                if !self.past.searched =>
            {
                "search depth 8"
            }
            "leaves" if !self.past.counted => "perft 4",
            "line" if !(self.past.searched || self.past.beyond) => "search depth 8",
            _ => return Ok(()),
        };
        let (word, _) = stage.split_once(' ').unwrap_or((stage, ""));
        let problem = Problem::new(span.clone(), format!("`{name}` is known only after a `{word}`"));
        Err(problem.with_help(format!("put a stage like `{stage}` before it")))
    }

    fn unknown_name(&self, name: &str, span: Span) -> Problem {
        if vocabulary::FUNCTIONS.iter().any(|function| function.name == name) {
            let problem = Problem::new(span, format!("`{name}` is a function"));
            return problem.with_help(format!("write {name}(…)"));
        }
        let fields = vocabulary::FIELDS.iter().map(|word| word.name);
        let functions = vocabulary::FUNCTIONS.iter().map(|function| function.name);
        let variables = self.variables.iter().map(String::as_str);
        let problem = Problem::unknown(span, "name", name, variables.chain(fields).chain(functions));
        match problem.help {
            Some(_) => problem,
            None => problem
                .with_help("`selfplay query --words` lists all names; texts stand in \"quotation marks\""),
        }
    }

    fn unary(&mut self, sign: &str, inner: &Expr) -> Result<Node, Problem> {
        match sign {
            "not" => Ok(Node::Truth(TruthNode::Not(Box::new(self.truth(inner)?)))),
            "~" => Ok(Node::Set(SetNode::Not(Box::new(self.set(inner)?)))),
            _ => Ok(Node::Number(NumberNode::One(|a| -a, Box::new(self.number(inner)?)))),
        }
    }

    fn binary(&mut self, sign: &str, left: &Expr, right: &Expr, span: Span) -> Result<Node, Problem> {
        if let Some(comparison) = Comparison::from_sign(sign) {
            return self.comparison(comparison, left, right, span);
        }
        match sign {
            "and" => Ok(Node::Truth(TruthNode::And(Box::new((self.truth(left)?, self.truth(right)?))))),
            "or" => Ok(Node::Truth(TruthNode::Or(Box::new((self.truth(left)?, self.truth(right)?))))),
            "in" => Ok(Node::Truth(TruthNode::Within(Box::new((self.set(left)?, self.set(right)?))))),
            "&" => Ok(Node::Set(SetNode::And(Box::new((self.set(left)?, self.set(right)?))))),
            "|" => Ok(Node::Set(SetNode::Or(Box::new((self.set(left)?, self.set(right)?))))),
            "^" => Ok(Node::Set(SetNode::Xor(Box::new((self.set(left)?, self.set(right)?))))),
            _ => self.arithmetic(sign, left, right),
        }
    }

    /// `+ - * / %` over numbers; `-` over sets as well.
    fn arithmetic(&mut self, sign: &str, left: &Expr, right: &Expr) -> Result<Node, Problem> {
        let first = self.node(left)?;
        if let (Node::Set(set), "-") = (&first, sign) {
            return Ok(Node::Set(SetNode::Less(Box::new((set.clone(), self.set(right)?)))));
        }
        let Node::Number(first) = first else {
            return Err(wrong_type(left, &format!("`{sign}` needs numbers"), first.type_name()));
        };
        let calculate: fn(f64, f64) -> f64 = match sign {
            "+" => |a, b| a + b,
            "-" => |a, b| a - b,
            "*" => |a, b| a * b,
            // Nothing divided by zero is known.
            "/" => |a, b| if b == 0.0 { f64::NAN } else { a / b },
            _ => |a, b| if b == 0.0 { f64::NAN } else { a.rem_euclid(b) },
        };
        Ok(Node::Number(NumberNode::Two(calculate, Box::new((first, self.number(right)?)))))
    }

    fn comparison(
        &mut self,
        how: Comparison,
        left: &Expr,
        right: &Expr,
        span: Span,
    ) -> Result<Node, Problem> {
        let (first, second) = (self.compared(left, right)?, self.compared(right, left)?);
        let equality = matches!(how, Comparison::Equal | Comparison::NotEqual);
        let equal = how == Comparison::Equal;
        Ok(Node::Truth(match (first, second) {
            (Node::Number(a), Node::Number(b)) => TruthNode::Numbers(how, Box::new((a, b))),
            (Node::Text(a), Node::Text(b)) => TruthNode::Texts(how, Box::new((a, b))),
            (Node::Truth(a), Node::Truth(b)) if equality => TruthNode::Truths(equal, Box::new((a, b))),
            (Node::Set(a), Node::Set(b)) if equality => TruthNode::Sets(equal, Box::new((a, b))),
            (a, b) if a.type_name() == b.type_name() => {
                let problem = Problem::new(span, format!("{} has no order", a.type_name()));
                return Err(problem.with_help("compare with = or !=, or compare count(…)"));
            }
            (a, b) => {
                let message = format!("{} cannot be compared with {}", a.type_name(), b.type_name());
                return Err(Problem::new(span, message));
            }
        }))
    }

    /// One side of a comparison. Where the other side is one of some words, this one may be such a word,
    /// with or without quotation marks, and nothing else.
    fn compared(&mut self, side: &Expr, other: &Expr) -> Result<Node, Problem> {
        let words = match &other.kind {
            ExprKind::Name(name) => vocabulary::field(name).map(|word| word.meaning),
            _ => None,
        };
        let Some(Meaning::Text(_, words)) = words.filter(|_| !self.is_variable(other)) else {
            return self.node(side);
        };
        match &side.kind {
            ExprKind::Name(word) | ExprKind::Text(word) if words.contains(&word.as_str()) => {
                Ok(Node::Text(TextNode::Constant(word.as_str().into())))
            }
            ExprKind::Text(word) if !words.is_empty() => {
                let problem = Problem::unknown(side.span.clone(), "value", word, words.iter().copied());
                Err(match problem.help {
                    Some(_) => problem,
                    None => problem.with_help(format!("one of {}", words.join(", "))),
                })
            }
            _ => self.node(side),
        }
    }

    fn is_variable(&self, expression: &Expr) -> bool {
        matches!(&expression.kind, ExprKind::Name(name) if self.variables.contains(name))
    }

    fn one_of(&mut self, left: &Expr, list: &[Expr]) -> Result<Node, Problem> {
        let mut whole: Option<TruthNode> = None;
        for item in list {
            let span = left.span.start..item.span.end;
            let Node::Truth(equal) = self.comparison(Comparison::Equal, left, item, span)? else { continue };
            whole = Some(match whole {
                Some(before) => TruthNode::Or(Box::new((before, equal))),
                None => equal,
            });
        }
        whole.map(Node::Truth).ok_or_else(|| Problem::new(left.span.clone(), "an empty list"))
    }

    fn each(
        &mut self,
        quantifier: Quantifier,
        variable: &str,
        set: &Expr,
        body: &Expr,
        span: Span,
    ) -> Result<Node, Problem> {
        let set = self.set(set)?;
        if self.variables.len() == MOST_VARIABLES {
            return Err(Problem::new(
                span,
                format!("more than {MOST_VARIABLES} squares named within each other"),
            ));
        }
        if variable.parse::<Square>().is_ok() {
            return Err(
                Problem::new(span, format!("`{variable}` is a square")).with_help("choose another name")
            );
        }
        self.variables.push(variable.to_string());
        let body = self.truth(body);
        self.variables.pop();
        let (index, parts) = (self.variables.len(), Box::new((set, body?)));
        Ok(match quantifier {
            Quantifier::Those => Node::Set(SetNode::Those(index, parts)),
            _ => Node::Truth(TruthNode::Each(quantifier, index, parts)),
        })
    }

    /// An expression that must be a number.
    pub fn number(&mut self, expression: &Expr) -> Result<NumberNode, Problem> {
        match self.node(expression)? {
            Node::Number(node) => Ok(node),
            other => Err(wrong_type(expression, "a number is needed here", other.type_name())),
        }
    }

    /// An expression that must be a condition.
    pub fn truth(&mut self, expression: &Expr) -> Result<TruthNode, Problem> {
        match self.node(expression)? {
            Node::Truth(node) => Ok(node),
            Node::Set(_) => {
                let problem = wrong_type(expression, "a condition is needed here", "a set of squares");
                Err(problem.with_help("any(SET) asks whether it has a square"))
            }
            other => Err(wrong_type(expression, "a condition is needed here", other.type_name())),
        }
    }

    /// An expression that must be a set.
    pub fn set(&mut self, expression: &Expr) -> Result<SetNode, Problem> {
        match self.node(expression)? {
            Node::Set(node) => Ok(node),
            other => Err(wrong_type(expression, "a set of squares is needed here", other.type_name())),
        }
    }

    /// An expression that must be a text.
    pub fn text(&mut self, expression: &Expr) -> Result<TextNode, Problem> {
        match self.node(expression)? {
            Node::Text(node) => Ok(node),
            other => Err(wrong_type(expression, "a text is needed here", other.type_name())),
        }
    }

    /// A word for a side.
    pub(super) fn side(&mut self, expression: &Expr) -> Result<Side, Problem> {
        self.reach(Reach::Board);
        let names = Side::NAMED.map(|(name, _)| name);
        match &expression.kind {
            ExprKind::Name(name) => match Side::NAMED.iter().find(|(known, _)| known == name) {
                Some((_, side)) => Ok(*side),
                None => Err(Problem::unknown(expression.span.clone(), "side", name, names)
                    .with_help(format!("one of {}", names.join(", ")))),
            },
            _ => Err(Problem::new(expression.span.clone(), "a side is needed here")
                .with_help(format!("one of {}", names.join(", ")))),
        }
    }

    /// What an expression over groups means: a key, or an aggregate.
    fn of_group(&mut self, expression: &Expr) -> Result<Option<Node>, Problem> {
        let Some(grouping) = self.grouping.take() else { return Ok(None) };
        let mut grouping = grouping;
        let result = self.slot(expression, &mut grouping);
        self.grouping = Some(grouping);
        result
    }

    fn slot(&mut self, expression: &Expr, grouping: &mut Grouping) -> Result<Option<Node>, Problem> {
        if let Some(slot) = grouping.keys.iter().position(|(key, _)| key == expression) {
            return Ok(Some(slot_like(&grouping.keys[slot].1, slot)));
        }
        let (name, arguments) = match &expression.kind {
            ExprKind::Name(name) => (name, &[][..]),
            ExprKind::Call(name, arguments) => (name, &arguments[..]),
            _ => return Ok(None),
        };
        if !vocabulary::is_aggregate(name, arguments.len()) {
            return Ok(None);
        }
        let (kind, of) = self.aggregate(name, arguments)?;
        let first = grouping.keys.len();
        let known = grouping.aggregates.iter().position(|known| known.expression == *expression);
        let index = known.unwrap_or_else(|| {
            grouping.aggregates.push(Aggregate { kind, of: of.clone(), expression: expression.clone() });
            grouping.aggregates.len() - 1
        });
        let slot = first + index;
        Ok(Some(match (kind, &of) {
            (AggregateKind::First, Some(of)) => slot_like(of, slot),
            _ => Node::Number(NumberNode::Slot(slot)),
        }))
    }

    fn aggregate(
        &mut self,
        name: &str,
        arguments: &[Expr],
    ) -> Result<(AggregateKind, Option<Node>), Problem> {
        let kind = AggregateKind::named(name);
        let of = match (kind, arguments) {
            (AggregateKind::Count, _) | (_, []) => None,
            (AggregateKind::Share, [one, ..]) => Some(Node::Truth(self.truth(one)?)),
            (AggregateKind::First | AggregateKind::Distinct, [one, ..]) => Some(self.node(one)?),
            (_, [one, ..]) => Some(Node::Number(self.number(one)?)),
        };
        Ok((kind, of))
    }
}

/// A reference to a slot of the same type as a node.
fn slot_like(node: &Node, slot: usize) -> Node {
    match node {
        Node::Number(_) => Node::Number(NumberNode::Slot(slot)),
        Node::Truth(_) => Node::Truth(TruthNode::Slot(slot)),
        Node::Set(_) => Node::Set(SetNode::Slot(slot)),
        Node::Text(_) => Node::Text(TextNode::Slot(slot)),
    }
}

pub(super) fn wrong_type(expression: &Expr, needed: &str, found: &str) -> Problem {
    Problem::new(expression.span.clone(), format!("{needed}, and this is {found}"))
}
