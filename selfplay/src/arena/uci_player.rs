//! A player that is a UCI process.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use engine::Board;
use engine::types::{Color, Move};

use super::engine_score::EngineScore;
use super::engine_spec::{ProcessSpec, plain_name};
use super::fault::{Fault, NoMove};
use super::limit::MoveLimit;
use super::opening::Opening;
use super::player::{Choice, Player, Turn};
use super::self_player::SetupError;
use super::uci_process::UciProcess;

/// How patient to be with a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// For the answer to `uci` and the first `isready`.
    pub startup: Duration,
    /// For an answer that no clock limits, and for what comes after `stop` or `isready`.
    pub hang: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { startup: Duration::from_secs(10), hang: Duration::from_secs(60) }
    }
}

/// After the flag has fallen, how long an engine may take to obey `stop` before it counts as hung.
const GRACE_AFTER_STOP: Duration = Duration::from_secs(3);

/// Why an engine could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The process would not start.
    #[error("cannot start '{command}'")]
    Spawn {
        /// The command.
        command: String,
        /// Why.
        source: std::io::Error,
    },
    /// It started, and did not become ready.
    #[error("'{command}' does not answer as a UCI engine")]
    Handshake {
        /// The command.
        command: String,
        /// What it did.
        source: Fault,
    },
    /// An option that it does not have, or a value it does not take.
    #[error("'{command}': {reason}")]
    Option {
        /// The command.
        command: String,
        /// What is wrong.
        reason: String,
    },
    /// Our own engine cannot be set up as asked.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The match was stopped meanwhile.
    #[error("the match was stopped")]
    Stopped,
}

/// A UCI engine, ready to play.
pub struct UciPlayer {
    process: UciProcess,
    patience: Patience,
    chess960: bool,
    stop: Arc<AtomicBool>,
    /// The `position` command so far, grown move by move.
    position: String,
    /// How many of the game's moves are in `position`.
    moves_in_position: usize,
    /// What `id name` said.
    reported_name: Option<String>,
}

impl UciPlayer {
    /// Starts the process, shakes hands, sets the options and waits until it is ready.
    pub fn start(
        spec: &ProcessSpec,
        stderr_file: Option<PathBuf>,
        patience: Patience,
        chess960: bool,
        stop: Arc<AtomicBool>,
    ) -> Result<UciPlayer, StartError> {
        let command = spec.command.join(" ");
        let process = UciProcess::start(spec, stderr_file.as_deref())
            .map_err(|source| StartError::Spawn { command: command.clone(), source })?;
        let mut player = UciPlayer {
            process,
            patience,
            chess960,
            stop,
            position: String::new(),
            moves_in_position: 0,
            reported_name: None,
        };
        let failed = |failure: NoMove| match failure {
            NoMove::Stopped => StartError::Stopped,
            NoMove::Fault(source) => StartError::Handshake { command: command.clone(), source },
        };
        let offered = player.handshake().map_err(failed)?;
        let settings = settings(spec, &offered, chess960)
            .map_err(|reason| StartError::Option { command: command.clone(), reason })?;
        for setting in settings {
            player.process.send(&setting).map_err(|fault| failed(fault.into()))?;
        }
        player.wait_until_ready(patience.startup).map_err(failed)?;
        Ok(player)
    }

    /// What the engine calls itself.
    pub fn reported_name(&self) -> Option<&str> {
        self.reported_name.as_deref()
    }

    /// `uci` … `uciok`: the options on offer.
    fn handshake(&mut self) -> Result<Vec<OfferedOption>, NoMove> {
        self.process.send("uci")?;
        let deadline = Instant::now() + self.patience.startup;
        let mut offered = Vec::new();
        while let Some(line) = self.process.next_line(deadline, &self.stop)? {
            if line.text == "uciok" {
                return Ok(offered);
            }
            if let Some(name) = line.text.strip_prefix("id name ") {
                self.reported_name = Some(plain_name(name));
            }
            offered.extend(OfferedOption::parse(&line.text));
        }
        Err(Fault::Hang(format!("no uciok within {:?}", self.patience.startup)).into())
    }

