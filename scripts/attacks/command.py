"""The command line of the attacks."""

import argparse
import os
import sys

from . import kills, memory, names, places, soak
from .workplace import ROOT, Lost, Skipped, Workplace


def say(text):
    print(text, flush=True)


# name → what it does with its workplace and the options
ATTACKS = {
    "tune": lambda work, options: kills.tune(work, options.kills),
    "night": lambda work, options: kills.night(work, options.kills),
    "disk": lambda work, options: places.disk(work),
    "readonly": lambda work, options: places.readonly(work),
    "writers": lambda work, options: places.two_writers(work),
    "links": lambda work, options: places.links(work),
    "names": lambda work, options: names.names(work),
    "valgrind": lambda work, options: memory.valgrind(work, options.files),
    "soak": lambda work, options: soak.soak(work, options.games, say),
}
# Needs the machine alone for hours.
ONLY_IF_ASKED = ("soak",)


def parser(text):
    told = argparse.ArgumentParser(prog="scripts/attack", description=text,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
    told.add_argument("attack", nargs="*", choices=[*ATTACKS, []], help=argparse.SUPPRESS)
    told.add_argument("--kills", type=int, default=10, help="kills that must land [10]")
    told.add_argument("--files", type=int, default=10, help="damaged files [10]")
    told.add_argument("--games", type=int, default=20, help="games of the soak [20]")
    told.add_argument("--seed", type=int, default=1, help="decides every chance [1]")
    release = os.path.join(os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target")), "release")
    told.add_argument("--bin", default=release, help="folder of the programs [target/release]")
    told.add_argument("--again", action="store_true", help="forget what was counted before")
    return told


def main(text):
    options = parser(text).parse_args()
    folder = os.path.join(ROOT, "target", "attack")
    chosen = options.attack or [name for name in ATTACKS if name not in ONLY_IF_ASKED]
    failed = False
    for name in chosen:
        if options.again:
            forget(os.path.join(folder, f"{name}.json"))
        work = Workplace(name, options.bin, folder, options.seed)
        say(f"== {name}")
        try:
            ATTACKS[name](work, options)
            verdict = "nothing lost" if work.counts["lost"] == 0 else "something was lost before: see above, --again"
        except Skipped as reason:
            verdict = f"skipped: {reason}"
        except Lost as trouble:
            verdict = f"FAILED: {trouble}"
        except KeyboardInterrupt:
            say(f"{name}: stopped; the counts are kept, and the same command goes on from here")
            return 130
        failed |= verdict.startswith(("FAILED", "something"))
        say(f"{name}: " + ", ".join(f"{number} {what}" for what, number in work.counts.items()) + f": {verdict}")
    return int(failed)


def forget(path):
    if os.path.exists(path):
        os.remove(path)


if __name__ == "__main__":
    sys.exit(main(__doc__))
