//! Fairy chess is right: published node counts, the engine's own, and the interpreter against the tables.

use engine::board::Board;
use selfplay::games::fairy::fen;
use selfplay::games::fairy::rules::How;
use selfplay::games::fairy::shipped;
use selfplay::games::fairy::variant::Variant;
use selfplay::play::Dice;
use std::sync::Arc;

/// A line of the published table with more nodes is left out: the whole test takes seconds.
const MOST_NODES: u64 = 1_200_000;

fn variant(name: &str) -> Arc<Variant> {
    shipped::open(name).unwrap_or_else(|reason| panic!("{reason}")).variant
}

fn perft(variant: &Variant, text: &str, depth: u32, how: How) -> u64 {
    let position = match text {
        "startpos" => Ok(variant.start.clone()),
        text => fen::parse(variant, text),
    };
    variant.perft(&mut position.unwrap_or_else(|reason| panic!("{text}: {reason}")), depth, how)
}

#[test]
fn chess_from_its_file_has_the_perft_of_the_engine() {
    let chess = variant("orthodox");
    let positions = [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4),
    ];
    for (text, depth) in positions {
        let expected = text.parse::<Board>().unwrap().perft(depth);
        assert_eq!(perft(&chess, text, depth, How::Compiled), expected, "{text}");
    }
}

/// Random games: in each position both find the same moves and the same checks, and undoing restores everything.
#[test]
fn tables_and_interpreter_find_the_same_in_every_variant() {
    for (number, (name, _)) in (0..).zip(shipped::SHIPPED) {
        let variant = variant(name);
        let mut dice = Dice::for_game(22, number);
        let mut position = variant.start.clone();
        for ply in 0..16 {
            let [mut fast, mut slow] = [How::Compiled, How::Interpreted].map(|how| {
                let mut plies = Vec::new();
                variant.possible(&mut position, how, &mut plies);
                plies
            });
            for plies in [&mut fast, &mut slow] {
                plies.sort_by(|one, other| one.rank().cmp(&other.rank()));
            }
            let text = fen::write(&variant, &position);
            assert_eq!(fast, slow, "{name}, ply {ply}, {text}");
            let side = position.side();
            let [quick, naive] =
                [How::Compiled, How::Interpreted].map(|how| variant.in_check(&position, side, how));
            assert_eq!(quick, naive, "{name}, ply {ply}, {text}");
            assert_eq!(fen::parse(&variant, &text).as_ref(), Ok(&position), "{name} {text}");
            let legal = variant.legal(&position, How::Compiled);
            if legal.is_empty() {
                break;
            }
            let before = position.clone();
            for one in &legal {
                let undo = variant.play_if_legal(&mut position, one, How::Compiled).unwrap();
                let reply = variant.in_check(&position, side, How::Interpreted);
                assert!(ply % 10 != 0 || !reply, "{name}: a royal piece could be taken, {text}");
                position.undo(&variant, &undo);
                assert_eq!(position, before, "{name}: undo, {text}");
            }
            let chosen = dice.choose(&legal);
            variant.play_if_legal(&mut position, &chosen, How::Compiled).unwrap();
        }
    }
}

/// The published table. `TABULA_PERFT_NODES` sets how many nodes a line may have.
#[test]
fn published_counts_come_out() {
    let shared = std::env::var("TABULA_SHARED").unwrap_or_else(|_| "../../shared/data".to_string());
    let path = std::path::Path::new(&shared).join("perft/fairy_variants.tsv");
    let Ok(table) = std::fs::read_to_string(&path) else {
        println!("skipped: there is no {}", path.display());
        return;
    };
    let most = std::env::var("TABULA_PERFT_NODES").map_or(MOST_NODES, |text| text.parse().unwrap());
    let (mut checked, mut too_long, mut faults) = (0, 0, Vec::new());
    for line in table.lines().skip(1) {
        let [name, text, depth, nodes, _] = line.split('\t').collect::<Vec<_>>()[..] else { continue };
        let name = if name == "chess" { "orthodox" } else { name };
        if !shipped::SHIPPED.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let nodes: u64 = nodes.parse().unwrap();
        if nodes > most {
            too_long += 1;
            continue;
        }
        checked += 1;
        let found = perft(&variant(name), text, depth.parse().unwrap(), How::Compiled);
        if found != nodes {
            faults.push(format!("{name} {text} {depth}: {found}, not {nodes}"));
        }
    }
    println!("{checked} lines agree or not, {too_long} are longer than {most} nodes");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(checked > 30, "{checked}");
}
