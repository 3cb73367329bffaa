//! The functions of the language: which arguments each takes, and what it compiles to.

use engine::eval::EvalParams;
use engine::types::{Bitboard, PieceType};

use super::check::{Checker, wrong_type};
use super::material::MaterialPattern;
use super::nodes::{Node, NumberNode, SetNode, Side, SideSet, Term, TextNode, TruthNode};
use super::problem::{Problem, Span};
use super::syntax::{Expr, ExprKind};
use super::tracks::TrackRead;
use super::vocabulary::{self, Reach};

impl Checker {
    /// A call, by the number of its arguments.
    pub(super) fn call(&mut self, name: &str, arguments: &[Expr], span: Span) -> Result<Node, Problem> {
        if let Some(what) = side_set(name) {
            let [side] = self.exactly(name, arguments, span)?;
            return Ok(Node::Set(SetNode::OfSide(what, self.side(side)?)));
        }
        if let Some(read) = track_read(name) {
            let [inner] = self.exactly(name, arguments, span)?;
            return self.along(name, read, inner);
        }
        if let Some(node) = self.number_function(name, arguments, &span)? {
            return Ok(Node::Number(node));
        }
        if let Some(node) = self.set_function(name, arguments, &span)? {
            return Ok(Node::Set(node));
        }
        if let Some(node) = self.truth_function(name, arguments, &span)? {
            return Ok(Node::Truth(node));
        }
        match name {
            "if" => self.choice(arguments, span),
            "tag" => {
                let [tag] = self.exactly(name, arguments, span)?;
                self.reach(Reach::Label);
                Ok(Node::Text(TextNode::Tag(literal(tag, "the name of a tag")?.into())))
            }
            _ => Err(self.unknown_function(name, arguments, span)),
        }
    }

    fn unknown_function(&self, name: &str, arguments: &[Expr], span: Span) -> Problem {
        let span = span.start..span.start + name.len();
        if vocabulary::field(name).is_some() {
            return Problem::new(span, format!("`{name}` is a field and takes no arguments"));
        }
        if vocabulary::is_aggregate(name, arguments.len()) {
            let problem = Problem::new(span, format!("`{name}` works on many rows, not on a position"));
            return problem.with_help("aggregates stand in `select`, or in `order by` after `group by`");
        }
        Problem::unknown(span, "function", name, vocabulary::FUNCTIONS.iter().map(|function| function.name))
    }

