"""Names that mean something to a shell, a page or a parser, wherever a name can be given."""

import os
import re

from .workplace import ROOT, Lost

SENTINEL = "escaped"
HOSTILE = ["$(touch escaped)", "`touch escaped`", "a'b", 'a"b', "a\nb", "a;touch escaped", "-rf", "--", "--help=x", "|touch escaped",
           "<script>alert(1)</script>", "\x1b[2J", "ü\u202eabc", "%s%n", "../../escaped", "a" * 5000]
# Scripts and the options or places that take a text, with what is needed so that nothing long begins.
SCRIPTS = {
    "ship": (["--weights"], ["--book"], ["--out", "/nowhere/x", "--weights"]),
    "build-tabula": (),
    "suite": ([],),
    "nightly": (["--name"], ["--no-build", "--nights", "/proc/nowhere", "--name"], ["--also"], ["--arms"], ["--sprt"],
                ["status", "--nights"], ["history", "--nights"], ["rollback", "--name"], ["adopt", "--name"],
                ["status", "--name"]),
    "ablate": (["--unknown"],),
    "ladder": (["--only"], ["--nodes"]),
    "calibrate-elo": (["--rounds", "0", "--results"], ["--rounds"]),
    "prove-styles": (["--games"], ["--seed"]),
    "prove-learning": (["--selfplay"], ["--seed"]),
    "check-night": (["--kills"], ["--seed"]),
    "check-slurm": ([],),
    "check-bench": (),
    "check-supply": ([],),
    "bench": ([],),
    "sbom": (["--target"], []),
    "test": ([],),
    "notebooks": ([],),
    "attack": ([], ["--bin"], ["tune", "--kills"]),
}


def combinations():
    """Every script with every hostile value in every place, in a fixed order."""
    return [(script, place, value) for script, places in SCRIPTS.items() for place in places for value in HOSTILE]


def scripts(work):
    folder_of_scripts = os.path.join(ROOT, "scripts")
    there = {name for name in os.listdir(folder_of_scripts)
             if os.path.isfile(os.path.join(folder_of_scripts, name)) and os.access(os.path.join(folder_of_scripts, name), os.X_OK)}
    # Modules that other scripts run, and what takes no arguments, are left alone.
    there = {name for name in there if not name.endswith(".py")} - {"miri"}
    if there != set(SCRIPTS):
        raise Lost(f"the list of scripts of this attack is not that of scripts/: {sorted(there ^ set(SCRIPTS))}")
    for script, place, value in combinations()[work.counts["tried"]:]:
        folder = work.fresh("names")
        # An option and its value are one word: the value may begin with a dash.
        words = [*place[:-1], f"{place[-1]}={value}"] if place and place[-1].startswith("--") else [*place, value]
        if script == "nightly" and "--nights" not in place:
            words += ["--nights", os.path.join(folder, "nights"), "--no-build"]
        done = work.command([os.path.join(folder_of_scripts, script), *words], cwd=folder)
        work.count(tried=1, landed=int(done.returncode != 0))
        check(work, done, folder, f"{script} {words!r:.200}")


def check(work, done, folder, what):
    escaped = [place for place in (folder, ROOT, os.path.join(ROOT, "scripts"), os.path.dirname(ROOT), work.folder)
               if os.path.lexists(os.path.join(place, SENTINEL))]
    if escaped:
        work.count(lost=1)
        raise Lost(f"{what} made {SENTINEL} in {escaped}")
    if "Traceback" in done.stderr or "panicked" in done.stderr:
        raise Lost(f"{what}: {done.stderr[-600:]}")


def matches(work):
    """Hostile names of players: one tag a line in the PGN, and no escape sequences in what is printed."""
    engine = work.program("tabula")
    for value in HOSTILE[max(0, work.counts["tried"] - len(combinations())):]:
        pgn = os.path.join(work.fresh("match"), "games.pgn")
        done = work.run("selfplay", "match", "--engine", f"self:name={value}", "--engine", f"cmd='{engine}',name={value}2",
                        "--games", "2", "--nodes", "50", "--openings", "random", "--pgn", pgn, "--concurrency", "1")
        work.count(tried=1, landed=int(done.returncode == 0))
        if done.returncode != 0:
            work.refused(done, f"a match of {value!r:.60}")
            continue
        if "\x1b[2J" in done.stdout + done.stderr:
            raise Lost("an escape sequence of a name was printed")
        with open(pgn, encoding="utf-8") as file:
            lines = file.read().split("\n")
        tags = [line for line in lines if line.startswith("[")]
        wrong = [line for line in tags if not re.fullmatch(r'\[[A-Za-z]+ "(?:[^"\\]|\\["\\])*"\]', line)]
        players = [line for line in tags if line.startswith(("[White ", "[Black "))]
        if wrong or len(players) != 4 or any(ord(c) < 32 for line in lines for c in line):
            work.count(lost=1)
            raise Lost(f"a match of {value!r:.60}: {wrong or players}")


def names(work):
    scripts(work)
    matches(work)
