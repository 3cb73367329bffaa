//! The dashboard's server from outside: what it answers, and what it refuses.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const HOSTILE: &str = "<script>alert(1)</script>";

/// A server with a night of one gate, ended when the test ends.
struct Server {
    child: Child,
    address: String,
    _house: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A night as small as it can be, with a secret beside it and a link that leads there.
fn make_night(house: &Path) {
    let night = house.join("nights/one");
    let gate = night.join("generation-1/gate/both");
    fs::create_dir_all(&gate).unwrap();
    fs::create_dir_all(night.join("logs")).unwrap();
    fs::write(house.join("secret.log"), "a secret").unwrap();
    let manifest = r#"{"format":2,"begun":1,"commit":null,"start":{},"library":{"games":0},
        "settings":{"generations":1,"arms":"both","games":4,"line_games":2,"shards":1,"gate_games":4,"nodes":100,
        "sprt":"elo0=0,elo1=15"}}"#;
    fs::write(night.join("manifest.json"), manifest).unwrap();
    fs::write(night.join("logs/tune-1.log"), format!("$ tune\n{HOSTILE}\n")).unwrap();
    let pgn = format!(
        "[White \"{HOSTILE}\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 {{+0.20/8 0.1s}} e5 {{-0.10/7 0.1s}} 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n\n"
    );
    fs::write(gate.join("nodes.pgn"), pgn).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(house.join("secret.log"), night.join("logs/leak.log")).unwrap();
}

fn serve(more: &[&str]) -> Server {
    let house = tempfile::tempdir().unwrap();
    make_night(house.path());
    let mut child = Command::new(env!("CARGO_BIN_EXE_selfplay"))
        .args(["serve", "--port", "0", "--nights"])
        .arg(house.path().join("nights"))
        .args(more)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).unwrap().split('/').next().unwrap().trim().to_string();
    Server { child, address, _house: house }
}

impl Server {
    fn raw(&self, text: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // A connection that is cut ends the answer too.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str) -> String {
        self.raw(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address))
    }

    fn post(&self, path: &str, body: &str) -> String {
        self.raw(&format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.address,
            body.len()
        ))
    }
}

#[test]
fn pages_are_answered_and_nothing_else() {
    let server = serve(&[]);
    assert!(server.get("/").starts_with("HTTP/1.1 200") && server.get("/").contains("default-src 'none'"));
    assert!(server.get("/data/overview.json").contains("\"name\":\"one\""));
    assert!(server.get("/data/night/one.json").contains("gate-1-both"));
    let games = server.get("/data/games/one/gate-1-both/0.json");
    assert!(
        games.contains("application/json") && games.contains("<script>alert(1)"),
        "data stay as they are"
    );
    let game = server.get("/data/game/one/gate-1-both/0.json");
    assert!(game.contains("Qxf7#") && game.contains("\"depth\":8"));
    assert!(server.get("/data/log/one/tune-1.log.json").contains("alert"));
    let hostile = [
        "/../secret.log",
        "/data/log/one/leak.log.json",
        "/data/log/one/..%2f..%2f..%2fsecret.log.json",
        "/data/log/one/%2e%2e/secret.json",
        "/data/log/../one/x.json",
        "/archive/one/..%2fmanifest.json",
        "/data/log/one%00/x.json",
        "/data/night/%252e%252e.json",
        "/assets/..%2fmod.rs",
        "/assets/../mod.rs",
        "/data/games/one/gate-1-..%2f..%2f..%2f/0.json",
        "/data/other/0~..~secret.log/0.json",
        "/report/..",
        "/data/game/one/gate-1-both/99999999999999999999.json",
        "/data/%ff.json",
        "/data/%.json",
    ];
    for path in hostile {
        let answer = server.get(path);
        assert!(answer.starts_with("HTTP/1.1 4"), "{path}: {answer}");
        assert!(!answer.contains("a secret"), "{path}");
    }
}

