#!/usr/bin/env python3
"""Speed and memory of the engine as a user's GUI would see them: through UCI.

    scripts/measure.py nps ENGINE [--rounds N] [--movetime MS]
    scripts/measure.py memory ENGINE

Called by `scripts/bench nps` and `scripts/bench memory`, which build the engine first. Only the standard
library is needed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import threading
import time

# The peers: command, Debian package, and the options that make them comparable.
PEERS = [
    ("ethereal-chess", "ethereal-chess", {}),
    ("stockfish", "stockfish", {"Use NNUE": "false"}),
]
# Where Debian puts games, also for users who do not have it in their path.
GAMES = "/usr/games"
# With much more work than cores a machine may be slow, but not this slow.
PATIENCE = 120.0


class Dead(Exception):
    """The engine ended, or does not answer."""


class Engine:
    """A UCI engine in a process of its own."""

    def __init__(self, command, name, options):
        self.name = name
        self.process = subprocess.Popen(
            [command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1
        )
        self.offered = {}
        self.send("uci")
        for line in self.lines_until("uciok"):
            found = re.match(r"option name (.*?) type ", line)
            if found:
                self.offered[found[1].lower()] = found[1]
        for option, value in options.items():
            self.set(option, value)
        self.ready()

    def send(self, line):
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except OSError:
            raise Dead(f"{self.name}: {self.fate()}") from None

    def lines_until(self, word):
        """The lines up to the one that begins with the word, that one included."""
        lines = []
        # An engine that hangs is killed, which ends the wait for its next line.
        watchdog = threading.Timer(PATIENCE, self.process.kill)
        watchdog.start()
        try:
            for line in self.process.stdout:
                lines.append(line.strip())
                if lines[-1].split(" ")[0] == word:
                    return lines
        finally:
            watchdog.cancel()
        raise Dead(f"{self.name}: no '{word}', {self.fate()}")

    def fate(self):
        try:
            return f"ended with exit code {self.process.wait(timeout=2)}"
        except subprocess.TimeoutExpired:
            return "closed its pipes"

    def set(self, option, value):
        """Sets an option that the engine has; a missing one would spoil the comparison, so it is an error."""
        if option.lower() not in self.offered:
            raise Dead(f"{self.name}: no option '{option}'")
        self.send(f"setoption name {self.offered[option.lower()]} value {value}")

    def ready(self):
        self.send("isready")
        return self.lines_until("readyok")

    def search(self, fen, limit):
        """Searches from an empty table: what the engine reports, and the seconds it had a processor for."""
        self.send("ucinewgame")
        self.ready()
        self.send(f"position fen {fen}")
        cpu, wall = self.cpu_seconds(), time.monotonic()
        self.send(f"go {limit}")
        lines = self.lines_until("bestmove")
        cpu, wall = self.cpu_seconds() - cpu, time.monotonic() - wall
        info = {"nodes": 0, "time": 0, "hashfull": 0, "depth": 0}
        for line in lines:
            words = line.split(" ")
            if words[0] != "info" or "string" in words:
                continue
            for key in info:
                if key in words and words.index(key) + 1 < len(words) and words[words.index(key) + 1].isdigit():
                    info[key] = int(words[words.index(key) + 1])
        info.update(cpu=cpu, wall=wall, lines=lines)
        return info

    def cpu_seconds(self):
        """The processor time of all threads so far, the ended ones included."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii", errors="replace") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self, key):
        """A line of /proc/PID/status, in MB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii", errors="replace") as status:
            for line in status:
                if line.startswith(key + ":"):
                    return int(line.split()[1]) / 1024
        raise Dead(f"{self.name}: /proc says nothing of its {key}")

    def close(self):
        try:
            self.send("quit")
            self.process.wait(timeout=5)
        except (Dead, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()


def castles_as_usual(fen):
    """Whether kings and rooks that may castle stand where standard chess has them."""
    placement, _, castling = fen.split()[:3]
    ranks = [re.sub(r"\d", lambda digit: " " * int(digit[0]), rank) for rank in placement.split("/")]
    # Of each right: the rank of the list, the file of the rook, the rook, the king.
    rights = {"K": (7, 7, "R", "K"), "Q": (7, 0, "R", "K"), "k": (0, 7, "r", "k"), "q": (0, 0, "r", "k")}
    for right in castling.replace("-", ""):
        rank, file, rook, king = rights[right]
        if ranks[rank][file] != rook or ranks[rank][4] != king:
            return False
    return True


def bench_positions(command):
    """The positions of the engine's own benchmark that every engine can play: no Chess960."""
    listed = subprocess.run([command, "bench", "--list"], capture_output=True, text=True, check=True).stdout
    positions = [line.partition(" id ") for line in listed.splitlines()]
    for fen, _, name in positions:
        if not castles_as_usual(fen):
            print(f"left out, not standard chess: {name.strip(';')}")
    return [fen for fen, _, _ in positions if castles_as_usual(fen)]


def find(name):
    return shutil.which(name) or shutil.which(name, path=GAMES)


