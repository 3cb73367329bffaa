"""Valgrind over the readers that map files, with files that are damaged: no read outside of them, no crash."""

import os
import random
import shutil

from .kills import positions
from .workplace import Lost, Skipped


def damage(chance, data):
    """One of many ways."""
    data = bytearray(data)
    for _ in range(chance.choice((1, 1, 3, 40))):
        kind, at = chance.randrange(4), chance.randrange(len(data))
        if kind == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            data[at:at + chance.randrange(1, 200)] = b"\xff" * chance.randrange(1, 200)
        elif kind == 2:
            del data[at:]
            data += b"\0" * chance.randrange(2)
        else:
            data[at:at + 64] = data[:64]
        if not data:
            break
    return bytes(data)


def books(work):
    """An Experience Book, and the same lines as an opening book where there are any."""
    positions(work)
    games, book = work.path("games"), work.path("book.exp")
    if not os.path.exists(book):
        work.succeed("selfplay", "learn", "--games", games, "--book", book)
    return {"ExperienceFile": book}


def tables():
    shared = os.path.join(os.environ.get("TABULA_SHARED", os.path.join(os.path.dirname(__file__), "..", "..", "..", "shared")),
                          "data", "syzygy")
    names = ("KQvK.rtbw", "KQvK.rtbz", "KPvK.rtbw", "KPvK.rtbz")
    return [path for path in (os.path.join(shared, name) for name in names) if os.path.exists(path)]


def valgrind(work, files):
    if not shutil.which("valgrind"):
        raise Skipped("no valgrind here")
    chance = random.Random(work.seed)
    base = ["valgrind", "--quiet", "--error-exitcode=99", work.program("tabula"), "setoption name Hash value 1"]
    sources = [(option, path) for option, path in books(work).items()] + [("SyzygyPath", path) for path in tables()]
    positions_to_search = {"ExperienceFile": "position startpos", "SyzygyPath": "position fen 8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"}
    while work.counts["tried"] < files:
        option, source = sources[work.counts["tried"] % len(sources)]
        folder = work.fresh("damaged")
        path = os.path.join(folder, os.path.basename(source))
        with open(source, "rb") as whole, open(path, "wb") as damaged:
            damaged.write(damage(chance, whole.read()))
        value = folder if option == "SyzygyPath" else path
        # A file that is refused ends the command line with 2: tried all the same.
        done = work.command([*base, f"setoption name {option} value {value}", positions_to_search[option], "go depth 3"])
        work.count(tried=1, landed=int(done.returncode == 0))
        if done.returncode not in (0, 2):
            work.count(lost=1)
            raise Lost(f"{option} {source}: exit code {done.returncode}: {done.stderr[-1500:]}")
