//! `tune` as people use it: files in, files out, and what it says when something is wrong.

mod common;

use std::io::Write;
use std::process::{Command, Stdio};

use common::{epd, fields, pgn, samples, text, tune, write};
use engine::eval::WeightsFile;

/// A quick fit of a few weights.
const QUICK: [&str; 6] = ["--only", "piece_value", "--only", "tempo", "--max-iters", "20"];

fn with(file: &str, more: &[&str]) -> Vec<String> {
    ["--texel", file].iter().chain(&QUICK).chain(more).map(|text| (*text).to_owned()).collect()
}

fn run(directory: &std::path::Path, file: &str, more: &[&str]) -> std::process::Output {
    let arguments = with(file, more);
    tune(directory, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn the_same_weights_from_one_and_two_threads_to_the_last_digit() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let directory = directory.path();
    // Several chunks, every weight, and scores to fit a K to.
    let mut lines = String::new();
    for sample in samples(30_000, 11) {
        let score = common::material(&sample.board);
        let score = if sample.board.side_to_move() == engine::types::Color::White { score } else { -score };
        lines += &format!("{} c9 \"{}\"; ce {score};\n", fields(&sample.board), pgn(sample.result));
    }
    write(directory, "p.epd", lines);
    let out = |threads: &str, name: &str| {
        let output =
            tune(directory, &["--texel", "p.epd", "--threads", threads, "--out", name, "--max-iters", "8"]);
        assert!(output.status.success(), "{}", text(&output));
        std::fs::read_to_string(directory.join(name)).expect("weights were written")
    };
    let (one, two) = (out("1", "one.toml"), out("2", "two.toml"));
    assert_eq!(one, two);
    let file = WeightsFile::parse(&one).unwrap_or_else(|error| panic!("{error}"));
    let header = file.header;
    assert_eq!(header.positions, 30_000);
    assert!(
        header.loss < header.loss_before && header.k.is_some() && header.data_hash.is_some(),
        "{header:?}"
    );
    assert!(header.labels.is_some_and(|labels| labels.starts_with("0.5 result + 0.5 score")));
}

#[test]
fn every_form_of_label_and_every_packing_gives_the_same_weights() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let directory = directory.path();
    let samples = samples(2_000, 5);
    let lines = |form: fn(&str, f64) -> String| -> String {
        samples.iter().map(|sample| form(&fields(&sample.board), sample.result) + "\n").collect()
    };
    let plain = lines(|position, result| format!("{position} c9 \"{}\";", pgn(result)));
    write(directory, "c9.epd", &plain);
    write(directory, "bracket.epd", lines(|position, result| format!("{position} 0 1 [{result:.1}]")));
    write(
        directory,
        "letter.epd",
        lines(|position, result| {
            format!(
                "{position};{}",
                if result == 1.0 {
                    "w"
                } else if result == 0.5 {
                    "d"
                } else {
                    "b"
                }
            )
        }),
    );
    write(directory, "pgn.epd", lines(|position, result| format!("{position} pgn={result}")));
    write(directory, "windows.epd", plain.replace('\n', "\r\n"));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(plain.as_bytes()).expect("memory");
    write(directory, "c9.epd.gz", gzip.finish().expect("memory"));
    write(directory, "c9.epd.zst", zstd::encode_all(plain.as_bytes(), 1).expect("memory"));
    let weights = |file: &str| {
        let output = run(directory, file, &["--out", "out.toml"]);
        assert!(output.status.success(), "{file}: {}", text(&output));
        let text = std::fs::read_to_string(directory.join("out.toml")).expect("weights were written");
        WeightsFile::parse(&text).unwrap_or_else(|error| panic!("{error}")).params
    };
    let expected = weights("c9.epd");
    for file in ["bracket.epd", "letter.epd", "pgn.epd", "windows.epd", "c9.epd.gz", "c9.epd.zst"] {
        assert_eq!(weights(file), expected, "{file}");
    }

    let arguments = with("-", &["--out", "pipe.toml"]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_tune"))
        .current_dir(directory)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("tune starts");
    child.stdin.take().expect("a pipe").write_all(plain.as_bytes()).expect("tune reads");
    assert!(child.wait().expect("tune ends").success());
    let text = std::fs::read_to_string(directory.join("pipe.toml")).expect("weights were written");
    assert_eq!(WeightsFile::parse(&text).unwrap_or_else(|error| panic!("{error}")).params, expected);
}

/// Positions with every `every`-th line spoiled.
fn spoiled(every: usize) -> String {
    let rubbish = [
        "hello",
        "8/8/8/8/8/8/8/8 w - - c9 \"1-0\";",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
        "\u{fffd}\u{0}",
    ];
    epd(&samples(3_000, 9))
        .lines()
        .enumerate()
        .map(|(number, line)| {
            let line =
                if number % every == every - 1 { rubbish[number / every % rubbish.len()] } else { line };
            format!("{line}\n")
        })
        .collect()
}

#[test]
fn one_line_of_a_hundred_may_be_rubbish_and_is_shown() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    write(directory.path(), "p.epd", spoiled(100));
    let output = run(directory.path(), "p.epd", &[]);
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("2970 positions") && said.contains("30 bad lines"), "{said}");
    assert!(said.contains("p.epd line 100: field 1") || said.contains("p.epd line 100:"), "{said}");
    assert!(said.contains("line 300: no result and no score"), "{said}");
    assert!(said.contains("… and 20 more"), "{said}");
}