class Speed:
    """Nodes and time of one engine over many searches."""

    def __init__(self):
        self.nodes = self.seconds = self.cpu_share = 0.0

    def add(self, info):
        # The last report before the move: nodes and time belong together there.
        self.nodes += info["nodes"]
        self.seconds += info["time"] / 1000
        # A busy machine gives less than the whole of a processor; assume it was the same all through.
        self.cpu_share += info["time"] / 1000 * info["cpu"] / max(info["wall"], 1e-9)

    def wall(self):
        return self.nodes / self.seconds

    def cpu(self):
        """Nodes per second of processor time, summed over the threads."""
        return self.nodes / self.cpu_share if self.cpu_share else 0.0


def nps(arguments):
    fens = bench_positions(arguments.engine)
    # All of the time is for searching: nothing is lost on the way to a GUI here.
    own_options = {"Hash": 16, "MoveOverhead": 0}
    engines = [("tabula", Engine(arguments.engine, "tabula", {**own_options, "Threads": 1}))]
    for name, package, options in PEERS:
        command = find(name)
        if command is None:
            print(f"{name}: skipped, not installed; on Debian: apt install {package}")
            continue
        try:
            engines.append((name, Engine(command, name, {"Hash": 16, "Threads": 1, **options})))
        except Dead as reason:
            print(f"skipped, {reason}")
    engines.append(("tabula, 2 threads", Engine(arguments.engine, "tabula", {**own_options, "Threads": 2})))
    speeds = {name: Speed() for name, _ in engines}
    limit = f"movetime {arguments.movetime}"
    print(f"{len(fens)} positions, {arguments.rounds} round(s), go {limit}, Hash 16; load {os.getloadavg()[0]:.1f}")
    for _ in range(arguments.rounds):
        for fen in fens:
            # In turn on every position, so that a busy minute is the same for everybody.
            for name, engine in engines:
                speeds[name].add(engine.search(fen, limit))
    for _, engine in engines:
        engine.close()
    print(f"{'':20} {'nodes/s':>10} {'ratio':>7}   {'nodes/s of CPU':>14} {'ratio':>7}")
    own = speeds["tabula"]
    for name, speed in speeds.items():
        if name == "tabula, 2 threads":
            continue
        ratios = own.wall() / speed.wall(), own.cpu() / speed.cpu()
        print(f"{name:20} {speed.wall():10.0f} {ratios[0]:7.3f}   {speed.cpu():14.0f} {ratios[1]:7.3f}")
    print("ratio: tabula's speed over that of the engine; of CPU: as if nothing else ran here")
    both = speeds["tabula, 2 threads"]
    print(
        f"2 threads over 1: {both.wall() / own.wall():.3f} by the clock, "
        f"{2 * both.cpu() / own.cpu():.3f} of CPU (needs two idle cores: the load is {os.getloadavg()[0]:.1f})"
    )
    return 0


def memory(arguments):
    hash_mb = 1024
    bound = hash_mb * 1.03 + 30
    fen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"
    engine = Engine(arguments.engine, "tabula", {"Hash": hash_mb, "Threads": 2})
    print(f"before a search: {engine.memory('VmRSS'):.1f} MB resident")
    # Entries are spread at random over the pages: after ten million nodes no page is untouched.
    info = engine.search(fen, "nodes 10000000")
    resident, peak = engine.memory("VmRSS"), engine.memory("VmHWM")
    within = peak <= bound
    print(
        f"Hash {hash_mb}, 2 threads, {info['nodes']} nodes, hashfull {info['hashfull']}: {resident:.1f} MB resident, "
        f"{peak:.1f} MB at the peak; bound {bound:.1f} MB (3% + 30 MB): {'kept' if within else 'BROKEN'}"
    )
    filled = resident >= hash_mb * 0.9
    if not filled:
        print("the search did not touch the whole table: the figure above proves nothing", file=sys.stderr)
    engine.set("Hash", 32768)
    answers = [line for line in engine.ready() if line.startswith("info string")]
    info = engine.search(fen, "nodes 200000")
    size = engine.memory("VmSize")
    what = "granted" if size > 32768 else "refused"
    print(f"Hash 32768: {what} without a crash; {size:.0f} MB of addresses, {engine.memory('VmRSS'):.0f} MB resident")
    for line in answers:
        print(f"  it said: {line}")
    print(f"  and searched on: {info['lines'][-1]}")
    engine.close()
    return 0 if within and filled else 1


def main():
    parser = argparse.ArgumentParser(description="speed and memory of the engine, through UCI")
    commands = parser.add_subparsers(dest="command", required=True)
    speed = commands.add_parser("nps", help="nodes per second against peers on the same positions in the same run")
    speed.add_argument("engine")
    speed.add_argument("--rounds", type=int, default=1)
    speed.add_argument("--movetime", type=int, default=300, help="milliseconds for each search")
    commands.add_parser("memory", help="resident memory against its bound").add_argument("engine")
    arguments = parser.parse_args()
    try:
        return {"nps": nps, "memory": memory}[arguments.command](arguments)
    except Dead as reason:
        print(f"measure.py: {reason}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
