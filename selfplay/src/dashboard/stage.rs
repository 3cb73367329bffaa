//! The stages of a night: which are done, which runs, how far it is. Read from what the night publishes, so that it is the
//! same for a night of this machine and of a cluster, and for one that ended long ago.

use serde_json::{Value, json};

use super::place::Folder;

/// A night's stages in their order, as `scripts/night/stages.py` has them; the last ones come once.
const STAGES: [&str; 11] = [
    "openings", "generate", "merge", "library", "learn", "extract", "tune", "gate", "verdict", "promote",
    "rate",
];
const FINAL: [&str; 2] = ["ship", "report"];
/// A log that grew within so many seconds belongs to a process that is alive, wherever it runs.
const ALIVE: f64 = 90.0;

/// What a night was asked to do, as far as its pages need it.
pub struct Plan {
    /// Rounds of play, learn, tune, judge.
    pub generations: u64,
    /// What is tried against the champion.
    pub arms: Vec<String>,
    /// Kinds of games: for the weights, for the book.
    pub kinds: Vec<&'static str>,
    /// All settings.
    pub settings: Value,
}

impl Plan {
    /// From a manifest.
    pub fn of(manifest: &Value) -> Plan {
        let settings = manifest["settings"].clone();
        let text = settings["arms"].as_str().unwrap_or("weights,book,both");
        let arms: Vec<String> = text.split(',').map(str::to_string).collect();
        let mut kinds = Vec::new();
        if arms.iter().any(|arm| arm != "book") {
            kinds.push("games");
        }
        if arms.iter().any(|arm| arm != "weights") {
            kinds.push("lines");
        }
        Plan { generations: settings["generations"].as_u64().unwrap_or(1).min(10_000), arms, kinds, settings }
    }

    /// A number among the settings.
    pub fn number(&self, name: &str) -> u64 {
        self.settings[name].as_u64().unwrap_or(0)
    }
}

/// A task of a stage: its mark, and the log it writes.
struct Task {
    mark: Vec<String>,
    log: String,
    /// Games that it plays, at most.
    games: u64,
}

fn folder(generation: u64) -> String {
    format!("generation-{generation}")
}

/// What a stage of a generation consists of.
fn tasks(plan: &Plan, stage: &str, generation: u64) -> Vec<Task> {
    let place = folder(generation);
    let one = |mark: &[&str], log: String| {
        vec![Task { mark: mark.iter().map(|part| part.to_string()).collect(), log, games: 0 }]
    };
    match stage {
        "openings" => one(&["openings"], "openings".to_string()),
        "generate" => shards(plan, generation),
        "gate" => gates(plan, generation),
        "verdict" => (plan.arms.iter())
            .flat_map(|arm| one(&[&place, "gate", arm, "verdict.json"], format!("gate-{generation}-{arm}")))
            .collect(),
        "library" => one(&[&place, "library.json"], format!("library-{generation}")),
        "ship" => one(&["ship"], "ship".to_string()),
        "report" => one(&["finished.json"], "report".to_string()),
        "promote" => one(&[&place, "promote"], format!("outsider-{generation}")),
        name => one(&[&place, name], format!("{name}-{generation}")),
    }
}

fn shards(plan: &Plan, generation: u64) -> Vec<Task> {
    let shards = plan.number("shards").clamp(1, 1000);
    let of_kind = |kind: &'static str| {
        let all = plan.number(if kind == "games" { "games" } else { "line_games" });
        (0..shards).map(move |shard| Task {
            mark: vec![folder(generation), kind.to_string(), format!("shard-{}.json", shard + 1)],
            log: format!("generate-{generation}-{kind}-{}", shard + 1),
            games: all * (shard + 1) / shards - all * shard / shards,
        })
    };
    plan.kinds.iter().flat_map(|&kind| of_kind(kind)).collect()
}

fn gates(plan: &Plan, generation: u64) -> Vec<Task> {
    let shards = plan.number("gate_shards").clamp(1, 1000);
    let of_arm = |arm: &String| {
        let arm = arm.clone();
        (0..shards).map(move |shard| Task {
            mark: vec![folder(generation), "gate".to_string(), format!("{arm}-shard-{}.json", shard + 1)],
            log: format!("gate-{generation}-{arm}-{}", shard + 1),
            games: plan.number("gate_games") / shards,
        })
    };
    plan.arms.iter().flat_map(of_arm).collect()
}

