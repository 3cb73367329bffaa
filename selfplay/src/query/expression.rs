//! Expressions, from the loosest operator to the tightest:
//! `then`, `or`, `and`, `not`, comparisons and `in`, `|` `^`, `&`, `+` `-`, `*` `/` `%`, unary `-` `~`.

use super::lexer::Token;
use super::parser::Parser;
use super::problem::Problem;
use super::syntax::{Expr, ExprKind, Quantifier};

/// Brackets within brackets: a program reads each of them on its stack.
const DEEPEST: usize = 64;

/// Binary operators by how tightly they bind, the loosest first.
const LEVELS: [&[&str]; 4] = [&["|", "^"], &["&"], &["+", "-"], &["*", "/", "%"]];
const COMPARISONS: [&str; 8] = ["=", "==", "!=", "<>", "<=", ">=", "<", ">"];

impl Parser {
    /// Reads an expression as far as it goes.
    pub(super) fn expression(&mut self) -> Result<Expr, Problem> {
        if self.depth >= DEEPEST {
            let message = format!("more than {DEEPEST} expressions within each other");
            return Err(Problem::new(self.span(), message));
        }
        self.depth += 1;
        let result = self.sequence();
        self.depth -= 1;
        result
    }

    fn sequence(&mut self) -> Result<Expr, Problem> {
        let first = self.disjunction()?;
        let mut chain = vec![(first, None)];
        while self.accept("then") {
            if chain.len() >= DEEPEST {
                return Err(Problem::new(self.span(), format!("more than {DEEPEST} steps")));
            }
            let next = self.disjunction()?;
            let within = if self.accept("within") { Some(self.whole("how many plies")?) } else { None };
            chain.push((next, within));
        }
        // `a then b then c`: a here, and later a place where b holds, and c after that.
        let Some((mut whole, mut within)) = chain.pop() else { unreachable!("it has a first part") };
        while let Some((before, next_within)) = chain.pop() {
            let span = before.span.start..whole.span.end;
            whole = Expr { kind: ExprKind::Then(Box::new(before), Box::new(whole), within), span };
            within = next_within;
        }
        Ok(whole)
    }

    fn disjunction(&mut self) -> Result<Expr, Problem> {
        let mut left = self.conjunction()?;
        while self.accept("or") {
            left = binary("or", left, self.conjunction()?);
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<Expr, Problem> {
        let mut left = self.negation()?;
        while self.accept("and") {
            left = binary("and", left, self.negation()?);
        }
        Ok(left)
    }

    fn negation(&mut self) -> Result<Expr, Problem> {
        let start = self.span().start;
        let mut negations = 0;
        while self.accept("not") {
            negations += 1;
        }
        let inner = self.comparison()?;
        if negations % 2 == 0 {
            return Ok(inner);
        }
        let span = start..inner.span.end;
        Ok(Expr { kind: ExprKind::Unary("not", Box::new(inner)), span })
    }

    fn comparison(&mut self) -> Result<Expr, Problem> {
        let left = self.operators(0)?;
        if self.accept("in") {
            return self.membership(left);
        }
        let Some(operator) = COMPARISONS.into_iter().find(|operator| self.is(operator)) else {
            return Ok(left);
        };
        self.next();
        let whole = binary(canonical(operator), left, self.operators(0)?);
        if COMPARISONS.iter().any(|operator| self.is(operator)) {
            let problem = Problem::new(self.span(), "comparisons cannot be chained");
            return Err(problem.with_help("join them with `and`, like 1 < ply and ply < 9"));
        }
        Ok(whole)
    }

    /// `x in (a, b)` is a list, `x in SET` a set.
    fn membership(&mut self, left: Expr) -> Result<Expr, Problem> {
        if !self.is("(") {
            return Ok(binary("in", left, self.operators(0)?));
        }
        let open = self.span().start;
        self.next();
        let mut list = vec![self.expression()?];
        while self.accept(",") {
            list.push(self.expression()?);
        }
        self.expect(")")?;
        let span = left.span.start..self.end();
        match <[Expr; 1]>::try_from(list) {
            Ok([mut only]) => {
                only.span = open..self.end();
                Ok(binary("in", left, only))
            }
            Err(list) => Ok(Expr { kind: ExprKind::OneOf(Box::new(left), list), span }),
        }
    }

    fn operators(&mut self, level: usize) -> Result<Expr, Problem> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.operators(level + 1)?;
        while let Some(&operator) = operators.iter().find(|operator| self.is(operator)) {
            self.next();
            left = binary(operator, left, self.operators(level + 1)?);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, Problem> {
        let start = self.span().start;
        let mut signs = Vec::new();
        while let Some(sign) = ["-", "~"].into_iter().find(|sign| self.is(sign)) {
            if signs.len() >= DEEPEST {
                return Err(Problem::new(self.span(), "too many signs"));
            }
            self.next();
            signs.push(sign);
        }
        let mut value = self.primary()?;
        for sign in signs.into_iter().rev() {
            let span = start..value.span.end;
            value = Expr { kind: ExprKind::Unary(sign, Box::new(value)), span };
        }
        Ok(value)
    }

    fn primary(&mut self) -> Result<Expr, Problem> {
        let span = self.span();
        let kind = match self.peek().clone() {
            Token::Number(number) => {
                self.next();
                ExprKind::Number(number)
            }
            Token::Text(text) => {
                self.next();
                ExprKind::Text(text)
            }
            Token::Symbol("(") => {
                self.next();
                let inner = self.expression()?;
                self.expect(")")?;
                return Ok(Expr { kind: inner.kind, span: span.start..self.end() });
            }
            Token::Word(word) => {
                self.next();
                match word.as_str() {
                    "some" => return self.quantified(Quantifier::Some, span.start),
                    "every" => return self.quantified(Quantifier::Every, span.start),
                    "those" => return self.quantified(Quantifier::Those, span.start),
                    _ if self.is("(") => ExprKind::Call(word, self.arguments()?),
                    _ => ExprKind::Name(word),
                }
            }
            _ => return Err(self.expected("a value")),
        };
        Ok(Expr { kind, span: span.start..self.end() })
    }

    fn arguments(&mut self) -> Result<Vec<Expr>, Problem> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        if self.accept(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expression()?);
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(arguments)
    }

    fn quantified(&mut self, quantifier: Quantifier, start: usize) -> Result<Expr, Problem> {
        let variable = self.name()?;
        self.expect("in")?;
        let set = Box::new(self.operators(0)?);
        self.expect(":")?;
        // As far to the right as a comparison with its `and`s goes; brackets end it earlier.
        if self.depth >= DEEPEST {
            return Err(Problem::new(
                self.span(),
                format!("more than {DEEPEST} expressions within each other"),
            ));
        }
        self.depth += 1;
        let body = self.disjunction();
        self.depth -= 1;
        let body = Box::new(body?);
        let span = start..self.end();
        Ok(Expr { kind: ExprKind::Each { quantifier, variable, set, body }, span })
    }
}

fn canonical(operator: &'static str) -> &'static str {
    match operator {
        "==" => "=",
        "<>" => "!=",
        other => other,
    }
}

fn binary(operator: &'static str, left: Expr, right: Expr) -> Expr {
    let span = left.span.start..right.span.end;
    Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), span }
}
