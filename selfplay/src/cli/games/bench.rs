//! `selfplay game-bench`.

use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use selfplay::games::Game;
use selfplay::games::player_spec::PlayerSpec;
use selfplay::games::registry::WithGame;
use selfplay::games::search::mcts::play_out;
use selfplay::games::search::think;
use selfplay::play::Dice;
use serde_json::json;

use super::GameName;

/// Measure how fast a game is played, searched and played out.
///
/// Example: selfplay game-bench --game dominions --playouts 2000
#[derive(Args)]
pub struct BenchArgs {
    /// The game: NAME or NAME:RULES
    #[arg(long, value_name = "GAME")]
    game: GameName,

    /// Random games to play
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    playouts: u64,

    /// The player whose search is measured
    #[arg(long, value_name = "PLAYER", default_value = "self")]
    engine: PlayerSpec,

    /// Nodes of each search
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,

    /// Write the figures as JSON to standard output
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: BenchArgs) -> anyhow::Result<ExitCode> {
    args.game.clone().with(Work(args))
}

struct Work(BenchArgs);

impl WithGame for Work {
    type Output = anyhow::Result<ExitCode>;

    fn run<G: Game>(self, game: G) -> anyhow::Result<ExitCode> {
        let args = self.0;
        let player = args.engine.load(&game, args.nodes)?;
        // Random games, kept, so that doing and listing actions can be timed without drawing them.
        let begun = Instant::now();
        let games: Vec<Vec<u16>> = (0..args.playouts).map(|id| random_game(&game, id)).collect();
        let drawing = begun.elapsed().as_secs_f64();
        let plies: u64 = games.iter().map(|actions| actions.len() as u64).sum();

        let begun = Instant::now();
        let mut keys = 0;
        for actions in &games {
            let mut state = game.start();
            actions.iter().for_each(|&action| game.apply(&mut state, action));
            keys ^= game.key(&state);
        }
        let applying = begun.elapsed().as_secs_f64();

        let begun = Instant::now();
        let (mut listed, mut list) = (0, Vec::new());
        for actions in games.iter().take(games.len().div_ceil(10)) {
            let mut state = game.start();
            for &action in actions {
                list.clear();
                game.actions(&state, &mut list);
                listed += list.len() as u64;
                game.apply(&mut state, action);
            }
        }
        let listing = begun.elapsed().as_secs_f64();

        let begun = Instant::now();
        let mut dice = Dice::for_game(3, 0);
        let won: f32 = (0..args.playouts).map(|_| play_out(&game, game.start(), &mut dice)).sum();
        let playing_out = begun.elapsed().as_secs_f64();

        let begun = Instant::now();
        let mut searched = 0;
        for actions in games.iter().take(5) {
            let mut state = game.start();
            for (ply, &action) in actions.iter().enumerate() {
                if ply % 8 == 2 {
                    searched +=
                        think(&game, &state, player.search, &player.knowledge, player.nodes, &mut dice).nodes;
                }
                game.apply(&mut state, action);
            }
        }
        let searching = begun.elapsed().as_secs_f64();

        let rate = |count: u64, seconds: f64| count as f64 / seconds.max(1e-9);
        let figures = json!({
            "game": args.game.0, "games": args.playouts, "plies": plies, "check": format!("{keys:016x}"),
            "white_mean": f64::from(won) / args.playouts as f64,
            "random_plies_a_second": rate(plies, drawing),
            "actions_done_a_second": rate(plies, applying),
            "nanoseconds_an_action": applying * 1e9 / plies.max(1) as f64,
            "actions_listed_a_second": rate(listed, listing),
            "playouts_a_second": rate(args.playouts, playing_out),
            "search_nodes_a_second": rate(searched, searching),
        });
        if args.json {
            println!("{}", serde_json::to_string_pretty(&figures)?);
        } else {
            println!("{} random games, {plies} plies", args.playouts);
            println!(
                "actions done: {:.0} a second ({:.0} ns each)",
                rate(plies, applying),
                applying * 1e9 / plies.max(1) as f64
            );
            println!("actions listed: {:.0} a second", rate(listed, listing));
            println!(
                "playouts: {:.0} a second ({:.0} plies a second)",
                rate(args.playouts, playing_out),
                rate(plies, drawing)
            );
            println!(
                "search ({}, {} nodes): {:.0} nodes a second",
                player.search.name(),
                player.nodes,
                rate(searched, searching)
            );
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn random_game<G: Game>(game: &G, id: u64) -> Vec<u16> {
    let mut dice = Dice::for_game(2, id);
    let mut state = game.start();
    let mut actions = Vec::new();
    while game.outcome(&state).is_none() {
        let action = game.random_action(&state, &mut dice);
        game.apply(&mut state, action);
        actions.push(action);
    }
    actions
}
