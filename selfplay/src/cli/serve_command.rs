//! `selfplay serve`.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use engine::regular_file;
use selfplay::dashboard::{Dashboard, Place, export, guard::Guard, server};

const EXAMPLES: &str = "\
Examples:
  selfplay serve --nights nights                         open http://127.0.0.1:8787
  selfplay serve --nights nights --more matches          with the journals and records of another folder
  selfplay serve --nights nights --export public         the same pages as files; open public/index.html
  selfplay serve --nights nights --played played         keep the games that are played in the page, then
  selfplay learn --games played/*.tgl --book experience.exp
  selfplay serve --nights nights --address 0.0.0.0 --token-file secret    for others, who open it with ?token=…";

/// Show nights, matches and games in a browser, while they are played and afterwards.
///
/// The server answers this machine alone unless --address and --token-file say otherwise. It never writes into the folders
/// that it shows.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ServeArgs {
    /// The folder of all nights
    #[arg(long, value_name = "FOLDER", default_value = "nights")]
    nights: PathBuf,

    /// One more folder with journals of matches and tuning runs, and records of other games; may be repeated
    #[arg(long, value_name = "FOLDER")]
    more: Vec<PathBuf>,

    /// The port; 0 takes any that is free
    #[arg(long, value_name = "N", default_value_t = 8787)]
    port: u16,

    /// The address to answer on; any but this machine's own needs --token-file
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,

    /// A file with a secret of at least 16 letters and digits, which others must know
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// The most nodes of a search that a page asks for
    #[arg(long, value_name = "N", default_value_t = 2_000_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    analysis_nodes: u64,

    /// Keep games that are played in the page in this folder, for `selfplay learn`
    #[arg(long, value_name = "FOLDER")]
    played: Option<PathBuf>,

    /// Write the pages as files into this folder, and end
    #[arg(long, value_name = "FOLDER")]
    export: Option<PathBuf>,

    /// With --export: games of each set that get a page of their own
    #[arg(long, value_name = "N", default_value_t = 200, requires = "export")]
    export_games: usize,
}

/// Runs the command.
pub fn run(args: &ServeArgs) -> anyhow::Result<ExitCode> {
    let place = Place::open(&args.nights, &args.more).context(
        "--nights and --more name folders that are there; a first night makes one: scripts/nightly",
    )?;
    let dashboard = Dashboard::new(place, args.analysis_nodes, args.played.clone());
    if let Some(out) = &args.export {
        let done = export::export(&dashboard, out, args.export_games)?;
        println!(
            "{} files, {} games, {:.1} MB: open {}",
            done.files,
            done.games,
            done.bytes as f64 / 1e6,
            out.join("index.html").display()
        );
        return Ok(ExitCode::SUCCESS);
    }
    let token = args.token_file.as_ref().map(|path| {
        let text =
            regular_file::read_text(path).with_context(|| format!("--token-file {}", path.display()))?;
        anyhow::Ok(text.trim().to_string())
    });
    let address = SocketAddr::new(args.address, args.port);
    let guard = Guard::new(&address, token.transpose()?)?;
    let needs_token = guard.token.is_some();
    server::run(dashboard, guard, address, |address| {
        let more = if needs_token { "/?token=… (the secret of --token-file)" } else { "" };
        // Whoever started it may not want to know.
        let _ = writeln!(std::io::stdout(), "the dashboard: http://{address}{more}");
    })
    .with_context(|| format!("cannot serve on {address}; another --port may be free"))?;
    Ok(ExitCode::SUCCESS)
}
