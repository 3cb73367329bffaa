//! Every piece and modifier on positions worked out by hand; texts in and out; texts that are wrong.

use std::sync::Arc;
use std::time::{Duration, Instant};

use selfplay::games::fairy::betza;
use selfplay::games::fairy::modifier::{line_text, parse_line};
use selfplay::games::fairy::rules::How;
use selfplay::games::fairy::variant::Variant;
use selfplay::games::fairy::{fen, notation, shipped, variant_file};
use selfplay::play::Dice;

/// Chess with pieces X and Y of one's own, kings, rooks and pawns.
fn with(x: &str, y: &str) -> Arc<Variant> {
    let text = format!(
        "name = \"test\"\nstart = \"k7/8/8/8/8/8/8/7K w - -\"\n[pieces.K]\nroyal = true\nbetza = \"K\"\n[pieces.R]\nbetza = \
         \"R\"\n[pieces.P]\nbetza = \"mfWcfF\"\n[pieces.X]\n{x}\n[pieces.Y]\n{y}\n"
    );
    Arc::new(variant_file::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}")))
}

fn betza_x(piece: &str) -> Arc<Variant> {
    with(&format!("betza = \"{piece}\""), "betza = \"W\"")
}

fn lines_x(lines: &[&str]) -> Arc<Variant> {
    with(&format!("moves = {lines:?}"), "betza = \"W\"")
}

/// Destinations of the legal moves from a square, sorted; tables and interpreter agree.
fn goes(variant: &Variant, text: &str, from: &str) -> String {
    let position = fen::parse(variant, text).unwrap_or_else(|reason| panic!("{text}: {reason}"));
    let src = variant.geometry.parse(from).unwrap();
    let [fast, slow] = [How::Compiled, How::Interpreted].map(|how| {
        let mut found: Vec<String> = variant
            .legal(&position, how)
            .iter()
            .filter(|ply| ply.src == src)
            .map(|ply| variant.geometry.name(ply.dest))
            .collect();
        found.sort();
        found.dedup();
        found.join(" ")
    });
    assert_eq!(fast, slow, "{text} {from}");
    fast
}

/// The board after a move.
fn after(variant: &Variant, text: &str, action: &str) -> String {
    let mut position = fen::parse(variant, text).unwrap();
    let legal = variant.legal(&position, How::Compiled);
    let number =
        notation::parse(variant, &position, &legal, action).unwrap_or_else(|reason| panic!("{reason}"));
    variant.play_if_legal(&mut position, &legal[number], How::Compiled).unwrap();
    fen::board_text(variant, &position)
}

fn shipped_variant(name: &str) -> Arc<Variant> {
    shipped::open(name).unwrap().variant
}

#[test]
fn leapers_riders_and_ranges() {
    let on = |piece: &str| goes(&betza_x(piece), "8/8/8/8/3X4/8/8/k6K w - -", "d4");
    assert_eq!(on("N"), "b3 b5 c2 c6 e2 e6 f3 f5");
    assert_eq!(on("W"), "c4 d3 d5 e4");
    assert_eq!(on("fFbW"), "c5 d3 e5");
    assert_eq!(on("R2"), "b4 c4 d2 d3 d5 d6 e4 f4");
    assert_eq!(on("ffNbsN"), "b3 c6 e6 f3");
    assert_eq!(on("NN"), "b3 b5 b8 c2 c6 e2 e6 f3 f5 f8 h2 h6");
    assert_eq!(on("DA"), "b2 b4 b6 d2 d6 f2 f4 f6");
    assert_eq!(on("H"), "a4 d1 d7 g4");
    assert_eq!(on("L"), "a3 a5 c1 c7 e1 e7 g3 g5");
    assert_eq!(on("Z"), "a2 a6 b1 b7 f1 f7 g2 g6");
}

#[test]
fn capture_only_move_only_and_own_pieces() {
    let both = betza_x("mRcN");
    assert_eq!(goes(&both, "8/8/2r1P3/3r4/2rX4/8/8/k6K w - -", "d4"), "c6 d1 d2 d3 e4 f4 g4 h4");
    assert_eq!(goes(&betza_x("W"), "8/8/8/3r4/3XP3/8/8/k6K w - -", "d4"), "c4 d3 d5");
}