#[test]
fn other_sites_get_nothing() {
    let server = serve(&[]);
    let bent =
        server.raw("GET /data/overview.json HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    assert!(bent.starts_with("HTTP/1.1 403"), "{bent}");
    let body = "{}";
    let form = server.raw(&format!(
        "POST /play HTTP/1.1\r\nHost: {}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        server.address,
        body.len()
    ));
    assert!(form.starts_with("HTTP/1.1 400"), "{form}");
    let refused = Command::new(env!("CARGO_BIN_EXE_selfplay"))
        .args(["serve", "--address", "0.0.0.0", "--port", "0", "--nights", "."])
        .output()
        .unwrap();
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--token-file"));
}

#[test]
fn a_token_opens_the_door() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    fs::write(&secret, "0123456789abcdef\n").unwrap();
    let server = serve(&["--token-file", secret.to_str().unwrap()]);
    assert!(server.get("/").starts_with("HTTP/1.1 403"));
    assert!(server.get("/?token=0123456789abcdeX").starts_with("HTTP/1.1 403"));
    let opened = server.get("/?token=0123456789abcdef");
    assert!(opened.starts_with("HTTP/1.1 200") && opened.contains("HttpOnly; SameSite=Strict"));
}

#[test]
fn a_game_is_played_and_the_engine_is_bounded() {
    let server = serve(&["--analysis-nodes", "5000"]);
    let played = server.post("/play", r#"{"moves":["e2e4"],"level":1200,"style":"Tal","engine_moves":true}"#);
    assert!(played.contains("\"plies\":[") && played.contains("\"number\":1"), "{played}");
    for body in [
        r#"{"moves":["e2e5"]}"#,
        r#"{"fen":"not a position"}"#,
        r#"{"moves":[1]}"#,
        "{",
        "[]x",
        r#"{"style":"<b>","engine_moves":true}"#,
    ] {
        assert!(server.post("/play", body).starts_with("HTTP/1.1 400"), "{body}");
    }
    let large = format!("{{\"fen\":\"{}\"}}", "x".repeat(100_000));
    assert!(!server.post("/play", &large).starts_with("HTTP/1.1 200"));
    assert!(server.post("/record", r#"{"moves":["e2e4"],"resigned":1}"#).contains("--played"));
    let analysis = server.get("/analyse?nodes=999999999999&lines=99&fen=startpos");
    let last = analysis.rsplit("data: ").next().unwrap();
    let nodes = last.split("\"nodes\":").nth(1).unwrap().trim_end_matches(|c: char| !c.is_ascii_digit());
    let nodes: u64 = nodes.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap();
    assert!(nodes <= 6000, "{nodes} nodes of 5000: {last}");
}

#[test]
fn clients_that_hang_or_flood_do_not_keep_others_out() {
    let server = serve(&[]);
    // Half a request each, and never the rest.
    let hanging: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.address).unwrap();
            stream.write_all(b"GET /data/over").unwrap();
            stream
        })
        .collect();
    let begun = Instant::now();
    for _ in 0..20 {
        assert!(server.get("/data/overview.json").starts_with("HTTP/1.1 200"));
    }
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    drop(hanging);
}

#[test]
fn an_export_is_whole_and_spares_what_is_not_its_own() {
    let house = tempfile::tempdir().unwrap();
    make_night(house.path());
    let export = |out: &str| {
        Command::new(env!("CARGO_BIN_EXE_selfplay"))
            .args(["serve", "--nights"])
            .arg(house.path().join("nights"))
            .arg("--export")
            .arg(house.path().join(out))
            .output()
            .unwrap()
    };
    let told = export("public");
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    for name in ["index.html", "assets/page.js", "data/overview.js", "data/game/one/gate-1-both/0.js"] {
        assert!(house.path().join("public").join(name).is_file(), "{name}");
    }
    assert!(
        !house.path().join("public/data/log/one/leak.log.js").is_file()
            || !fs::read_to_string(house.path().join("public/data/log/one/leak.log.js"))
                .unwrap()
                .contains("a secret")
    );
    assert!(export("public").status.success(), "again, over itself");
    fs::create_dir_all(house.path().join("other")).unwrap();
    fs::write(house.path().join("other/mine.txt"), "mine").unwrap();
    assert!(!export("other").status.success());
    assert_eq!(fs::read_to_string(house.path().join("other/mine.txt")).unwrap(), "mine");
}
