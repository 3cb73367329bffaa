//! Our engine against itself in process: repeatable, fair, and refused with a reason when set up wrongly.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use selfplay::Outcome;
use selfplay::arena::uci_player::Patience;
use selfplay::arena::{Adjudication, Format, MoveLimit, OpeningBook, Schedule, Tournament};

fn tournament(engines: [&str; 2], pairs: usize, concurrency: usize) -> Tournament {
    Tournament {
        engines: engines.map(|spec| spec.parse().unwrap()).to_vec(),
        schedule: Schedule::new(Format::Gauntlet, 2, pairs),
        book: OpeningBook::random(3),
        limit: MoveLimit::SoftNodes(300),
        growth_percent: 0,
        margin: Duration::from_millis(0),
        adjudication: Adjudication { max_moves: Some(60), ..Adjudication::default() },
        concurrency,
        patience: Patience::default(),
        chess960: false,
        log_directory: None,
    }
}

type Games = BTreeMap<usize, (Outcome, Vec<u16>)>;

fn play(tournament: &Tournament) -> Games {
    let stop = Arc::new(AtomicBool::new(false));
    let mut games = Games::new();
    tournament
        .run(&HashSet::new(), &stop, &mut |pairing, game| {
            let moves = game.moves.iter().map(|played| played.played.bits()).collect();
            games.insert(pairing.game, (game.outcome, moves));
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    games
}

#[test]
fn identical_players_repeat_their_games_and_share_the_points() {
    let engines = ["self:name=a", "self:name=b"];
    let alone = play(&tournament(engines, 6, 1));
    assert_eq!(alone.len(), 12);
    assert_eq!(alone, play(&tournament(engines, 6, 2)), "games do not depend on what runs beside them");
    // The same opening with colours reversed is the same game, so every pair is level.
    for pair in 0..6 {
        assert_eq!(alone[&(2 * pair)], alone[&(2 * pair + 1)], "pair {pair}");
    }
    let different: HashSet<&Vec<u16>> = alone.values().map(|(_, moves)| moves).collect();
    assert_eq!(different.len(), 6, "six openings, six games");
}

#[test]
fn a_style_makes_other_games_for_either_colour() {
    let plain = play(&tournament(["self:name=a", "self:name=b"], 3, 1));
    let styled = play(&tournament(["self:style=Tal,name=a", "self:name=b"], 3, 1));
    for game in 0..6 {
        assert_ne!(plain[&game].1, styled[&game].1, "game {game}");
    }
}

#[test]
fn wrong_set_ups_are_refused_with_a_reason() {
    let stop = Arc::new(AtomicBool::new(false));
    for (spec, part) in [
        ("self:weights=no/such/file.toml", "no/such/file.toml"),
        ("self:weights=Cargo.toml", "line"),
        ("self:style=Nobody", "neither a file nor one of Normal"),
        ("self:book=some.exp", "the Experience Book some.exp: "),
        ("self:hash=99999999999", "hash=99999999999"),
    ] {
        let error = tournament([spec, "self:name=b"], 1, 1).try_engines(&stop).unwrap_err();
        let message = format!("{:#}", anyhow::Error::from(error));
        assert!(message.contains(part), "{spec}: {message}");
    }
}
