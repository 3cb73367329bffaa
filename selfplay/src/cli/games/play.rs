//! `selfplay play --game`: a person against the engine, in the terminal.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use engine::types::Color;
use selfplay::games::Game;
use selfplay::games::play::{GamePlayer, side_name};
use selfplay::games::player_spec::PlayerSpec;
use selfplay::games::registry::WithGame;
use selfplay::games::search::think;
use selfplay::play::Dice;

use super::GameName;

const HELP: &str = "\
an action as the game writes it plays it; moves lists them, hint asks the engine, go lets it move,
undo takes your last action back, view [NAME] draws the position, game writes all that was played, quit ends";

/// Play against the engine in the terminal.
///
/// Example: selfplay play --game dominions --engine self:weights=weights.toml,nodes=400 --side black
#[derive(Args)]
pub struct PlayArgs {
    /// The game: NAME or NAME:RULES
    #[arg(long, value_name = "GAME")]
    game: GameName,

    /// The opponent: self[:search=alphabeta|mcts|random,nodes=N,weights=FILE,book=FILE]
    #[arg(long, value_name = "PLAYER", default_value = "self")]
    engine: PlayerSpec,

    /// Which side you play; White begins
    #[arg(long, value_enum, default_value = "white")]
    side: Side,

    /// Play these actions first, separated by ';' or spaces
    #[arg(long, value_name = "ACTIONS", default_value = "")]
    from: String,

    /// Decides what is random in the engine's search
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Side {
    White,
    Black,
    /// Both: the engine moves only when asked.
    Both,
}

/// Runs the command.
pub fn run(args: PlayArgs) -> anyhow::Result<ExitCode> {
    args.game.clone().with(Work(args))
}

struct Work(PlayArgs);

impl WithGame for Work {
    type Output = anyhow::Result<ExitCode>;

    fn run<G: Game>(self, game: G) -> anyhow::Result<ExitCode> {
        let args = self.0;
        let engine = args.engine.load(&game, 1000)?;
        let mut table = Table::new(&game, engine, args.seed);
        for (number, text) in (1..).zip(args.from.split([';', ' ']).filter(|text| !text.is_empty())) {
            table.play(text).map_err(|reason| anyhow::anyhow!("--from, action {number}: {reason}"))?;
        }
        let person = match args.side {
            Side::White => Some(Color::White),
            Side::Black => Some(Color::Black),
            Side::Both => None,
        };
        table.converse(person, &mut io::stdin().lock(), &mut io::stdout().lock())?;
        Ok(ExitCode::SUCCESS)
    }
}

/// A game that is being played.
struct Table<'a, G: Game> {
    game: &'a G,
    engine: GamePlayer,
    dice: Dice,
    /// Before each action, and now.
    states: Vec<G::State>,
    actions: Vec<u16>,
}

impl<'a, G: Game> Table<'a, G> {
    fn new(game: &'a G, engine: GamePlayer, seed: u64) -> Table<'a, G> {
        let (states, actions) = (vec![game.start()], Vec::new());
        Table { game, engine, dice: Dice::for_game(seed, 0), states, actions }
    }

    fn now(&self) -> &G::State {
        &self.states[self.states.len() - 1]
    }

    fn apply(&mut self, action: u16) {
        let mut next = self.now().clone();
        self.game.apply(&mut next, action);
        self.states.push(next);
        self.actions.push(action);
    }

    fn play(&mut self, text: &str) -> Result<(), String> {
        if self.game.outcome(self.now()).is_some() {
            return Err("the game is over".to_string());
        }
        let action = self.game.parse_action(self.now(), text)?;
        self.apply(action);
        Ok(())
    }

    /// What the engine would do, in words, and the action.
    fn think(&mut self) -> (String, u16) {
        let GamePlayer { search, nodes, knowledge } = self.engine.clone();
        let state = self.states[self.states.len() - 1].clone();
        let thought = think(self.game, &state, search, &knowledge, nodes, &mut self.dice);
        let text = self.game.action_text(&state, thought.action);
        (format!("{text} ({:+}, {} nodes)", thought.value_stm, thought.nodes), thought.action)
    }

    /// Takes back to where this side was to move before.
    fn undo(&mut self, person: Option<Color>) -> bool {
        let mut left = self.actions.len();
        while left > 0 {
            left -= 1;
            let mover = self.game.mover(&self.states[left]);
            if person.is_none_or(|person| person == mover) {
                self.actions.truncate(left);
                self.states.truncate(left + 1);
                return true;
            }
        }
        false
    }

    fn written(&self) -> String {
        let texts = self
            .actions
            .iter()
            .zip(&self.states)
            .map(|(&action, state)| self.game.action_text(state, action));
        texts.collect::<Vec<_>>().join(";")
    }

    fn moves(&self) -> String {
        let mut actions = Vec::new();
        self.game.actions(self.now(), &mut actions);
        let shown = actions.iter().take(200).map(|&action| self.game.action_text(self.now(), action));
        format!("{} actions: {}", actions.len(), shown.collect::<Vec<_>>().join(" "))
    }

    fn converse(
        &mut self,
        person: Option<Color>,
        input: &mut impl BufRead,
        output: &mut impl Write,
    ) -> io::Result<()> {
        let game = self.game;
        writeln!(output, "{}\n{HELP}", game.diagram(self.now()))?;
        let mut lines = input.lines();
        loop {
            if let Some(outcome) = game.outcome(self.now()) {
                writeln!(output, "The game is over: {}. undo, game or quit.", outcome.pgn())?;
            } else if person.is_some_and(|person| person != game.mover(self.now())) {
                let (words, action) = self.think();
                let mover = side_name(game.mover(self.now()));
                self.apply(action);
                writeln!(output, "{mover} plays {words}\n{}", game.diagram(self.now()))?;
                continue;
            }
            write!(output, "{}> ", side_name(game.mover(self.now())))?;
            output.flush()?;
            let Some(line) = lines.next() else { return Ok(()) };
            let line = line?;
            let over = game.outcome(self.now()).is_some();
            match line.split_whitespace().collect::<Vec<_>>().as_slice() {
                [] => {}
                ["quit" | "q"] => return Ok(()),
                ["help"] => writeln!(output, "{HELP}\nviews: {}", G::VIEWS.join(", "))?,
                ["undo"] => match self.undo(person) {
                    true => writeln!(output, "{}", game.diagram(self.now()))?,
                    false => writeln!(output, "there is nothing to take back")?,
                },
                ["game"] => writeln!(output, "{}", self.written())?,
                ["view"] => writeln!(output, "{}", game.diagram(self.now()))?,
                ["view", name] if G::VIEWS.contains(name) => {
                    writeln!(output, "{}", game.view(self.now(), name))?
                }
                ["view", _] => writeln!(output, "there are the views {}", G::VIEWS.join(", "))?,
                ["moves"] if !over => writeln!(output, "{}", self.moves())?,
                ["hint"] if !over => writeln!(output, "{}", self.think().0)?,
                ["go"] if !over => {
                    let (words, action) = self.think();
                    self.apply(action);
                    writeln!(output, "{words}\n{}", game.diagram(self.now()))?;
                }
                _ => match self.play(line.trim()) {
                    Ok(()) => writeln!(output, "{}", game.diagram(self.now()))?,
                    Err(reason) => writeln!(output, "{reason}")?,
                },
            }
        }
    }
}