#[test]
fn lame_pieces_are_stopped_and_falcons_find_another_way() {
    assert_eq!(goes(&betza_x("nN"), "8/8/8/3p4/3X4/8/8/k6K w - -", "d4"), "b3 b5 c2 e2 f3 f5");
    assert_eq!(goes(&betza_x("nA"), "8/8/8/4p3/3X4/8/8/k6K w - -", "d4"), "b2 b6 f2");
    let falcon = lines_x(&["walk 1,3 any ff | nohop | replace | nofriendly"]);
    assert_eq!(goes(&falcon, "8/8/8/3pp3/3X4/8/8/k6K w - -", "d4"), "c7");
    assert_eq!(goes(&falcon, "8/8/8/3p4/3X4/8/8/k6K w - -", "d4"), "c7 e7");
}

#[test]
fn hoppers() {
    let rank = "8/8/8/8/X1p1p2p/8/8/k6K w - -";
    assert_eq!(goes(&betza_x("mRcpR"), rank, "a4"), "a2 a3 a5 a6 a7 a8 b4 e4");
    assert_eq!(goes(&betza_x("gR"), rank, "a4"), "d4");
    let locust = lines_x(&["leap 0,1 | extend * nowrap | hop 1 | behind | locust"]);
    assert_eq!(goes(&locust, rank, "a4"), "d4");
    assert_eq!(after(&locust, rank, "a4d4"), "8/8/8/8/3Xp2p/8/8/k6K");
    let two = lines_x(&["leap 0,1 | extend * nowrap | hop 2 | replace | nofriendly"]);
    assert_eq!(goes(&two, rank, "a4"), "f4 g4 h4");
    let marine = shipped_variant("marine");
    let rook = goes(&marine, "1k7/9/9/9/9/9/9/R2p4K w - -", "a1");
    assert!(!rook.contains("d1") && rook.contains("e1"), "{rook}");
}

#[test]
fn cylinders_circles_zigzags_and_bends() {
    assert_eq!(goes(&betza_x("oW"), "8/8/8/8/X7/8/8/3k3K w - -", "a4"), "a3 a5 b4 h4");
    let rose = goes(&betza_x("qN"), "8/8/8/8/8/8/8/k2X3K w - -", "d1");
    let circle = ["b2", "c3", "e3", "f2", "a4", "g4", "b6", "f6", "d7", "d1"];
    assert!(circle.iter().all(|to| rose.contains(to)), "it may come back: {rose}");
    let zigzag = "a2 a6 a8 b1 b3 b5 b7 c4 d3 d5 e4 f3 f5 g4 h3 h5";
    assert_eq!(goes(&betza_x("zB"), "8/8/8/8/X7/8/8/3k3K w - -", "a4"), zigzag);
    let gryphon = goes(&betza_x("t[FR]"), "8/8/8/8/X7/8/8/3k3K w - -", "a4");
    assert_eq!(gryphon, "b1 b2 b3 b5 b6 b7 b8 c3 c5 d3 d5 e3 e5 f3 f5 g3 g5 h3 h5");
}

#[test]
fn riders_on_skis() {
    let on = |how: &str| {
        let line = format!("leap 0,1 r | extend * nowrap | {how} | nohop | replace | nofriendly");
        goes(&lines_x(&[&line]), "8/8/8/8/Xp5p/8/8/3k3K w - -", "a4")
    };
    assert_eq!(on("ski"), "c4 d4 e4 f4 g4 h4");
    assert_eq!(on("skip"), "c4 e4 g4");
    assert_eq!(on("slip"), "b4");
    assert_eq!(on("atleast 3"), "");
}

#[test]
fn shooters_iron_pieces_and_destruction() {
    let shooter =
        lines_x(&["leap 0,1 | extend 2 nowrap | nohop | replace | nofriendly | capture-only | shoot"]);
    let text = "8/8/8/3p4/3X1p2/8/8/k6K w - -";
    assert_eq!(after(&shooter, text, "d4d4xd5"), "8/8/8/8/3X1p2/8/8/k6K");
    let position = fen::parse(&shooter, text).unwrap();
    let legal = shooter.legal(&position, How::Compiled);
    let message = notation::parse(&shooter, &position, &legal, "d4d4").unwrap_err();
    assert!(message.contains("d4d4xd5") && message.contains("d4d4xf4"), "{message}");
    let iron = with("betza = \"W\"\niron = true", "betza = \"W\"");
    assert_eq!(goes(&iron, "1k6/8/8/8/R2x4/8/8/7K w - -", "a4"), "a1 a2 a3 a5 a6 a7 a8 b4 c4");
    let raze = lines_x(&["leap 0,1 r | extend * nowrap | raze | nofriendly"]);
    assert_eq!(after(&raze, "8/8/8/8/XpPp4/8/8/k6K w - -", "a4e4"), "8/8/8/8/2P1X3/8/8/k6K");
}

