//! Queries that are almost right: whatever the text, the reader answers or says what is wrong, and never panics.
//!
//! `TABULA_FUZZ_SECONDS` is the time (1), `TABULA_SEED` chooses the texts (1).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use selfplay::pgn::PgnGame;
use selfplay::play::Dice;
use selfplay::query::{AGGREGATES, FIELDS, FUNCTIONS, Filter, Game, Limits, compile, execute};

const WHOLE: [&str; 14] = [
    "games \"a.tgr\" where drawn and score_white > 300 count",
    "games \"a.pgn\", \"b.pgn\" with variations where check group by phase order by count desc take 3 select count, mean(legal)",
    "positions \"x.epd\" search depth 3 lines 2 follow 1 select tag(\"id\"), best, value as csv",
    "position start walk 2 prune with capture or check count",
    "position start perft 3 select leaves as json",
    "game 7 at 10 black of \"a.tgr\" search nodes 100 select best",
    "random 20 plies times 3 seed 9 where some n in pieces(white, knight): ranks(visited(n)) >= 5 select fen",
    "games \"x\" where capture then check within 3 then checkmate select game named g, ply as svg",
    "games \"x\" where material(\"KRP+vKR?\") or either(\"KQvK\") histogram bucket(eval, 50) by 10",
    "games \"x\" where count(attacks(pieces(mover)) & ~file(e) - rank(4)) % 3 != 1 order by clock desc, ply take 5 as epd",
    "games \"x\" where result in (\"1-0\", \"0-1\") and e4 in attacked(white) mean abs(score) / 100",
    "games \"x\" where every p in passed(white): count(ahead(white, p) & occupied) = 0 once as pgn",
    "games \"x\" select if(check, 1, 2) + least(ply, 3) * -depth, next(score), times(check), term(\"Mobility\", black)",
    "games \"x\" group by bucket(ply, 10) named tens, stm select count, share(check), distinct(key), deviation(score); position start",
];

const SNIPPETS: [&str; 40] = [
    " ",
    "(",
    ")",
    ",",
    ";",
    ":",
    "\"",
    "'",
    "\\",
    "#",
    "\n",
    "and",
    "or",
    "not",
    "in",
    "then",
    "within",
    "some",
    "every",
    "those",
    "where",
    "select",
    "group by",
    "order by",
    "take",
    "as",
    "named",
    "0",
    "1",
    "-1",
    "9999999999",
    "0.5",
    "e4",
    "a",
    "ä",
    "🙂",
    "=",
    "<",
    "~",
    "%",
];

fn mutate(text: &str, dice: &mut Dice) -> String {
    let letters: Vec<char> = text.chars().collect();
    let at = dice.below(letters.len() as u64 + 1) as usize;
    let end = (at + dice.below(12) as usize).min(letters.len());
    let word = match dice.below(4) {
        0 => FIELDS[dice.below(FIELDS.len() as u64) as usize].name,
        1 => FUNCTIONS[dice.below(FUNCTIONS.len() as u64) as usize].name,
        2 => AGGREGATES[dice.below(AGGREGATES.len() as u64) as usize].name,
        _ => SNIPPETS[dice.below(SNIPPETS.len() as u64) as usize],
    };
    let (head, cut, tail): (String, String, String) =
        (letters[..at].iter().collect(), letters[at..end].iter().collect(), letters[end..].iter().collect());
    match dice.below(6) {
        0 => head + &tail,
        1 => head + &cut + &cut + &tail,
        2 => head + word + &tail,
        3 => head + " " + word + " " + &cut + &tail,
        4 => head + &cut.repeat(1 + dice.below(80) as usize) + &tail,
        // A piece of another query.
        _ => {
            let other = WHOLE[dice.below(WHOLE.len() as u64) as usize];
            let from = dice.below(other.len() as u64) as usize;
            head + &other[from..] + &tail
        }
    }
}

#[test]
fn no_text_can_do_harm() {
    let seconds = std::env::var("TABULA_FUZZ_SECONDS").map_or(1, |text| text.parse().unwrap());
    let seed = std::env::var("TABULA_SEED").map_or(1, |text| text.parse().unwrap());
    let until = Instant::now() + Duration::from_secs(seconds);
    let pgn = "[White \"A\"]\n1. e4 {+0.31/9} e5 {-0.20/9} 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0";
    let game = Game::from_pgn(&"x.pgn".into(), 1, PgnGame::parse(pgn).unwrap());
    let (mut trial, mut understood) = (0, 0);
    while trial < 2000 || Instant::now() < until {
        let mut dice = Dice::for_game(seed, trial);
        trial += 1;
        let mut text = dice.choose(&WHOLE).to_string();
        for _ in 0..=dice.below(4) {
            text = mutate(&text, &mut dice);
        }
        let asked = AssertUnwindSafe(|| match compile(&text) {
            Ok(plans) => {
                plans.iter().for_each(|plan| assert!(!plan.explain().is_empty()));
                // What reads no file and does not think long is run as well.
                let cheap = plans.iter().all(|plan| !plan.reads_files() && !plan.is_expensive());
                if cheap {
                    let _ = execute(&plans, &Limits::new(1000, 10_000), |_| {});
                }
                1
            }
            Err(problem) => {
                assert!(problem.span.start <= problem.span.end, "{problem:?}");
                assert!(!problem.render(&text).is_empty());
                0
            }
        });
        let outcome = catch_unwind(asked);
        understood += outcome.unwrap_or_else(|_| panic!("panicked (seed {seed}, trial {trial}): {text:?}"));
        if let Some((_, condition)) = text.split_once("where ") {
            let asked = AssertUnwindSafe(|| {
                if let Ok(filter) = Filter::parse(condition) {
                    let _ = filter.matches(&game, &Limits::new(1000, 10_000));
                }
            });
            assert!(catch_unwind(asked).is_ok(), "panicked (seed {seed}, trial {trial}): {condition:?}");
        }
    }
    println!("{trial} texts, {understood} of them understood");
    assert!(understood > trial / 100, "the fuzzer hardly ever reaches what comes after the parser");
}