#[test]
fn one_of_ten_may_not() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    write(directory.path(), "p.epd", spoiled(10));
    let output = run(directory.path(), "p.epd", &[]);
    let said = text(&output);
    assert!(!output.status.success());
    assert!(said.contains("300 of 3000 lines cannot be used") && said.contains("line 10:"), "{said}");
    assert!(run(directory.path(), "p.epd", &["--max-bad", "20%"]).status.success());
}

#[test]
fn files_without_positions_say_what_is_expected() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (name, content) in [("empty.epd", ""), ("blank.epd", "\n\n# nothing\n")] {
        write(directory.path(), name, content);
        let output = run(directory.path(), name, &[]);
        let said = text(&output);
        assert!(!output.status.success());
        assert!(said.contains(&format!("no positions in {name}")) && said.contains("c9"), "{said}");
        assert!(!directory.path().join("tuned.toml").exists());
    }
    let said = text(&run(directory.path(), "missing.epd", &[]));
    assert!(said.contains("missing.epd: No such file"), "{said}");
    // A file cut off in the middle of its compression.
    let packed = zstd::encode_all(epd(&samples(500, 1)).as_bytes(), 1).expect("memory");
    write(directory.path(), "cut.epd.zst", &packed[..packed.len() / 2]);
    let output = run(directory.path(), "cut.epd.zst", &[]);
    assert!(!output.status.success() && text(&output).contains("cut.epd.zst: "), "{}", text(&output));
}

#[test]
fn labels_from_the_wrong_side_are_noticed() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let directory = directory.path();
    let samples = samples(4_000, 2);
    let line = |sample: &common::Sample, result: f64| format!("{} [{result}]\n", fields(&sample.board));
    let turned: String = samples.iter().map(|sample| line(sample, 1.0 - sample.result)).collect();
    write(directory, "black.epd", turned);
    let by_mover: String = samples
        .iter()
        .map(|sample| {
            let white = sample.board.side_to_move() == engine::types::Color::White;
            line(sample, if white { sample.result } else { 1.0 - sample.result })
        })
        .collect();
    write(directory, "stm.epd", by_mover);
    let said = text(&run(directory, "black.epd", &[]));
    assert!(said.contains("the value of the pieces would come out negative"), "{said}");
    assert!(said.contains("--result-side black"), "{said}");
    let said = text(&run(directory, "stm.epd", &[]));
    assert!(
        said.contains("material would come out worthless") && said.contains("--result-side stm"),
        "{said}"
    );
    assert!(run(directory, "black.epd", &["--result-side", "black"]).status.success());
    assert!(run(directory, "stm.epd", &["--result-side", "stm"]).status.success());
    // All the same: nothing to learn.
    write(directory, "draws.epd", samples.iter().map(|sample| line(sample, 0.5)).collect::<String>());
    let said = text(&run(directory, "draws.epd", &[]));
    assert!(said.contains("every label is 0.5"), "{said}");
}

