"""Many games on the clock in the same two processes, with options changed between them: nothing is lost, nothing grows."""

import os
import queue
import random
import subprocess
import threading
import time

from .workplace import Lost

# Between games: what a user might change, and back.
CHANGES = [("Hash", ("1", "16", "64")), ("Threads", ("1", "2")), ("MultiPV", ("1", "3")), ("Style", ("Normal", "Tal", "Petrosian")),
           ("UseExperienceBook", ("true", "false")), ("UCI_ShowWDL", ("true", "false")), ("MoveOverhead", ("10", "80")),
           ("UCI_LimitStrength", ("false", "true")), ("Clear Hash", (None,))]
BASE, INCREMENT, GRACE = 1.0, 0.01, 0.2
LONGEST_GAME = 400  # plies
# Megabytes that a process may be larger after all games than after the first tenth of them.
MOST_GROWTH = 8


class Player:
    """One engine process for all games."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.searches = 0

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.strip())
        self.lines.put(None)

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def wait_for(self, word, patience=30):
        deadline = time.monotonic() + patience
        while True:
            try:
                line = self.lines.get(timeout=max(0.001, deadline - time.monotonic()))
            except queue.Empty as error:
                raise Lost(f"no {word} within {patience} s") from error
            if line is None:
                raise Lost(f"the engine ended ({self.process.wait()})")
            if "internal error" in line:
                raise Lost(line)
            if line.startswith(word):
                return line

    def ready(self):
        self.send("isready")
        self.wait_for("readyok")

    def memory(self):
        """Resident megabytes, with the smallest table and nothing in it."""
        for line in ("setoption name Threads value 1", "setoption name Hash value 1", "ucinewgame"):
            self.send(line)
        self.ready()
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024

    def end(self):
        self.send("quit")
        if self.process.wait(timeout=30) != 0:
            raise Lost(f"the engine ended with {self.process.returncode}")


def move(player, moves, clocks, mover, chance):
    """A move on the clock; now and then by way of pondering or `stop`."""
    position = "position startpos" + (" moves " + " ".join(moves) if moves else "")
    clock = (f"wtime {clocks[0] * 1000:.0f} btime {clocks[1] * 1000:.0f} winc {INCREMENT * 1000:.0f} "
             f"binc {INCREMENT * 1000:.0f}")
    player.send(position)
    player.searches += 1
    way = chance.random()
    if way < 0.05:  # pondered, and the move came
        player.send(f"go ponder {clock}")
        time.sleep(chance.uniform(0, 0.02))
        began = time.monotonic()
        player.send("ponderhit")
    elif way < 0.1:  # stopped at some moment
        began = time.monotonic()
        player.send(f"go infinite {clock}")
        time.sleep(chance.uniform(0, 0.02))
        player.send("stop")
    else:
        began = time.monotonic()
        player.send(f"go {clock}")
    best = player.wait_for("bestmove").split()[1]
    clocks[mover] -= time.monotonic() - began
    if clocks[mover] < -GRACE:
        raise Lost(f"lost on time by {-clocks[mover]:.3f} s after {len(moves)} plies")
    clocks[mover] = max(clocks[mover], 0.01) + INCREMENT
    return best


def legal(judge, moves):
    """The judge is a third process that only replays: it complains about the first illegal move."""
    judge.send("position startpos moves " + " ".join(moves))
    judge.send("isready")
    while (line := judge.lines.get(timeout=30)) != "readyok":
        if line is None or "position: no." in line:
            raise Lost(f"an illegal move: {line}")


def game(players, judge, chance):
    moves, clocks = [], [BASE, BASE]
    for player in players:
        player.send("ucinewgame")
        player.ready()
    while len(moves) < LONGEST_GAME:
        mover = len(moves) % 2
        best = move(players[mover], moves, clocks, mover, chance) if len(moves) >= 4 else opening_move(players[mover], moves, chance)
        if best == "(none)":
            break
        moves.append(best)
        legal(judge, moves)
    return len(moves)


def opening_move(player, moves, chance):
    """Any of the better moves, so that games differ."""
    player.send("position startpos" + (" moves " + " ".join(moves) if moves else ""))
    player.send("setoption name MultiPV value 4")
    player.send("go depth 2")
    lines = []
    while not (line := player.lines.get(timeout=30)).startswith("bestmove"):
        if " multipv " in line and " pv " in line:
            lines.append(line.split(" pv ")[1].split()[0])
    player.send("setoption name MultiPV value 1")
    player.searches += 1
    return chance.choice(lines[-4:])


def pair_of_players(work, games, number, report):
    """One of the two matches that run at once."""
    chance = random.Random(work.seed * 2 + number)
    program = work.program("tabula")
    players, judge = [Player(program), Player(program)], Player(program)
    before = None
    for played in range(games):
        for player in players:
            name, values = chance.choice(CHANGES)
            value = chance.choice(values)
            player.send(f"setoption name {name}" + (f" value {value}" if value is not None else ""))
        plies = game(players, judge, chance)
        if played == games // 10:
            before = [player.memory() for player in players]
        report(played + 1, plies)
    after = [player.memory() for player in players]
    searches = sum(player.searches for player in players)
    for player in (*players, judge):
        player.end()
    return before or after, after, searches


def soak(work, games, say):
    if not os.path.exists("/proc/self/status"):
        raise Lost("memory is read from /proc, which is not here")
    results, troubles, lock = [], [], threading.Lock()

    def report(_, plies):
        with lock:
            work.count(tried=1, landed=1, plies=plies)
            if work.counts["tried"] % 50 == 0:
                say(f"{work.counts['tried']} games")

    def match(number, share):
        try:
            results.append(pair_of_players(work, share, number, report))
        except (Lost, OSError, queue.Empty) as error:
            troubles.append(f"match {number}: {error}")

    left = max(0, games - work.counts["tried"])
    threads = [threading.Thread(target=match, args=(number, (left + number) // 2)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if troubles:
        work.count(lost=len(troubles))
        raise Lost("; ".join(troubles))
    work.count(searches=sum(searches for _, _, searches in results))
    for before, after, _ in results:
        say("memory, MB: " + ", ".join(f"{early:.1f} then {late:.1f}" for early, late in zip(before, after)))
        if any(late > early + MOST_GROWTH for early, late in zip(before, after)):
            work.count(lost=1)
            raise Lost(f"it grows: {before} MB, then {after} MB")
