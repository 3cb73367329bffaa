"""How far a running night is: from the last lines of its logs, for the terminal."""

import os
import re
import shutil
import sys
import threading
import time

from .clock import mark
from .stages import gate_task, kinds, shard_of, work

COUNT = re.compile(r"^(\d+) games: (.*)$")
TAIL = 16_384
# A line on the terminal is drawn anew so often.
SECONDS = 1.0


def log_name(night, stage, generation, task):
    if stage.name == "generate":
        kind, shard = shard_of(night, task)
        return f"generate-{generation}-{kind}-{shard + 1}"
    if stage.name == "gate":
        arm, shard = gate_task(night, task)
        return f"gate-{generation}-{arm}-{shard + 1}"
    return f"{'outsider' if stage.name == 'promote' else stage.name}-{generation}"


def games_of(night, stage, task):
    """The most games that a task plays; 0: it plays none."""
    settings = night.settings
    if stage.name == "generate":
        kind, shard = shard_of(night, task)
        games, shards = settings["games" if kind == kinds(night)[0] and night.tunes_weights else "line_games"], settings["shards"]
        return games * (shard + 1) // shards - games * shard // shards
    return settings["gate_games"] // settings["gate_shards"] if stage.name == "gate" else 0


def last_count(path):
    """Games and words of the last line such as `60 games: 9.92 games/s`, behind the last command of the log."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL))
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return None
    for line in reversed(lines):
        if line.startswith("$ "):
            return None
        found = COUNT.match(line)
        if found:
            return int(found[1]), found[2]
    return None


def line(night, stage, generation, task):
    """Where a task is: percentage, speed, what is left; empty if nobody knows."""
    said, most = last_count(night.log(log_name(night, stage, generation, task))), games_of(night, stage, task)
    if not said or not most:
        return ""
    games, words = said
    rate = re.search(r"([\d.]+) games/s", words)
    left = f", {clock((most - games) / float(rate[1]))} left" if rate and float(rate[1]) > 0 else ""
    return f"{100 * games / most:3.0f}%  {games} of {'at most ' if stage.name == 'gate' else ''}{most} games{left}  {words}"


def clock(seconds):
    return f"{int(seconds) // 3600}:{int(seconds) // 60 % 60:02}:{int(seconds) % 60:02}"


class Ticker:
    """A line on the terminal that moves while a task runs; elsewhere nothing."""

    def __init__(self, night, stage, generation, task):
        self.of = (night, stage, generation, task)
        self.end = threading.Event()
        self.thread = threading.Thread(target=self.draw, daemon=True)

    def draw(self):
        began = time.monotonic()
        while not self.end.wait(SECONDS):
            text = f"    {clock(time.monotonic() - began)}  {line(*self.of)}"
            print("\r\x1b[K" + text[:shutil.get_terminal_size().columns - 1], end="", flush=True)

    def __enter__(self):
        if sys.stdout.isatty():
            self.thread.start()
        return self

    def __exit__(self, *_):
        self.end.set()
        if self.thread.is_alive():
            self.thread.join()
            print("\r\x1b[K", end="", flush=True)


def now(night):
    """The tasks that have begun and are not done, with where they are."""
    shown = []
    for stage, generation, task in work(night):
        began = mark(night, stage, generation, task)
        if os.path.exists(began) and not stage.is_done(night, generation, task):
            label = stage.name if stage.final else f"generation {generation}: {stage.name}"
            tasks = stage.tasks(night)
            number = f" {task + 1} of {tasks}" if tasks > 1 else ""
            since = clock(time.time() - os.path.getmtime(began))
            shown.append(f"{label}{number}  {since}  {line(night, stage, generation, task)}".rstrip())
    return shown


def watch(night, table, finished):
    """The table of a night, drawn anew until its end."""
    while True:
        text = "\n".join([table(night), "", *now(night)])
        if sys.stdout.isatty():
            print("\x1b[H\x1b[2J" + text, flush=True)
        else:
            print(text + "\n", flush=True)
        if os.path.exists(night.path(finished)):
            return
        time.sleep(2 * SECONDS)