#[test]
fn many_tethers_are_tried_with_one_load_and_evidence_is_handed_on() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let directory = directory.path();
    write(directory, "p.epd", epd(&samples(3_000, 6)));
    let fitted = |more: &[&str]| -> serde_json::Value {
        let all = ["--texel", "p.epd", "--max-iters", "3", "--report-share", "10%", "--json"];
        let output = tune(directory, &[&all, more].concat());
        assert!(output.status.success(), "{}", text(&output));
        serde_json::from_slice(&output.stdout).expect("JSON and nothing else")
    };
    let both = fitted(&["--l2", "1e-5,1e-2", "--evidence", "evidence.json"]);
    assert_eq!(both["tried"].as_array().map(Vec::len), Some(2));
    let alone = ["1e-5", "1e-2"].map(|l2| fitted(&["--l2", l2])["loss_after"]["held_out"].as_f64());
    let least = alone.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(both["loss_after"]["held_out"].as_f64(), Some(least), "{alone:?}");
    assert!(both["reported"].as_u64() > Some(200) && both["loss_after"]["reported"].is_f64());
    assert_eq!(both["positions"], 3_000);

    let next = fitted(&[
        "--l2",
        "1e-5",
        "--prior",
        "evidence.json",
        "--prior-share",
        "0.5",
        "--evidence",
        "next.json",
    ]);
    assert_eq!(next["tried"][1]["tie"]["prior_share"], 0.5);
    let sum = |name: &str| -> f64 {
        let text = std::fs::read_to_string(directory.join(name)).expect("evidence");
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")["positions"].as_f64().expect("a sum")
    };
    assert_eq!(sum("next.json"), 1.5 * sum("evidence.json"));

    write(directory, "evidence.json", "{\"positions\": 1, \"curvature\": []}");
    let refused = tune(directory, &["--texel", "p.epd", "--prior", "evidence.json"]);
    assert!(text(&refused).contains("fit without --prior"), "{}", text(&refused));
    let refused = tune(directory, &["--texel", "p.epd", "--l2", "1e-5,1e-2", "--holdout", "0%"]);
    assert!(text(&refused).contains("no positions held out to choose by"), "{}", text(&refused));
}

#[test]
fn a_report_has_all_its_pages_and_compare_tells_the_rest() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let directory = directory.path();
    write(directory, "p.epd", epd(&samples(3_000, 6)));
    let output =
        tune(directory, &["--texel", "p.epd", "--max-iters", "3", "--report", "report", "--l2", "1e-4"]);
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("positions are few for"), "{said}");
    let page = std::fs::read_to_string(directory.join("report/index.html")).expect("a page");
    for name in
        ["loss", "moved", "calibration", "phase", "mobility", "squares_mg", "squares_eg", "squares_before_mg"]
    {
        assert!(page.contains(&format!("{name}.svg")), "{name}");
        let picture =
            std::fs::read_to_string(directory.join(format!("report/{name}.svg"))).expect("a picture");
        assert!(
            picture.starts_with("<svg") && picture.ends_with("</svg>\n") && !picture.contains("NaN"),
            "{name}"
        );
    }
    let kept = std::fs::read_to_string(directory.join("report/fit.json")).expect("figures");
    let kept: serde_json::Value = serde_json::from_str(&kept).expect("JSON");
    let output = tune(
        directory,
        &["--texel", "p.epd", "--max-iters", "3", "--l2", "1e-4", "--json", "--threads", "1"],
    );
    assert!(output.status.success(), "{}", text(&output));
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    for figures in [&kept, &said] {
        assert_eq!(figures["positions"], 3_000);
        assert_eq!(figures["curve"].as_array().map(Vec::len), Some(4), "the start and three iterations");
        let names = figures["weights"].as_array().expect("weights");
        assert_eq!(names.len(), engine::eval::EvalParams::COUNT);
        assert_eq!(names[0]["field"], "piece_value");
        assert!(figures["calibration"][0]["predicted"].is_f64() && figures["phases"][0]["error"].is_f64());
    }
    assert_eq!(kept["weights"], said["weights"], "the same on one thread");
    assert_eq!(kept["loss_after"], said["loss_after"]);

    let output = tune(directory, &["compare", "default", "tuned.toml"]);
    assert!(output.status.success() && text(&output).contains("weights differ"), "{}", text(&output));
    let said = text(&tune(directory, &["compare", "default", "default"]));
    assert!(said.starts_with("0 of "), "{said}");
    let said = text(&tune(directory, &["compare", "default", "p.epd"]));
    assert!(said.contains("weights p.epd: line 1"), "{said}");
}