#[test]
fn lions_demons_jokers_and_men() {
    let lion = shipped_variant("lion");
    assert_eq!(after(&lion, "8/8/4p3/3p4/3L4/8/8/k6K w - -", "d4e6xd5"), "8/8/4L3/8/8/8/8/k6K");
    assert_eq!(after(&lion, "8/8/8/3p4/3L4/8/8/k6K w - -", "d4d4xd5"), "8/8/8/8/3L4/8/8/k6K");
    let demon = shipped_variant("demon");
    assert_eq!(after(&demon, "8/5n2/4pbp1/8/8/2D5/8/k6K w - -", "c3e5"), "8/5n2/6p1/4D3/8/8/8/k6K");
    assert_eq!(
        after(&demon, "2d5/8/8/8/8/8/8/k1R4K w - -", "c1c7"),
        "2d5/8/8/8/8/8/8/k6K",
        "burns passively"
    );
    let joker = shipped_variant("joker");
    assert_eq!(goes(&joker, "8/8/8/8/3J4/8/8/k6K w - - 0 1 last=-n", "d4"), "b3 b5 c2 c6 e2 e6 f3 f5");
    assert_eq!(goes(&joker, "8/8/8/8/3J4/8/8/k6K w - -", "d4"), "");
    let men = shipped_variant("checkers");
    assert_eq!(after(&men, "8/8/3p4/8/3p4/2P5/8/k6K w - -", "c3c7"), "8/2P5/8/8/8/8/8/k6K");
    assert_eq!(goes(&men, "8/8/3p4/8/3p4/2P5/8/k6K w - -", "c3"), "b4 c7 e5");
}

#[test]
fn baroque() {
    let game = shipped_variant("baroque");
    let to = |text: &str, action: &str| after(&game, text, action);
    assert_eq!(to("k7/8/8/2Pp4/8/4P3/8/7K w - -", "e3e5"), "k7/8/8/2P1P3/8/8/8/7K", "pincer");
    assert_eq!(to("k7/8/8/2pW4/8/8/8/7K w - -", "d5f5"), "k7/8/8/5W2/8/8/8/7K", "withdrawer");
    assert_eq!(to("k7/8/8/8/L1p1p3/8/8/7K w - -", "a4f4"), "k7/8/8/8/5L2/8/8/7K", "long-leaper");
    assert!(!goes(&game, "k7/8/8/8/L1pp4/8/8/7K w - -", "a4").contains("e4"), "no leap over two in a row");
    assert_eq!(to("k7/8/8/8/O6p/8/8/7K w - -", "a4a7"), "k7/O7/8/8/7p/8/8/7K", "no corner");
    assert_eq!(to("k7/7p/8/8/O7/8/8/p6K w - -", "a4a7"), "k7/O7/8/8/8/8/8/7K", "coordinator: both corners");
    assert_eq!(goes(&game, "k7/8/8/8/3iP3/8/8/7K w - -", "e4"), "", "immobiliser");
    assert_eq!(
        to("k7/8/8/2wX4/8/8/8/7K w - -", "d5f5"),
        "k7/8/8/5X2/8/8/8/7K",
        "chameleon withdraws from withdrawers"
    );
    assert_eq!(to("k7/8/8/2pX4/8/8/8/7K w - -", "d5f5"), "k7/8/8/2p2X2/8/8/8/7K", "and from nobody else");
    assert_eq!(goes(&game, "k7/8/8/8/3iX3/3x4/8/6K1 w - -", "e4"), "", "an immobiliser freezes a chameleon");
    assert_eq!(goes(&game, "k7/8/8/8/3xI3/8/8/6K1 w - -", "e4"), "", "a chameleon freezes an immobiliser");
}