/// The stages of a night as its page shows them, and whether a process is at work.
pub fn states(night: &Folder, manifest: &Value, now: f64) -> (Vec<Value>, bool) {
    let plan = Plan::of(manifest);
    let finished = night.has(&["finished.json"]);
    let mut rows = Vec::new();
    for generation in 1..=plan.generations {
        rows.extend(STAGES.iter().map(|stage| state(night, &plan, stage, generation, now)));
    }
    rows.extend(FINAL.iter().map(|stage| state(night, &plan, stage, plan.generations, now)));
    let is_alive =
        !finished && (is_locked(night) || newest_log(night).is_some_and(|time| now - time < ALIVE));
    // What runs is the first stage that is not done, unless several shards say so themselves.
    let first = rows.iter().position(|row| row["done"] != row["tasks"]);
    if let (true, Some(first)) = (is_alive, first) {
        rows[first]["runs"] = json!(true);
    }
    (rows, is_alive)
}

fn state(night: &Folder, plan: &Plan, stage: &str, generation: u64, now: f64) -> Value {
    let tasks = tasks(plan, stage, generation);
    let is_done = |task: &Task| night.has(&task.mark.iter().map(String::as_str).collect::<Vec<_>>());
    let done = tasks.iter().filter(|task| is_done(task)).count();
    let mut row = json!({
        "stage": stage, "generation": if FINAL.contains(&stage) { Value::Null } else { json!(generation) },
        "done": done, "tasks": tasks.len(), "runs": false,
    });
    let clock = clock(night, stage, generation, tasks.len(), now);
    row["seconds"] = json!(clock.seconds);
    row["cpu"] = json!(clock.cpu);
    row["begun"] = json!(clock.begun);
    if done < tasks.len() {
        row["progress"] = progress(night, &tasks, &is_done);
    }
    row
}

/// What the night's clock says of a stage (`times/`, one small file a task).
#[derive(Default)]
struct Clock {
    begun: Option<f64>,
    seconds: Option<f64>,
    cpu: Option<f64>,
}

fn clock(night: &Folder, stage: &str, generation: u64, tasks: usize, now: f64) -> Clock {
    let mut clock = Clock::default();
    for task in 0..tasks {
        let name = format!("{stage}-{generation}-{task}.json");
        let told = night.json_or_null(&["times", &name]);
        let Some(begun) = told["begun"].as_f64() else { continue };
        clock.begun = Some(clock.begun.map_or(begun, |before| before.min(begun)));
        let seconds = told["ended"].as_f64().unwrap_or(now) - begun;
        clock.seconds = Some(clock.seconds.unwrap_or(0.0) + seconds.max(0.0));
        if let Some(cpu) = told["cpu"].as_f64() {
            clock.cpu = Some(clock.cpu.unwrap_or(0.0) + cpu);
        }
    }
    clock
}

/// How many games of a stage are played, and what the last line of a log says of their speed and of the test.
fn progress(night: &Folder, tasks: &[Task], is_done: &dyn Fn(&Task) -> bool) -> Value {
    let (mut played, mut all, mut said) = (0, 0, None);
    for task in tasks.iter().filter(|task| task.games > 0) {
        all += task.games;
        if is_done(task) {
            played += task.games;
        } else if let Ok(log) = night.tail(&["logs", &format!("{}.log", task.log)])
            && let Some((games, words)) = last_count(&log)
        {
            played += games.min(task.games);
            said = Some(words.to_string());
        }
    }
    match all {
        0 => Value::Null,
        _ => json!({"games": played, "of": all, "says": said}),
    }
}

/// The last line such as `60 games: 9.92 games/s, …`, behind the last command of the log.
fn last_count(log: &str) -> Option<(u64, &str)> {
    let lines = log.lines().rev().take_while(|line| !line.starts_with("$ "));
    let mut counts = lines.filter_map(|line| {
        let (number, words) = line.split_once(" games: ")?;
        Some((number.trim().parse().ok()?, words.trim()))
    });
    counts.next()
}

fn newest_log(night: &Folder) -> Option<f64> {
    let logs = night.names(&["logs"]);
    logs.iter().filter_map(|name| night.changed(&["logs", name])).max_by(f64::total_cmp)
}

/// Whether a process of this machine holds the night's lock. Read from the system: to try the lock would hold it.
#[cfg(target_os = "linux")]
fn is_locked(night: &Folder) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Ok(lock) = night.file(&["lock"]) else { return false };
    let (Ok(of_file), Ok(locks)) = (std::fs::metadata(lock), std::fs::read_to_string("/proc/locks")) else {
        return false;
    };
    let inode = format!(":{}", of_file.ino());
    locks.lines().any(|line| line.split_whitespace().any(|word| word.ends_with(&inode)))
}

#[cfg(not(target_os = "linux"))]
fn is_locked(_night: &Folder) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_count_of_a_log() {
        let log =
            "$ selfplay generate\n10 games: 5.00 games/s\n20 games: 9.92 games/s, 100 positions/s\nother\n";
        assert_eq!(last_count(log), Some((20, "9.92 games/s, 100 positions/s")));
        assert_eq!(last_count("30 games: old\n$ selfplay generate\n"), None);
    }
}