    /// `isready` … `readyok`. Whatever was still on its way is read and forgotten.
    fn wait_until_ready(&mut self, patience: Duration) -> Result<(), NoMove> {
        self.process.send("isready")?;
        let deadline = Instant::now() + patience;
        while let Some(line) = self.process.next_line(deadline, &self.stop)? {
            if line.text == "readyok" {
                return Ok(());
            }
        }
        Err(Fault::Hang(format!("no readyok within {patience:?}")).into())
    }

    /// Brings the `position` command up to date.
    fn extend_position(&mut self, turn: &Turn) {
        for &m in &turn.moves[self.moves_in_position..] {
            if self.moves_in_position == 0 {
                self.position.push_str(" moves");
            }
            self.position.push(' ');
            self.position.push_str(&turn.board.uci(m, self.chess960));
            self.moves_in_position += 1;
        }
    }

    /// Reads until `bestmove`: the instant it came, its words, and the last score.
    fn read_answer(
        &mut self,
        deadline: Instant,
        info: &mut Info,
    ) -> Result<Option<(Instant, String)>, NoMove> {
        while let Some(line) = self.process.next_line(deadline, &self.stop)? {
            let mut words = line.text.split_whitespace();
            match words.next() {
                Some("info") => info.update(words),
                Some("bestmove") => return Ok(Some((line.at, words.next().unwrap_or("").to_string()))),
                // UCI asks to ignore what one does not know; it is in the log of recent traffic.
                _ => {}
            }
        }
        Ok(None)
    }
}

impl Player for UciPlayer {
    fn new_game(&mut self, opening: &Opening, _color: Color) -> Result<(), NoMove> {
        self.process.send("ucinewgame")?;
        self.wait_until_ready(self.patience.hang)?;
        self.position = match opening.fen() {
            Some(fen) => format!("position fen {fen}"),
            None => "position startpos".to_string(),
        };
        self.moves_in_position = 0;
        Ok(())
    }

    fn choose(&mut self, turn: &Turn) -> Result<Choice, NoMove> {
        // Off the clock: an answer to an earlier question cannot be taken for one to this.
        self.wait_until_ready(self.patience.hang)?;
        self.extend_position(turn);
        let position = std::mem::take(&mut self.position);
        let sent = self.process.send(&position);
        self.position = position;
        sent?;
        let go = go_command(turn);
        let asked = Instant::now();
        self.process.send(&go)?;

        let mut info = Info::default();
        // The flag falls exactly at the limit; the answer may still be on its way through the pipe.
        let patience =
            turn.forfeit_after.map_or(self.patience.hang, |limit| limit + Duration::from_millis(20));
        let mut answer = self.read_answer(asked + patience, &mut info)?;
        if answer.is_none() {
            // Too late in any case; an engine that still obeys is slow, one that does not is hung.
            self.process.send("stop")?;
            answer = self.read_answer(Instant::now() + GRACE_AFTER_STOP, &mut info)?;
            if answer.is_none() {
                return Err(Fault::Hang(format!("no bestmove within {:.1?}", asked.elapsed())).into());
            }
            if turn.forfeit_after.is_none() {
                let reason = format!("no bestmove within {patience:?}, only after stop");
                return Err(Fault::Hang(reason).into());
            }
        }
        let Some((at, word)) = answer else {
            return Err(Fault::Hang("no bestmove".to_string()).into());
        };
        let chosen = judge_move(turn.board, &word)?;
        let elapsed = at.saturating_duration_since(asked);
        Ok(Choice { chosen, elapsed, score: info.score, depth: info.depth, nodes: info.nodes })
    }

    fn recent_traffic(&self) -> String {
        self.process.recent_traffic()
    }
}

