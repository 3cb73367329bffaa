#!/usr/bin/env python3
"""Games a second of our engine in process, against the same engine through UCI pipes at the same nodes.

    scripts/measure_arena.py FOLDER [--nodes N,N] [--games N] [--rounds N]

Called by `scripts/bench arena`, which builds both programs into FOLDER first. Both ways play the same openings
with the same hash on one thread; rounds alternate, so that other work on the machine hits both alike, and
processor time is counted beside the clock: it does not grow when others want the processor.
"""

import argparse
import json
import os
import resource
import subprocess
import sys


def run(selfplay, engine, nodes, games):
    """Seconds on the clock, seconds of processor time and plies of a match."""
    command = [selfplay, "match", "--engine", f"{engine},name=a", "--engine", f"{engine},name=b"]
    command += ["--nodes", str(nodes), "--games", str(games), "--json"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode != 0:
        print(f"measure_arena: {' '.join(command)} failed", file=sys.stderr)
        sys.exit(2)
    report = json.loads(result.stdout)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    plies = round(2 * report["encounters"][0]["mean_moves"] * report["games"])
    return report["seconds"], processor, plies


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--nodes", default="1000,5000", help="nodes a move, separated by commas [1000,5000]")
    parser.add_argument("--games", type=int, default=20, help="games a round, an even number [20]")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each [3]")
    arguments = parser.parse_args()
    selfplay, tabula = (os.path.join(arguments.folder, name) for name in ("selfplay", "tabula"))
    ways = {"in process": "self:hash=8", "UCI pipes": f"cmd={tabula},option.Hash=8,option.Threads=1"}
    print(f"{'nodes':>6} {'way':10} {'games/s':>8} {'games/s of processor':>21} {'plies a game':>13}")
    for nodes in (int(text) for text in arguments.nodes.split(",")):
        rates = {}
        for way in ways:
            rates[way] = [0.0, 0.0, 0]
        for _ in range(arguments.rounds):
            for way, engine in ways.items():
                for column, value in enumerate(run(selfplay, engine, nodes, arguments.games)):
                    rates[way][column] += value
        games = arguments.rounds * arguments.games
        for way, (clock, processor, plies) in rates.items():
            print(f"{nodes:>6} {way:10} {games / clock:8.2f} {games / processor:21.2f} {plies / games:13.1f}")
        inside, outside = rates["in process"], rates["UCI pipes"]
        print(f"{nodes:>6} ratio      {outside[0] / inside[0]:8.2f} {outside[1] / inside[1]:21.2f}", flush=True)


if __name__ == "__main__":
    main()