#[test]
fn alice_and_marseillais() {
    let alice = shipped_variant("alice");
    let start = fen::write(&alice, &alice.start);
    assert_eq!(
        after(&alice, &start, "e2e4'"),
        "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR|8/8/8/8/4P3/8/8/8"
    );
    // The rook cannot go where the other board is occupied, though its own board is free.
    let text = "k7/8/8/8/R7/8/8/7K|8/8/8/8/3p4/8/8/8 w - -";
    assert!(!goes(&alice, text, "a4").contains("d4'") && goes(&alice, text, "a4").contains("c4'"));
    // A king that is attacked on its board before it goes over.
    assert!(!goes(&alice, "k5r1/8/8/8/8/8/8/7K|8/8/8/8/8/8/8/8 w - -", "h1").contains("g1'"));
    let double = shipped_variant("marseillais");
    let mut position = double.start.clone();
    let mut sides = Vec::new();
    for action in ["e2e4", "e7e6", "d7d6", "f1b5"] {
        sides.push(position.side());
        let legal = double.legal(&position, How::Compiled);
        let number = notation::parse(&double, &position, &legal, action).unwrap();
        double.play_if_legal(&mut position, &legal[number], How::Compiled).unwrap();
    }
    assert_eq!((sides, position.side()), (vec![0, 1, 1, 0], 1), "the check ends the turn");
}

#[test]
fn goals() {
    use selfplay::Outcome;
    let reached = |name: &str, text: &str| {
        let variant = shipped_variant(name);
        let position = fen::parse(&variant, text).unwrap();
        variant.goal_reached(&position)
    };
    assert_eq!(reached("kingofthehill", "8/8/8/8/3K4/8/8/k7 b - -"), Some(Outcome::WhiteWins));
    assert_eq!(reached("3check", "8/8/8/8/3K4/8/8/k7 b - - 0+3"), Some(Outcome::WhiteWins));
    assert_eq!(reached("shatranj", "8/8/8/8/3K4/8/7R/k7 b - -"), Some(Outcome::WhiteWins));
    assert_eq!(reached("breakthrough", "P7/8/8/8/8/8/8/7p b - -"), Some(Outcome::WhiteWins));
    assert_eq!(reached("horde", "k7/8/8/8/8/8/8/8 w - -"), Some(Outcome::BlackWins));
    assert_eq!(reached("orthodox", "k7/8/8/8/8/8/8/K7 w - -"), None);
}

#[test]
fn notation_goes_out_and_in_again() {
    let pieces = [
        "K", "Q", "R", "B", "N", "WF", "mfWcfF", "gQ", "qN", "zB", "oR", "NN", "t[FR]", "t[WB]", "mRcpR",
        "nN", "nA", "R4", "mNcB", "fFmfW", "WDA", "FL", "ffNbsN", "qN3", "cfFmW", "t[WBN]",
    ];
    for piece in pieces {
        let lines = betza::parse(piece).unwrap();
        let text = betza::write(&lines).unwrap_or_else(|| panic!("{piece} has no words"));
        assert_eq!(betza::parse(&text).unwrap(), lines, "{piece} became {text}");
    }
    for (name, _) in shipped::SHIPPED {
        let variant = shipped_variant(name);
        for line in variant.pieces.iter().flat_map(|piece| &piece.lines) {
            let text = line_text(line, &variant.letters());
            assert_eq!(
                parse_line(&text, &variant.letters(), variant.geometry).as_ref(),
                Ok(line),
                "{name}: {text}"
            );
        }
        let legal = variant.legal(&variant.start, How::Compiled);
        for (number, ply) in legal.iter().enumerate() {
            let text = notation::write(&variant, &variant.start, &legal, ply);
            assert_eq!(
                notation::parse(&variant, &variant.start, &legal, &text),
                Ok(number),
                "{name}: {text}"
            );
        }
    }
}

#[test]
fn errors_point_at_the_character() {
    for (text, at, reason) in [
        ("", 0, "needs an atom"),
        ("fX", 1, "no atom"),
        ("xN", 0, "no prefix"),
        ("mcN", 0, "exclude each other"),
        ("Nmm", 2, "twice"),
        ("R99", 1, "no number of steps"),
        ("t[FR", 4, "not closed"),
        ("tF", 1, "brackets"),
        ("t[F]", 0, "two legs"),
        ("fé", 1, "no atom"),
        ("nQ", 0, "lame"),
    ] {
        let error = betza::parse(text).unwrap_err();
        assert!(error.at == at && error.reason.contains(reason), "{text}: {error}");
    }
    for (text, at, reason) in [
        ("leap 1,2 | extand 0", 11, "no modifier"),
        ("leap 1,2 | extend 0", 18, "nowrap or cylinder"),
        ("leap | nohop", 0, "needs an offset"),
        ("leap 1,2 x", 9, "no direction"),
        ("leap 1,2 | replace of Z", 22, "has the letter"),
        ("nohop", 0, "begins with"),
        ("leap 1,2 || nohop", 10, "missing"),
    ] {
        let error = parse_line(text, &['K'], shipped_variant("orthodox").geometry).unwrap_err();
        assert!(error.at == at && error.reason.contains(reason), "{text}: {error}");
    }
}