/// The move that `bestmove` named, or the fault that it is none.
fn judge_move(board: &Board, word: &str) -> Result<Move, Fault> {
    if let Ok(m) = board.parse_uci(word) {
        return Ok(m);
    }
    let shown: String = word.chars().take(40).collect();
    let looks_like_a_move = match word.as_bytes() {
        [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8', rest @ ..] => {
            matches!(rest, [] | [b'n' | b'b' | b'r' | b'q'])
        }
        _ => word == "0000" || word == "(none)",
    };
    Err(match looks_like_a_move {
        true => Fault::IllegalMove(format!("bestmove {shown}")),
        false => Fault::Garbage(format!("bestmove {shown}")),
    })
}

/// The `go` command of a turn.
fn go_command(turn: &Turn) -> String {
    match turn.limit {
        MoveLimit::MoveTime(time) => format!("go movetime {}", time.as_millis()),
        MoveLimit::Nodes(nodes) | MoveLimit::SoftNodes(nodes) => format!("go nodes {nodes}"),
        MoveLimit::Depth(depth) => format!("go depth {depth}"),
        MoveLimit::Clock(_) => {
            let mut go = String::from("go");
            for (color, letter) in [(Color::White, 'w'), (Color::Black, 'b')] {
                if let Some(clock) = turn.clock_of(color) {
                    // Some engines take a time of zero for "no clock".
                    let remaining = clock.remaining.as_millis().max(1);
                    go.push_str(&format!(
                        " {letter}time {remaining} {letter}inc {}",
                        clock.increment().as_millis()
                    ));
                }
            }
            if let Some(moves) = turn.own_clock().and_then(|clock| clock.moves_to_go()) {
                go.push_str(&format!(" movestogo {moves}"));
            }
            go
        }
    }
}

/// What the `info` lines of a search said last.
#[derive(Default)]
struct Info {
    score: Option<EngineScore>,
    depth: Option<u32>,
    nodes: Option<u64>,
}

impl Info {
    fn update<'a>(&mut self, mut words: impl Iterator<Item = &'a str>) {
        let (mut depth, mut nodes, mut score) = (None, None, None);
        while let Some(word) = words.next() {
            match word {
                "depth" => depth = words.next().and_then(|word| word.parse().ok()),
                "nodes" => nodes = words.next().and_then(|word| word.parse().ok()),
                "score" => {
                    let (unit, number) = (words.next(), words.next().and_then(|word| word.parse().ok()));
                    score = match (unit, number) {
                        (Some("cp"), Some(number)) => Some(EngineScore::Centipawns(number)),
                        (Some("mate"), Some(number)) => Some(EngineScore::Mate(number)),
                        _ => None,
                    };
                }
                // Of several lines only the best one counts.
                "multipv" if words.next() != Some("1") => return,
                // The rest of the line is moves or free text.
                "pv" | "string" | "refutation" | "currline" => break,
                _ => {}
            }
        }
        self.nodes = nodes.or(self.nodes);
        if score.is_some() {
            (self.score, self.depth) = (score, depth.or(self.depth));
        }
    }
}

/// An option that an engine offers.
struct OfferedOption {
    name: String,
    kind: String,
    /// Of a spin.
    range: Option<(i64, i64)>,
}

impl OfferedOption {
    /// From `option name … type … [min … max …]`; `None` if the line is something else.
    fn parse(line: &str) -> Option<OfferedOption> {
        let rest = line.strip_prefix("option name ")?;
        let (name, rest) = rest.split_once(" type ")?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        let after = |key: &str| {
            let at = words.iter().position(|&word| word == key)?;
            words.get(at + 1)?.parse::<i64>().ok()
        };
        let kind = words.first().copied().unwrap_or("string").to_string();
        let range = if kind == "spin" { after("min").zip(after("max")) } else { None };
        Some(OfferedOption { name: name.trim().to_string(), kind, range })
    }

    fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// What is wrong with a value.
    fn objection(&self, value: &str) -> Option<String> {
        match (self.kind.as_str(), self.range) {
            ("spin", Some((min, max))) => match value.parse::<i64>() {
                Ok(number) if (min..=max).contains(&number) => None,
                _ => Some(format!("option {} takes a number from {min} to {max}, not '{value}'", self.name)),
            },
            ("check", _) if !matches!(value, "true" | "false") => {
                Some(format!("option {} takes true or false, not '{value}'", self.name))
            }
            _ => None,
        }
    }
}

