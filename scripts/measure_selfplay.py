#!/usr/bin/env python3
"""Speed and size of self-play: nodes per CPU second against `tabula bench` in the same run, bytes a position
beside viriformat, how fast records are read and written; and games a CPU second against a match runner of
somebody else's (python-chess, where it is installed) that lets the same engine play itself over UCI.

    scripts/bench selfplay [--games N] [--nodes N] [--rounds N] [--keep DIR]

CPU time and not the clock is counted, so that other work on the machine matters less; rounds alternate.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile


def run(command):
    """What a command prints, and the CPU seconds it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return result.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


# A match runner like any other: two processes of the engine, one game after the other, the moves over pipes.
RUNNER = """
import random, sys, chess, chess.engine
tabula, games, nodes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
players = [chess.engine.SimpleEngine.popen_uci(tabula) for _ in range(2)]
chance, plies = random.Random(1), 0
for player in players:
    player.configure({"Hash": 2, "UseExperienceBook": False})
for game in range(games):
    board = chess.Board()
    for _ in range(8):
        board.push(chance.choice(list(board.legal_moves)))
    while not board.is_game_over(claim_draw=True) and board.ply() < 400:
        board.push(players[board.turn].play(board, chess.engine.Limit(nodes=nodes), game=game).move)
        plies += 1
for player in players:
    player.quit()
print(plies)
"""


def runner_python():
    """A Python that has python-chess."""
    for python in ("target/venv/bin/python", sys.executable):
        try:
            subprocess.run([python, "-c", "import chess.engine"], check=True, capture_output=True)
            return python
        except (OSError, subprocess.CalledProcessError):
            continue
    return None


def main():
    parser = argparse.ArgumentParser(description="speed and size of self-play")
    parser.add_argument("target", help="directory of the release build")
    parser.add_argument("--games", type=int, default=60, help="games of each round")
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", help="keep the records here")
    arguments = parser.parse_args()
    tabula, selfplay = os.path.join(arguments.target, "tabula"), os.path.join(arguments.target, "selfplay")
    decode_speed = os.path.join(arguments.target, "examples", "decode_speed")
    out = arguments.keep or tempfile.mkdtemp(prefix="selfplay-")

    ratios, files, positions, seconds = [], [], 0, 0.0
    for number in range(1, arguments.rounds + 1):
        text, cpu = run([tabula, "bench"])
        bench = int(text.strip().splitlines()[-1].split(" nodes ")[0]) / cpu
        command = [selfplay, "generate", "--games", str(arguments.games), "--nodes", str(arguments.nodes)]
        text, cpu = run(command + ["--seed", str(1000 + number), "--out", out, "--json"])
        report = json.loads(text)
        played = report["this_run"]["nodes"] / cpu
        if report["this_run"]["games"] == 0:
            sys.exit(f"{report['file']} was there before: nothing to measure; remove it")
        ratios.append(played / bench)
        files.append(report["file"])
        positions += report["positions"]
        seconds += cpu
        print(f"round {number}: bench {bench:,.0f} nodes/s, self-play {played:,.0f} nodes/s: {ratios[-1]:.3f}",
              flush=True)
    ratios.sort()
    print(f"self-play over bench, median: {ratios[len(ratios) // 2]:.3f} (wanted: 0.95)")

    size = sum(os.path.getsize(path) for path in files)
    viri = os.path.join(out, "games.viri")
    run([selfplay, "viriformat", *files, "--output", viri])
    raw = os.path.getsize(viri)
    line = f"bytes a position: .tgr {size / positions:.3f}, viriformat {raw / positions:.3f}"
    if shutil.which("zstd"):
        run(["zstd", "-q", "-f", "-19", viri, "-o", viri + ".zst"])
        line += f", viriformat after zstd -19 {os.path.getsize(viri + '.zst') / positions:.3f}"
    print(line + f" ({positions:,} positions; the models learn within a block: blocks of 1000 games take about a tenth less)")

    rates = run([decode_speed, files[0], "5"])[0]
    print(rates.strip())
    write = float(rates.split("write ")[1].split()[0])
    # A game is encoded twice: for the journal, and with its block.
    print(f"encoding: {100 * 2 * positions / write / seconds:.2f}% of the CPU (wanted: 1%)")
    compare_with_runner(tabula, selfplay, arguments, out)
    if not arguments.keep:
        shutil.rmtree(out)


def compare_with_runner(tabula, selfplay, arguments, out):
    """Both at `--nodes` exactly. Games differ in length, so that moves are counted."""
    python = runner_python()
    if not python:
        print("against an external match runner: skipped, python-chess is not installed (pip install chess)")
        return
    games, nodes = str(max(arguments.games // 3, 1)), str(arguments.nodes)
    told, cpu = run([selfplay, "generate", "--games", games, "--nodes", nodes, "--hard-multiple", "1", "--seed", "7",
                     "--out", os.path.join(out, "exact"), "--json"])
    own = json.loads(told)["positions"] / cpu
    told, cpu = run([python, "-c", RUNNER, tabula, games, nodes])
    other = int(told) / cpu
    print(f"moves a CPU second at {nodes} nodes: self-play {own:.0f}, python-chess with the same engine over UCI "
          f"{other:.0f}: {own / other:.2f} times as many")


if __name__ == "__main__":
    main()
