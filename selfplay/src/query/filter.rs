//! A condition on its own, for programs that have games already.

use super::game::Game;
use super::limits::{Halt, Limits};
use super::plan::Plan;
use super::problem::Problem;
use super::run::{Partial, Run};
use super::value::Value;
use super::vocabulary::Reach;

/// A condition that is ready to be asked.
#[derive(Clone, Debug)]
pub struct Filter {
    plan: Plan,
}

impl Filter {
    /// Reads and checks a condition, like `score_white > 200 and drawn`.
    pub fn parse(condition: &str) -> Result<Filter, Problem> {
        // A condition and nothing else: what follows one in a query is none of a filter's business.
        super::parser::parse_expression(condition)?;
        let prefix = "games \"\" where ";
        let text = format!("{prefix}{condition}\nselect ply");
        let back = |mut problem: Problem| {
            let place = |at: usize| at.saturating_sub(prefix.len()).min(condition.len());
            problem.span = place(problem.span.start)..place(problem.span.end);
            problem
        };
        let mut plans = super::compile(&text).map_err(back)?;
        let plan = plans.pop().ok_or_else(|| Problem::new(0..0, "an empty condition"))?;
        Ok(Filter { plan })
    }

    /// The plies of a game at which it holds.
    pub fn matches(&self, game: &Game, limits: &Limits) -> Result<Vec<usize>, Halt> {
        let mut run = Run::new(&self.plan, 0, limits);
        run.game(game)?;
        let Partial::Rows(rows) = run.finish().0 else { return Ok(Vec::new()) };
        Ok(rows
            .iter()
            .filter_map(|row| match row.values.first() {
                Some(Value::Number(ply)) => Some(*ply as usize),
                _ => None,
            })
            .collect())
    }

    /// Whether moves must be known to answer: results and lengths alone will not do.
    pub fn needs_moves(&self) -> bool {
        self.plan.needs.reach > Reach::Ply || self.plan.needs.tracks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pgn::PgnGame;

    #[test]
    fn a_filter_answers_for_a_game() {
        let pgn = PgnGame::parse("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0").unwrap();
        let game = Game::from_pgn(&"x.pgn".into(), 1, pgn);
        let plies = |condition| Filter::parse(condition).unwrap().matches(&game, &Limits::default()).unwrap();
        assert_eq!(plies("checkmate"), [7]);
        assert_eq!(plies("capture and moved = queen"), [6]);
        assert_eq!(plies("white_won and ply < 2"), [0, 1]);
        assert_eq!(plies("moved = bishop then moved = queen within 2"), [2]);
        assert!(!Filter::parse("drawn and ply > 3").unwrap().needs_moves());
    }

    #[test]
    fn places_are_those_of_the_condition() {
        let problem = Filter::parse("ply > 3 and scroe > 5").unwrap_err();
        assert_eq!((problem.span, problem.help.as_deref()), (12..17, Some("did you mean `score`?")));
        assert!(Filter::parse("ply > 3 select fen").is_err());
    }
}