    /// The arguments, if there are as many as needed.
    fn exactly<'a, const N: usize>(
        &self,
        name: &str,
        arguments: &'a [Expr],
        span: Span,
    ) -> Result<&'a [Expr; N], Problem> {
        <&[Expr; N]>::try_from(arguments).map_err(|_| {
            let known = vocabulary::FUNCTIONS.iter().find(|function| function.name == name);
            let wanted = known.map_or("", |function| function.arguments);
            let message = format!("`{name}` takes {N} argument{}, not {}", plural(N), arguments.len());
            Problem::new(span, message).with_help(format!("write {name}({wanted})"))
        })
    }

    /// A question about other moments of the game.
    fn along(&mut self, name: &str, read: TrackRead, inner: &Expr) -> Result<Node, Problem> {
        let track = self.track(inner, name)?;
        let of = &self.tracks[track];
        let needs_condition = !matches!(read, TrackRead::Next | TrackRead::Previous);
        if needs_condition && !matches!(of, Node::Truth(_)) {
            return Err(wrong_type(inner, &format!("`{name}` needs a condition"), of.type_name()));
        }
        Ok(match (read, of) {
            (TrackRead::Times | TrackRead::FirstPly, _) | (_, Node::Number(_)) => {
                Node::Number(NumberNode::Track(read, track))
            }
            (_, Node::Truth(_)) => Node::Truth(TruthNode::Track(read, track)),
            (_, Node::Set(_)) => Node::Set(SetNode::Track(read, track)),
            (_, Node::Text(_)) => Node::Text(TextNode::Track(read, track)),
        })
    }

    fn choice(&mut self, arguments: &[Expr], span: Span) -> Result<Node, Problem> {
        let [condition, yes, no] = self.exactly("if", arguments, span)?;
        let condition = self.truth(condition)?;
        let (first, second) = (self.node(yes)?, self.node(no)?);
        match (first, second) {
            (Node::Number(a), Node::Number(b)) => {
                Ok(Node::Number(NumberNode::If(Box::new((condition, a, b)))))
            }
            (Node::Truth(a), Node::Truth(b)) => Ok(Node::Truth(TruthNode::If(Box::new((condition, a, b))))),
            (Node::Set(a), Node::Set(b)) => Ok(Node::Set(SetNode::If(Box::new((condition, a, b))))),
            (Node::Text(a), Node::Text(b)) => Ok(Node::Text(TextNode::If(Box::new((condition, a, b))))),
            (a, b) => {
                Err(wrong_type(no, &format!("both values of `if` must be {}", a.type_name()), b.type_name()))
            }
        }
    }

    fn number_function(
        &mut self,
        name: &str,
        arguments: &[Expr],
        span: &Span,
    ) -> Result<Option<NumberNode>, Problem> {
        let span = span.clone();
        let one: Option<fn(f64) -> f64> = match name {
            "abs" => Some(f64::abs),
            "round" => Some(f64::round),
            "floor" => Some(f64::floor),
            _ => None,
        };
        if let Some(function) = one {
            let [inner] = self.exactly(name, arguments, span)?;
            return Ok(Some(NumberNode::One(function, Box::new(self.number(inner)?))));
        }
        // A missing number stays missing: `f64::min` would drop it.
        let two: Option<fn(f64, f64) -> f64> = match name {
            "least" => Some(|a, b| if a.is_nan() || a < b { a } else { b }),
            "most" => Some(|a, b| if a.is_nan() || a > b { a } else { b }),
            "bucket" => Some(|a, width| if width > 0.0 { (a / width).floor() * width } else { f64::NAN }),
            _ => None,
        };
        if let Some(function) = two {
            let [a, b] = self.exactly(name, arguments, span)?;
            return Ok(Some(NumberNode::Two(function, Box::new((self.number(a)?, self.number(b)?)))));
        }
        Ok(Some(match name {
            "clamp" => {
                let [number, low, high] = self.exactly(name, arguments, span)?;
                NumberNode::Clamp(Box::new((self.number(number)?, self.number(low)?, self.number(high)?)))
            }
            "count" if !arguments.is_empty() => {
                let [set] = self.exactly(name, arguments, span)?;
                NumberNode::Count(self.set(set)?)
            }
            "files" | "ranks" => {
                let [set] = self.exactly(name, arguments, span)?;
                let set = self.set(set)?;
                if name == "files" { NumberNode::Files(set) } else { NumberNode::Ranks(set) }
            }
            "distance" => {
                let [a, b] = self.exactly(name, arguments, span)?;
                NumberNode::Distance(Box::new((self.set(a)?, self.set(b)?)))
            }
            "number" => {
                let [text] = self.exactly(name, arguments, span)?;
                NumberNode::Parse(self.text(text)?)
            }
            "term" => NumberNode::Term(Box::new(self.term(arguments, span)?)),
            "material" if !matches!(arguments, [Expr { kind: ExprKind::Text(_), .. }]) => {
                let [side] = self.exactly(name, arguments, span)?;
                NumberNode::Material(self.side(side)?)
            }
            _ => return Ok(None),
        }))
    }

    fn set_function(
        &mut self,
        name: &str,
        arguments: &[Expr],
        span: &Span,
    ) -> Result<Option<SetNode>, Problem> {
        let span = span.clone();
        Ok(Some(match name {
            "pieces" => self.pieces(arguments, span)?,
            "file" | "rank" => {
                let [which] = self.exactly(name, arguments, span)?;
                self.line(name, which)?
            }
            "attacks" | "around" | "visited" => {
                let [set] = self.exactly(name, arguments, span)?;
                let inner = Box::new(self.set(set)?);
                match name {
                    "attacks" => {
                        self.reach(Reach::Board);
                        SetNode::Attacks(inner)
                    }
                    "around" => SetNode::Around(inner),
                    _ => self.visited(inner, set.span.clone())?,
                }
            }
            "between" => {
                let [a, b] = self.exactly(name, arguments, span)?;
                SetNode::Between(Box::new((self.set(a)?, self.set(b)?)))
            }
            "attackers" | "ahead" => {
                let [side, set] = self.exactly(name, arguments, span)?;
                let (side, set) = (self.side(side)?, Box::new(self.set(set)?));
                if name == "ahead" { SetNode::Ahead(side, set) } else { SetNode::Attackers(side, set) }
            }
            _ => return Ok(None),
        }))
    }

    fn visited(&mut self, inner: Box<SetNode>, span: Span) -> Result<SetNode, Problem> {
        if self.past.beyond {
            return Err(Problem::new(
                span,
                "`visited` follows a game, but after `walk` or `follow` there is none",
            ));
        }
        self.needs.paths = true;
        self.reach(Reach::Board);
        Ok(SetNode::Visited(inner))
    }

    fn truth_function(
        &mut self,
        name: &str,
        arguments: &[Expr],
        span: &Span,
    ) -> Result<Option<TruthNode>, Problem> {
        let span = span.clone();
        Ok(Some(match name {
            "any" | "none" => {
                let [set] = self.exactly(name, arguments, span)?;
                let any = TruthNode::Any(self.set(set)?);
                if name == "any" { any } else { TruthNode::Not(Box::new(any)) }
            }
            "has" => {
                let [value] = self.exactly(name, arguments, span)?;
                TruthNode::Has(Box::new(self.node(value)?))
            }
            "may_castle" => {
                let [side] = self.exactly(name, arguments, span)?;
                TruthNode::MayCastle(self.side(side)?)
            }
            "material" | "either" => {
                let [pattern] = self.exactly(name, arguments, span)?;
                let text = literal(pattern, "a pattern like \"KRPvKR\"")?;
                let parsed = MaterialPattern::parse(text);
                let wrong = |reason| Problem::new(pattern.span.clone(), format!("the pattern {reason}"));
                self.reach(Reach::Board);
                TruthNode::Material(parsed.map_err(wrong)?, name == "either")
            }
            "contains" | "starts" => {
                let [text, part] = self.exactly(name, arguments, span)?;
                let sides = Box::new((self.text(text)?, self.text(part)?));
                if name == "contains" { TruthNode::Contains(sides) } else { TruthNode::Starts(sides) }
            }
            _ => return Ok(None),
        }))
    }

    /// `pieces(white, knight)`, `pieces(white)`, `pieces(knight)`.
    fn pieces(&mut self, arguments: &[Expr], span: Span) -> Result<SetNode, Problem> {
        self.reach(Reach::Board);
        let (mut side, mut kind) = (None, None);
        for argument in arguments {
            let ExprKind::Name(name) = &argument.kind else {
                return Err(Problem::new(argument.span.clone(), "a side or a kind of piece is needed here"));
            };
            let found = Side::NAMED.iter().find(|(known, _)| known == name);
            let kind_found = PieceType::ALL.into_iter().find(|&kind| kind.name() == name);
            match (found, kind_found) {
                (Some((_, found)), _) if side.is_none() => side = Some(*found),
                (_, Some(found)) if kind.is_none() => kind = Some(found),
                (None, None) => {
                    let known = Side::NAMED.map(|(name, _)| name);
                    let known = known.into_iter().chain(PieceType::ALL.map(PieceType::name));
                    return Err(Problem::unknown(
                        argument.span.clone(),
                        "side or kind of piece",
                        name,
                        known,
                    ));
                }
                _ => return Err(Problem::new(argument.span.clone(), "one side and one kind at most")),
            }
        }
        match side.is_none() && kind.is_none() {
            true => Err(Problem::new(span, "`pieces` needs a side, a kind, or both")
                .with_help("like pieces(white, knight); all pieces are `occupied`")),
            false => Ok(SetNode::Pieces(side, kind)),
        }
    }

    /// `file(e)`, `rank(4)`, or all files or ranks of a set.
    fn line(&mut self, name: &str, which: &Expr) -> Result<SetNode, Problem> {
        match &which.kind {
            ExprKind::Name(letter)
                if name == "file" && letter.len() == 1 && !self.variables.contains(letter) =>
            {
                let file = letter.bytes().next().filter(|byte| (b'a'..=b'h').contains(byte));
                let file =
                    file.ok_or_else(|| Problem::new(which.span.clone(), "a file is a letter from a to h"))?;
                Ok(SetNode::Constant(Bitboard::file(file - b'a')))
            }
            ExprKind::Number(number) if name == "rank" => match *number as u8 {
                rank @ 1..=8 if number.fract() == 0.0 => Ok(SetNode::Constant(Bitboard::rank(rank - 1))),
                _ => Err(Problem::new(which.span.clone(), "a rank is a number from 1 to 8")),
            },
            _ => {
                let set = Box::new(self.set(which)?);
                Ok(if name == "file" { SetNode::Files(set) } else { SetNode::Ranks(set) })
            }
        }
    }

    /// `term("Mobility")`, `term(mobility_bishop, black)`.
    fn term(&mut self, arguments: &[Expr], span: Span) -> Result<Term, Problem> {
        self.reach(Reach::Board);
        let (Some(name), true) = (arguments.first(), arguments.len() <= 2) else {
            return Err(Problem::new(span, "`term` takes a name, and perhaps a side"));
        };
        let text = match &name.kind {
            ExprKind::Name(text) | ExprKind::Text(text) => text,
            _ => return Err(Problem::new(name.span.clone(), "the name of a term is needed here")),
        };
        let fields = || EvalParams::FIELDS.iter();
        if !fields().any(|field| field.name == text || field.section == text) {
            let known = fields().flat_map(|field| [field.name, field.section]);
            return Err(Problem::unknown(name.span.clone(), "term of the evaluation", text, known));
        }
        let side = arguments.get(1).map(|side| self.side(side)).transpose()?;
        Ok(Term { name: text.clone(), side })
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn literal<'a>(expression: &'a Expr, what: &str) -> Result<&'a str, Problem> {
    match &expression.kind {
        ExprKind::Text(text) => Ok(text),
        _ => Err(Problem::new(expression.span.clone(), format!("{what} is needed here, in quotation marks"))),
    }
}

fn side_set(name: &str) -> Option<SideSet> {
    Some(match name {
        "king" => SideSet::King,
        "attacked" => SideSet::Attacked,
        "pinned" => SideSet::Pinned,
        "forks" => SideSet::Forks,
        "skewers" => SideSet::Skewers,
        "hanging" => SideSet::Hanging,
        "passed" => SideSet::Passed,
        "isolated" => SideSet::Isolated,
        "doubled" => SideSet::Doubled,
        _ => return None,
    })
}

fn track_read(name: &str) -> Option<TrackRead> {
    Some(match name {
        "next" => TrackRead::Next,
        "previous" => TrackRead::Previous,
        "ever" => TrackRead::Ever,
        "always" => TrackRead::Always,
        "times" => TrackRead::Times,
        "first_ply" => TrackRead::FirstPly,
        _ => return None,
    })
}