#[test]
fn frozen_weights_stay_and_names_are_checked() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let directory = directory.path();
    write(directory, "p.epd", epd(&samples(2_000, 8)));
    let output =
        tune(directory, &["--texel", "p.epd", "--only", "piece_value", "--freeze", "piece_value[0]"]);
    assert!(output.status.success(), "{}", text(&output));
    let written = std::fs::read_to_string(directory.join("tuned.toml")).expect("weights were written");
    let (tuned, start) =
        (WeightsFile::parse(&written).expect("weights").params, engine::eval::EvalParams::embedded());
    assert_eq!((tuned.piece_value[0], tuned.tempo), (start.piece_value[0], start.tempo));
    assert_ne!(tuned.piece_value[4], start.piece_value[4]);
    let said = text(&tune(directory, &["--texel", "p.epd", "--only", "piece_valeu"]));
    assert!(said.contains("`piece_valeu` matches no weight"), "{said}");
    let said = text(&tune(directory, &["--texel", "p.epd", "--holdout", "100%"]));
    assert!(said.contains("something must be left to fit to"), "{said}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_fit_keeps_its_best_and_goes_on_and_so_does_a_killed_one() {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let directory = directory.path();
    write(directory, "p.epd", epd(&samples(20_000, 4)));
    // Adam: it would run for minutes.
    let endless =
        ["--texel", "p.epd", "--optimizer", "adam", "--max-iters", "1000000", "--patience", "1000000"];
    let start = |out: &str| {
        Command::new(env!("CARGO_BIN_EXE_tune"))
            .current_dir(directory)
            .args(endless)
            .args(["--out", out])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("tune starts")
    };
    let wait_for = |name: &str| {
        for _ in 0..1_200 {
            if directory.join(name).exists() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("{name} never came");
    };
    let child = start("a.toml");
    wait_for("a.toml.checkpoint");
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).expect("it runs");
    let output = child.wait_with_output().expect("it ends");
    let said = text(&output);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("--resume a.toml.checkpoint") && said.contains("interrupted"), "{said}");
    let written = std::fs::read_to_string(directory.join("a.toml")).expect("weights were written");
    assert!(WeightsFile::parse(&written).is_ok());
    let output = tune(
        directory,
        &["--texel", "p.epd", "--resume", "a.toml.checkpoint", "--out", "b.toml", "--max-iters", "3"],
    );
    assert!(output.status.success(), "{}", text(&output));

    let mut child = start("c.toml");
    wait_for("c.toml.checkpoint");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert!(!directory.join("c.toml").exists());
    let output = tune(
        directory,
        &["--texel", "p.epd", "--resume", "c.toml.checkpoint", "--out", "c.toml", "--max-iters", "3"],
    );
    assert!(output.status.success(), "{}", text(&output));
    assert!(!directory.join("c.toml.checkpoint").exists(), "a finished fit leaves none behind");
    write(directory, "broken.checkpoint", "{");
    let said = text(&tune(directory, &["--texel", "p.epd", "--resume", "broken.checkpoint"]));
    assert!(said.contains("broken.checkpoint") && said.contains("start again without --resume"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let pipe = "\"$0\" compare hand material --all | head -n 1";
    let shell = Command::new("sh").args(["-c", pipe, env!("CARGO_BIN_EXE_tune")]).output().expect("sh runs");
    assert_eq!(String::from_utf8_lossy(&shell.stderr), "", "no panic, no message");
}
