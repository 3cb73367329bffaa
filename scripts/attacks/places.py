"""Places that are hard to write to: a full disk, a read-only folder, another writer at work, links in the way."""

import contextlib
import os
import subprocess

from .kills import positions
from .workplace import Lost, Skipped, digest


KEPT = b"kept\n" * 1000


def writers(work):
    """Every command that writes a file or a folder: name → (command with OUT in it, whether OUT is a folder)."""
    games = work.path("games")
    positions(work)
    record = next(os.path.join(games, name) for name in sorted(os.listdir(games)) if name.endswith(".tgr"))
    book = work.path("book.exp")
    if not os.path.exists(book):
        work.succeed("selfplay", "learn", "--games", record, "--book", book)
    return {
        "generate": ("selfplay generate --games 20 --nodes 100 --seed 9 --hash 1 --out OUT".split(), True),
        "learn": (["selfplay", "learn", "--games", record, "--book", "OUT"], False),
        "book merge": (["selfplay", "book", "merge", book, "-o", "OUT"], False),
        "book prune": (["selfplay", "book", "prune", book, "--min-games", "1", "-o", "OUT"], False),
        "merge": (["selfplay", "merge", "--output", "OUT", record], False),
        "extract": (["tune", "extract", record, "--out", "OUT", "--seed", "1"], False),
        "fit": (["tune", "--texel", work.path("positions.tps"), "--out", "OUT", "--max-iters", "3", "--threads", "1"], False),
    }


def filled(command, out):
    return [out if word == "OUT" else word for word in command]


def outputs(work):
    """What each of them writes when nothing is in its way."""
    expected = {}
    for name, (command, _) in writers(work).items():
        out = os.path.join(work.fresh("alone"), "out")
        work.succeed(*filled(command, out), env=dated())
        expected[name] = digest(out)
    return expected


def dated():
    return {**os.environ, "SOURCE_DATE_EPOCH": "0"}


def run(work, command, out):
    return work.run(*filled(command, out), env=dated())


@contextlib.contextmanager
def tmpfs(work, options):
    """A file system of its own, of any size."""
    place = work.path("mounted")
    os.makedirs(place, exist_ok=True)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tabula-attack", place], capture_output=True,
                             text=True, check=False)
    if mounted.returncode != 0:
        raise Skipped(f"cannot mount a tmpfs ({mounted.stderr.strip()}); it takes root")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=False)


def disk(work):
    """Full at every possible place: each writer with room for so many bytes, then with room enough, the same command."""
    expected = outputs(work)
    with tmpfs(work, "size=32m") as place:
        ballast = os.path.join(place, "ballast")
        for name, (command, _) in writers(work).items():
            for room in (0, 4096, 8192, 16384, 65536):
                folder = os.path.join(place, "f")
                os.makedirs(folder, exist_ok=True)
                out = os.path.join(folder, "out")
                fill(place, ballast, room)
                done = run(work, command, out)
                full = done.returncode != 0
                work.count(tried=1, landed=int(full))
                if full:
                    work.refused(done, f"{name} with room for {room} bytes")
                os.remove(ballast)
                if full:
                    done = run(work, command, out)
                if done.returncode != 0 or digest(out) != expected[name]:
                    work.count(lost=1)
                    raise Lost(f"{name} after a full disk ({room} bytes): {done.returncode} {done.stderr[-400:]}")
                subprocess.run(["rm", "-rf", folder], check=True)


def fill(place, ballast, room):
    """Leaves so many bytes free."""
    free = os.statvfs(place)
    with open(ballast, "wb") as file:
        left = free.f_bavail * free.f_frsize - room
        while left > 0:
            left -= file.write(bytes(min(left, 1 << 20)))


def readonly(work):
    """Nothing can be written: a message that names the place, and nothing else."""
    commands = writers(work)
    with tmpfs(work, "size=1m") as place:
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        for name, (command, _) in commands.items():
            out = os.path.join(place, "out")
            done = run(work, command, out)
            work.count(tried=1, landed=1)
            work.refused(done, f"{name} in a read-only folder")
            if place not in done.stderr:
                raise Lost(f"{name}: the message does not name {place}: {done.stderr[-300:]}")


def two_writers(work, rounds=10):
    """Two at once on one output: each ends well or says that another is at work; what is there at the end is right."""
    expected = outputs(work)
    for name, (command, _) in writers(work).items():
        for number in range(rounds):
            out = os.path.join(work.fresh("shared"), "out")
            processes = [subprocess.Popen([work.program(command[0]), *filled(command, out)[1:]], env=dated(),
                                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                          text=True) for _ in range(2)]
            ends = [(process.communicate(), process.returncode) for process in processes]
            codes = [code for _, code in ends]
            work.count(tried=1, landed=int(1 in codes))
            for (_, said), code in ends:
                if code not in (0, 1) or "panicked" in said:
                    raise Lost(f"{name}, round {number}: {code} {said[-400:]}")
            if 0 not in codes or digest(out) != expected[name]:
                work.count(lost=1)
                raise Lost(f"{name}, round {number}: exit codes {codes}; {[said[-200:] for (_, said), _ in ends]}")


def links(work):
    """Links where unfinished files are made, leading to something precious."""
    endings = (".part", ".new", ".unfinished", ".checkpoint", ".checkpoint.new", ".journal", ".journal.new", ".lock")
    precious = os.path.join(work.fresh("precious"), "precious")
    for name, (command, is_folder) in writers(work).items():
        names = ["out"]
        if is_folder:  # the names in it are those that an undisturbed run gives
            plain = os.path.join(work.fresh("plain"), "out")
            run(work, command, plain)
            names = [os.path.join("out", entry) for entry in os.listdir(plain)]
        for ending in endings:
            for entry in names:
                with open(precious, "wb") as file:
                    file.write(KEPT)
                folder = work.fresh("linked")
                place = os.path.join(folder, entry + ending)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                os.symlink(precious, place)
                done = run(work, command, os.path.join(folder, "out"))
                work.count(tried=1, landed=int(done.returncode != 0))
                with open(precious, "rb") as file:
                    kept = file.read()
                if kept != KEPT:
                    work.count(lost=1)
                    raise Lost(f"{name} wrote through the link {entry}{ending}: exit code {done.returncode}")
                if done.returncode != 0:
                    work.refused(done, f"{name} with a link at {entry}{ending}")
