//! `selfplay library`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, ensure};
use clap::{Args, Subcommand};
use rayon::prelude::*;
use selfplay::library::{Catalogue, Entry, Origin, Window};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  selfplay library add --library nights/library games/*.tgr --night 2026-11-18
  selfplay library list --library nights/library
  selfplay library take --library nights/library --least 20000 | xargs tune extract --out positions.tps
  selfplay library merge --library nights/library other-site/library
  selfplay library drop --library nights/library --night 2026-11-18 --reason 'a bug in the search'";

/// Keep a catalogue of game records: which there are, where they lie, and where they come from.
///
/// Records are named by a hash of their content and stay where they are. Catalogues of several sites merge in any order
/// to the same bytes. Records that are damaged or missing are named and left out; then the exit code is 1.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct LibraryArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Add records.
    Add(AddArgs),
    /// List all records, the newest first.
    List(ListArgs),
    /// Say how much there is.
    Stats(ListArgs),
    /// Name the records to learn from: the newest, more of them the more there are.
    Take(TakeArgs),
    /// Keep records out from now on; their files stay.
    Drop(DropArgs),
    /// Read every record again and name what is damaged or missing.
    Verify(ListArgs),
    /// Add all that other catalogues know.
    Merge(MergeArgs),
}

#[derive(Args)]
struct AddArgs {
    /// The catalogue; it is made if it is missing
    #[arg(long, value_name = "FILE", default_value = "library")]
    library: PathBuf,
    /// Game records
    #[arg(required = true, value_name = "FILE.tgr")]
    files: Vec<PathBuf>,
    /// The night that played them
    #[arg(long, value_name = "NAME", default_value = "")]
    night: String,
    /// The commit that the program was built from
    #[arg(long, value_name = "HASH", default_value = "")]
    commit: String,
    /// The champion of that time
    #[arg(long, value_name = "HASH", default_value = "")]
    champion: String,
    /// When they were played, in seconds since 1970 [default: now]
    #[arg(long, value_name = "SECONDS")]
    date: Option<u64>,
}

#[derive(Args)]
struct ListArgs {
    /// The catalogue
    #[arg(long, value_name = "FILE", default_value = "library")]
    library: PathBuf,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct TakeArgs {
    /// The catalogue
    #[arg(long, value_name = "FILE", default_value = "library")]
    library: PathBuf,
    /// Take all games while there are at most so many; of more, that many times (all / so many) to the power of ¾
    #[arg(long, value_name = "GAMES", default_value_t = 20_000)]
    least: u64,
    /// Write JSON: files with their hashes, and what was left out
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
#[command(group = clap::ArgGroup::new("which").required(true))]
struct DropArgs {
    /// The catalogue
    #[arg(long, value_name = "FILE", default_value = "library")]
    library: PathBuf,
    /// Hashes of records, as `list` shows them, or their beginnings
    #[arg(value_name = "HASH", group = "which")]
    hashes: Vec<String>,
    /// All records of a night
    #[arg(long, value_name = "NAME", group = "which")]
    night: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "dropped by hand")]
    reason: String,
}

#[derive(Args)]
struct MergeArgs {
    /// The catalogue that the others are added to; it is made if it is missing
    #[arg(long, value_name = "FILE", default_value = "library")]
    library: PathBuf,
    /// Other catalogues
    #[arg(required = true, value_name = "FILE")]
    others: Vec<PathBuf>,
}

/// Runs the command.
pub fn run(args: &LibraryArgs) -> anyhow::Result<ExitCode> {
    match &args.what {
        What::Add(args) => add(args),
        What::List(args) => list(args),
        What::Stats(args) => stats(args),
        What::Take(args) => take(args),
        What::Drop(args) => drop_records(args),
        What::Verify(args) => verify(args),
        What::Merge(args) => merge(args),
    }
}

/// 1 where something had to be left out.
fn exit_code(faults: usize) -> ExitCode {
    if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A catalogue that must be there.
fn open(path: &Path) -> anyhow::Result<Catalogue> {
    ensure!(
        path.exists(),
        "no library at {}; make one with: selfplay library add --library {0} FILE.tgr",
        path.display()
    );
    Ok(Catalogue::read(path)?)
}

fn add(args: &AddArgs) -> anyhow::Result<ExitCode> {
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let origin = Origin {
        date: args.date.unwrap_or_else(now),
        night: args.night.clone(),
        commit: args.commit.clone(),
        champion: args.champion.clone(),
    };
    let read = |path: &PathBuf| {
        let whole =
            std::path::absolute(path).with_context(|| format!("{}: no such place", path.display()))?;
        Ok::<_, anyhow::Error>(Entry::read(&whole, &origin)?)
    };
    let entries: Vec<anyhow::Result<Entry>> = args.files.par_iter().map(read).collect();
    let (mut whole, mut faults) = (Vec::new(), 0);
    for entry in entries {
        match entry {
            Ok(entry) => whole.push(entry),
            Err(error) => {
                faults += 1;
                eprintln!("selfplay: left out: {error:#}");
            }
        }
    }
    let (count, games): (usize, u64) = (whole.len(), whole.iter().map(|entry| entry.games).sum());
    if count > 0 {
        Catalogue::change(&args.library, |catalogue| {
            whole.into_iter().for_each(|entry| catalogue.add(entry))
        })?;
    }
    println!("{}: added {count} records, {games} games", args.library.display());
    Ok(exit_code(faults))
}

fn list(args: &ListArgs) -> anyhow::Result<ExitCode> {
    let catalogue = open(&args.library)?;
    if args.json {
        let entries: Vec<&Entry> = catalogue.entries().collect();
        println!("{}", serde_json::to_string_pretty(&entries)?);
        return Ok(ExitCode::SUCCESS);
    }
    println!("{:<10}  {:>10}  {:>8}  {:>9}  {:<20}  place", "hash", "date", "games", "labels", "night");
    for entry in catalogue.newest_first() {
        let place = entry.places.first().map_or("-", String::as_str);
        let Entry { hash, games, labels, origin, .. } = entry;
        println!(
            "{:<10}  {:>10}  {games:>8}  {labels:>9}  {:<20}  {place}",
            &hash[..hash.len().min(10)],
            origin.date,
            origin.night
        );
    }
    for entry in catalogue.entries().filter(|entry| !entry.is_kept()) {
        println!("{:<10}  dropped: {}", &entry.hash[..entry.hash.len().min(10)], entry.dropped);
    }
    Ok(ExitCode::SUCCESS)
}

fn stats(args: &ListArgs) -> anyhow::Result<ExitCode> {
    let catalogue = open(&args.library)?;
    let kept = catalogue.newest_first();
    let sum = |of: fn(&Entry) -> u64| kept.iter().map(|entry| of(entry)).sum::<u64>();
    let mut nights: Vec<&str> = kept.iter().map(|entry| entry.origin.night.as_str()).collect();
    nights.sort_unstable();
    nights.dedup();
    let (games, labels, bytes) =
        (sum(|entry| entry.games), sum(|entry| entry.labels), sum(|entry| entry.bytes));
    let other_starts = sum(|entry| entry.other_starts);
    let dropped = catalogue.entries().filter(|entry| !entry.is_kept()).count();
    if args.json {
        let figures = json!({
            "records": kept.len(), "nights": nights.len(), "games": games, "labels": labels, "bytes": bytes,
            "other_starts": other_starts, "dropped": dropped,
        });
        println!("{}", serde_json::to_string_pretty(&figures)?);
        return Ok(ExitCode::SUCCESS);
    }
    println!("records          {} of {} nights, {dropped} more dropped", kept.len(), nights.len());
    println!("games            {games}, {other_starts} of them not from the initial position");
    println!("labels           {labels}");
    println!("bytes            {bytes}");
    Ok(ExitCode::SUCCESS)
}

fn take(args: &TakeArgs) -> anyhow::Result<ExitCode> {
    let catalogue = Catalogue::read(&args.library)?;
    let taken = Window { least: args.least }.take(&catalogue);
    taken.faults.iter().for_each(|fault| eprintln!("selfplay: left out: {fault}"));
    if args.json {
        let files: Vec<_> = taken
            .records
            .iter()
            .map(|(entry, place)| json!({"file": place, "hash": entry.hash, "games": entry.games}))
            .collect();
        let told = json!({
            "files": files, "games": taken.games, "wanted": taken.wanted, "left_out": taken.faults,
        });
        println!("{}", serde_json::to_string_pretty(&told)?);
    } else {
        taken.records.iter().for_each(|(_, place)| println!("{place}"));
        eprintln!("selfplay: {} games, {} wanted", taken.games, taken.wanted);
    }
    Ok(exit_code(taken.faults.len()))
}

fn drop_records(args: &DropArgs) -> anyhow::Result<ExitCode> {
    open(&args.library)?;
    let wanted = |entry: &Entry| match &args.night {
        Some(night) => entry.origin.night == *night,
        None => args.hashes.iter().any(|hash| entry.hash.starts_with(hash.as_str())),
    };
    ensure!(args.hashes.iter().all(|hash| hash.len() >= 6), "give at least six characters of a hash");
    let count = Catalogue::change(&args.library, |catalogue| {
        let found: Vec<String> =
            catalogue.entries().filter(|entry| wanted(entry)).map(|entry| entry.hash.clone()).collect();
        found.iter().filter(|hash| catalogue.drop_record(hash, &args.reason)).count()
    })?;
    ensure!(count > 0, "no such record in {}; see: selfplay library list", args.library.display());
    println!("{}: dropped {count} records", args.library.display());
    Ok(ExitCode::SUCCESS)
}

fn verify(args: &ListArgs) -> anyhow::Result<ExitCode> {
    let catalogue = open(&args.library)?;
    let kept = catalogue.newest_first();
    // Every place is looked at, not only the first that is whole.
    let look = |entry: &&Entry| -> Vec<String> {
        let alone = |place: &String| Entry { places: [place.clone()].into(), ..(*entry).clone() };
        entry.places.iter().filter_map(|place| alone(place).find().err()).flatten().collect()
    };
    let faults: Vec<String> = kept.par_iter().flat_map_iter(look).collect();
    if args.json {
        println!("{}", serde_json::to_string_pretty(&json!({"records": kept.len(), "faults": faults}))?);
    } else {
        faults.iter().for_each(|fault| println!("DAMAGED {fault}"));
        println!("{} records, {} faults", kept.len(), faults.len());
    }
    Ok(exit_code(faults.len()))
}

fn merge(args: &MergeArgs) -> anyhow::Result<ExitCode> {
    let others: Vec<Catalogue> = args.others.iter().map(|path| open(path)).collect::<anyhow::Result<_>>()?;
    let count = Catalogue::change(&args.library, |catalogue| {
        others.into_iter().for_each(|other| catalogue.merge(other));
        catalogue.entries().count()
    })?;
    println!("{}: {count} records", args.library.display());
    Ok(ExitCode::SUCCESS)
}