#[test]
fn errors_in_files_name_the_line() {
    let chess = shipped::SHIPPED.iter().find(|file| file.0 == "orthodox").unwrap().1;
    for (old, new, reason) in [
        ("name = \"orthodox\"", "", "no name"),
        ("betza = \"N\"", "betza = \"NX\"", "character 2"),
        ("royal = true", "royal = 1", "true or false"),
        ("promotes_to = \"NBRQ\"", "promotes_to = \"NBRZ\"", "no piece 'Z'"),
        ("e1-g1", "e1-g2", "two squares of a rank"),
        ("RNBQKBNR w", "RNBQKBN w", "7 files"),
        ("[pieces.N]", "[pieces.Nn]", "no letter"),
        ("RNBQKBNR w", "RNBQQBNR w", ""),
        ("betza = \"K\"", "beza = \"K\"", "no entry 'beza'"),
    ] {
        let text = chess.replacen(old, new, 1);
        assert_ne!(text, chess, "{old}");
        match variant_file::parse(&text) {
            Ok(_) => assert!(reason.is_empty(), "{old} became {new}"),
            Err(error) => assert!(error.to_string().contains(reason) && error.line > 0, "{new}: {error}"),
        }
    }
    let message = shipped::open("no-such-file.toml").err().unwrap();
    assert!(message.contains("cannot read no-such-file.toml") && message.contains("capablanca"), "{message}");
}

/// Any text is read or refused. `TABULA_FUZZ_SECONDS` sets for how long.
#[test]
fn no_text_can_do_harm() {
    let seconds = std::env::var("TABULA_FUZZ_SECONDS").map_or(2, |text| text.parse().unwrap());
    let until = Instant::now() + Duration::from_secs(seconds);
    let marks: Vec<char> = "WFDNAHLZGKBRQfblrvsmcnpgoqzt[]0129é ".chars().collect();
    let words = [
        "leap",
        "1,2",
        "0,1",
        "walk",
        "any",
        "extend",
        "*",
        "0",
        "31",
        "nowrap",
        "cylinder",
        "circular",
        "crooked",
        "|",
        "|",
        "|",
        "nohop",
        "hop",
        "1",
        "1-3",
        "behind",
        "replace",
        "of",
        "KP",
        "nofriendly",
        "jumps",
        "shoot",
        "rank",
        "zone",
        "a1-h8",
        "z9",
        "é",
        "outward",
        "ski",
        "locust",
        "pincer",
        "leapover",
        "raze",
    ];
    let variant = shipped_variant("orthodox");
    let mut trial = 0;
    while trial < 300 || Instant::now() < until {
        let mut dice = Dice::for_game(14, trial);
        trial += 1;
        let text: String = (0..dice.below(12)).map(|_| dice.choose(&marks)).collect();
        if let Ok(lines) = betza::parse(&text)
            && let Some(again) = betza::write(&lines)
        {
            assert_eq!(betza::parse(&again), Ok(lines), "{text}");
        }
        let line: Vec<&str> = (0..dice.below(12)).map(|_| dice.choose(&words)).collect();
        let _ = parse_line(&line.join(" "), &['K', 'P'], variant.geometry);
        let mut bytes: Vec<char> = fen::write(&variant, &variant.start).chars().collect();
        for _ in 0..=dice.below(4) {
            let place = dice.below(bytes.len() as u64) as usize;
            bytes[place] = dice.choose(&['9', '/', 'K', 'é', ' ', '-', '+', 'e', '3', '\'', '=']);
        }
        let _ = fen::parse(&variant, &bytes.iter().collect::<String>());
        if trial % 50 == 0 {
            damaged_file(&mut dice);
        }
    }
}

/// A shipped file with some characters changed: read or refused, and playable if it was read.
fn damaged_file(dice: &mut Dice) {
    let (_, text) = shipped::SHIPPED[dice.below(shipped::SHIPPED.len() as u64) as usize];
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..=dice.below(3) {
        let place = dice.below(letters.len() as u64) as usize;
        letters[place] = dice.choose(&['9', '"', 'K', 'é', '\n', '[', '=', '1', '*', '|', 'q', 'z', ',']);
    }
    if let Ok(variant) = variant_file::parse(&letters.iter().collect::<String>()) {
        assert!(!variant.legal(&variant.start, How::Compiled).is_empty());
    }
}