/// The `setoption` commands for a spec, or what is wrong with it: a misspelt option that is silently
/// ignored would spoil a whole match.
fn settings(spec: &ProcessSpec, offered: &[OfferedOption], chess960: bool) -> Result<Vec<String>, String> {
    let find = |name: &str| offered.iter().find(|option| option.is_named(name));
    let mut commands = Vec::new();
    // Nobody ponders here, and engines plan their time by this option.
    if find("Ponder").is_some() && !spec.options.iter().any(|(name, _)| name.eq_ignore_ascii_case("Ponder")) {
        commands.push("setoption name Ponder value false".to_string());
    }
    if chess960 {
        match find("UCI_Chess960") {
            Some(option) => commands.push(format!("setoption name {} value true", option.name)),
            None => return Err("it does not play Chess960 (no option UCI_Chess960)".to_string()),
        }
    }
    for (name, value) in &spec.options {
        let Some(option) = find(name) else {
            let names: Vec<&str> = offered.iter().map(|option| option.name.as_str()).collect();
            return Err(format!("no option '{name}'; it offers: {}", names.join(", ")));
        };
        if let Some(objection) = option.objection(value) {
            return Err(objection);
        }
        commands.push(match option.kind.as_str() {
            "button" => format!("setoption name {}", option.name),
            _ => format!("setoption name {} value {value}", option.name),
        });
    }
    Ok(commands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn info_lines_are_read_as_engines_write_them() {
        let mut info = Info::default();
        let mut read = |line: &str| info.update(line.split_whitespace());
        read(
            "depth 12 seldepth 13 multipv 1 score cp -29 nodes 45715 nps 443834 hashfull 15 tbhits 0 pv c7c5",
        );
        read("depth 12 multipv 2 score cp -900 nodes 1 pv a7a6");
        read("depth 13 currmove e2e4 currmovenumber 1");
        read("string score cp 77");
        read("multipv 1 depth 14 score mate -3 upperbound time 3 nodes 50000 pv score cp 1");
        read("score cp broken nodes x");
        assert_eq!(
            (info.score, info.depth, info.nodes),
            (Some(EngineScore::Mate(-3)), Some(14), Some(50000))
        );
    }

    #[test]
    fn options_are_checked_before_the_match() {
        let offered: Vec<OfferedOption> = [
            "option name Hash type spin default 16 min 1 max 1024",
            "option name Ponder type check default true",
            "option name Clear Hash type button",
            "option name Style type combo default Normal var Normal var Tal",
            "uciok",
        ]
        .iter()
        .filter_map(|line| OfferedOption::parse(line))
        .collect();
        assert_eq!(offered.len(), 4);
        let try_options = |options: &[(&str, &str)]| {
            let options = options.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
            settings(&ProcessSpec { command: vec![], directory: None, options }, &offered, false)
        };
        assert_eq!(
            try_options(&[("hash", "64"), ("Clear Hash", "")]).unwrap(),
            [
                "setoption name Ponder value false",
                "setoption name Hash value 64",
                "setoption name Clear Hash"
            ]
        );
        assert!(try_options(&[("Hahs", "64")]).unwrap_err().contains("it offers: Hash, Ponder"));
        assert!(try_options(&[("Hash", "2048")]).unwrap_err().contains("from 1 to 1024"));
        assert!(try_options(&[("Ponder", "no")]).unwrap_err().contains("true or false"));
    }

    #[test]
    fn bad_answers_are_told_apart() {
        let board = Board::start();
        assert!(judge_move(&board, "e2e4").is_ok());
        for illegal in ["e2e5", "0000", "(none)", "a7a8q"] {
            assert!(matches!(judge_move(&board, illegal), Err(Fault::IllegalMove(_))), "{illegal}");
        }
        for garbage in ["", "Nf3", "e2", "e2e4e5", "ä2e4", "e2e4k"] {
            assert!(matches!(judge_move(&board, garbage), Err(Fault::Garbage(_))), "{garbage}");
        }
    }
}
