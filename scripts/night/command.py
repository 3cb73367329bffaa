"""The command line of the night."""

import argparse
import datetime
import os
import subprocess
import sys

from . import local, slurm
from .champion import Champion, Hall
from .files import NightError, copy_whole, locked
from .manifest import SETTINGS, begin, check_name, check_unused, differences, open_night
from .report import print_table, status_table
from .stages import BY_NAME, discard_parts

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SHIPPED = os.path.join(ROOT, "data", "champion")


def say(text):
    print(text, flush=True)


def parser(text):
    told = argparse.ArgumentParser(prog="scripts/nightly", description=text,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
    told.add_argument("what", nargs="?", default="run",
                      choices=("run", "status", "history", "rollback", "adopt", "stage"), help=argparse.SUPPRESS)
    told.add_argument("stage", nargs="?", choices=sorted(BY_NAME), help=argparse.SUPPRESS)
    place = told.add_argument_group("where")
    place.add_argument("--nights", default=os.path.join(ROOT, "nights"), help="folder of all nights [nights/]")
    place.add_argument("--name", help="this night's folder in it [the date]")
    place.add_argument("--local", action="store_true", help="on this machine (the default)")
    place.add_argument("--slurm", action="store_true", help="as jobs of a Slurm cluster")
    place.add_argument("--wait", action="store_true", help="with --slurm: wait for the last job")
    place.add_argument("--sbatch", help="with --slurm: more options for every sbatch, as one text")
    place.add_argument("--max-jobs", type=int, help="with --slurm: tasks of an array at the same time")
    place.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="cores to use [all]; no result "
                                                                                  "depends on it")
    place.add_argument("--no-build", action="store_true", help="do not build the programs first")
    place.add_argument("--folder", help=argparse.SUPPRESS)
    place.add_argument("--generation", type=int, default=1, help=argparse.SUPPRESS)
    place.add_argument("--task", type=int, default=0, help=argparse.SUPPRESS)
    size = told.add_argument_group("what decides the result (kept in the manifest)")
    helps = {
        "seed": "decides everything random [the date]",
        "generations": "rounds of play, learn, tune, judge",
        "games": "games of a generation, from random openings: for the weights",
        "line_games": "games besides, from the ways to begin a game: for the book",
        "nodes": "nodes a move of these games: no iteration begins after them",
        "hard_multiple": "and a search is cut off at so many times as many",
        "shards": "parts that they are played in",
        "openings": "where they begin, as for selfplay generate",
        "window": "generations whose games are tuned on",
        "also": "records of earlier nights that are tuned on as well, with commas between [none]",
        "per_game": "positions of a game that are tuned on",
        "result_share": "share of the result in what a position is worth; the rest is the score",
        "arms": "what is tried against the champion: new weights, a new book, both",
        "gate_nodes": "nodes a move of the matches [as --nodes]",
        "gate_games": "games of a round of a match",
        "gate_rounds": "the most rounds",
        "sprt": "the test that a candidate must pass",
        "rating_games": "games that rate each generation [0; from zero 100]",
        "outsider_games": "games against an engine that never saw ours, where one is installed",
    }
    for name, text_of_it in helps.items():
        default = SETTINGS[name]
        kind = type(default) if default is not None else int
        shown = "" if "[" in text_of_it else f" [{default}]"
        size.add_argument("--" + name.replace("_", "-"), type=kind, help=(text_of_it + shown).replace("%", "%%"))
    size.add_argument("--from-zero", action="store_true", default=None,
                      help="begin with material values and an empty book, apart from the champion")
    size.add_argument("--no-ship", action="store_true", default=None, help="build no archive at the end")
    return told


def folder_of(arguments, name):
    """The folder of the night of this name. Nothing is made or read before the name is checked."""
    return os.path.join(arguments.nights, check_name(name))


def hall_of(arguments, folder=None, from_zero=False):
    """A night from zero has champions of its own: the blank slate must not dethrone anyone."""
    place = folder if from_zero else arguments.nights
    return Hall(place, Champion(SHIPPED))


def release_folder():
    return os.path.join(os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target")), "release")


def build():
    say("building the programs ...")
    try:
        done = subprocess.run(["cargo", "build", "--release", "--workspace", "--locked", "--quiet"], cwd=ROOT,
                              check=False)
    except FileNotFoundError as error:
        raise NightError("cargo is missing; install Rust 1.95 or newer (rustup.rs)") from error
    if done.returncode != 0:
        raise NightError("the programs do not build (see above)")


def attach(night, arguments):
    night.root = ROOT
    night.hall = hall_of(arguments, night.folder, night.settings["from_zero"])
    return night


def run_night(arguments):
    settings = {name: getattr(arguments, name) for name in SETTINGS}
    if settings["also"]:
        settings["also"] = ",".join(map(os.path.abspath, settings["also"].split(",")))
    name = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d") if arguments.name is None else arguments.name
    folder = folder_of(arguments, name)
    if not os.path.exists(os.path.join(folder, "manifest.json")):
        check_unused(folder)
    with locked(os.path.join(folder, "lock"), f"night {name}"):
        if os.path.exists(os.path.join(folder, "manifest.json")):
            night = open_night(folder)
            other = differences(night, settings)
            if other:
                raise NightError(f"night {name} has begun with other settings ({'; '.join(other)}); go on without "
                                 "these options, or begin another night with --name")
        else:
            if not arguments.no_build:
                build()
            champion = hall_of(arguments).current()
            night = begin(folder, settings, champion, release_folder())
        attach(night, arguments)
        discard_parts(night)
        if arguments.slurm:
            slurm.launch(night, arguments, say)
            if not arguments.wait:
                say(f"the night runs on the cluster; see: scripts/nightly status --name {name}")
                return 0
            slurm.wait(night, say)
            if not os.path.exists(night.path("report.html")):
                raise NightError(f"not everything was done; logs: {night.path('logs')}; the same command submits "
                                 "what is missing")
        else:
            local.launch(night, arguments.threads, say)
    print_table(night)
    return 0


def run_stage(arguments):
    """One task, as a job of a cluster runs it."""
    arguments.nights = os.path.dirname(os.path.abspath(arguments.folder))
    night = attach(open_night(arguments.folder), arguments)
    stage = BY_NAME[arguments.stage]
    if not stage.is_done(night, arguments.generation, arguments.task):
        stage.run(night, arguments.generation, arguments.task, arguments.threads)
    return 0


def newest(arguments):
    if arguments.name is not None:
        return folder_of(arguments, arguments.name)
    folders = [os.path.join(arguments.nights, name) for name in
               (os.listdir(arguments.nights) if os.path.isdir(arguments.nights) else [])]
    nights = [folder for folder in folders if os.path.exists(os.path.join(folder, "manifest.json"))]
    if not nights:
        raise NightError(f"no night in {arguments.nights} yet; begin one with: scripts/nightly")
    return max(nights, key=os.path.getmtime)


def status(arguments):
    night = attach(open_night(newest(arguments)), arguments)
    say(status_table(night))
    if slurm.was_asked(night):
        say("in the queue: " + (", ".join(sorted(slurm.queued(night))) or "nothing"))
    return 0


def history(arguments):
    hall = hall_for_name(arguments)
    reigning = os.path.basename(hall.current().folder)
    if not hall.entries():
        say("no champion was promoted here yet; the shipped one reigns")
    for name in hall.entries():
        origin = Champion(os.path.join(hall.history_folder, name)).origin
        match = origin.get("against_the_champion_before", {})
        results, elo = match.get("results", {}), match.get("elo") or {}
        value, error = elo.get("value"), elo.get("error")
        strength = f"{value:+.0f} ± {error:.0f} Elo" if value is not None and error is not None else "-"
        say(f"{'*' if name == reigning else ' '} {name}  {origin.get('promoted')}: +{results.get('wins')} "
            f"={results.get('draws')} -{results.get('losses')}, {strength}")
    return 0


def hall_for_name(arguments):
    if arguments.name is not None:
        return attach(open_night(folder_of(arguments, arguments.name)), arguments).hall
    return hall_of(arguments)


def rollback(arguments):
    before, now = hall_for_name(arguments).rollback()
    say(f"{before} no longer reigns; {now} does")
    return 0


def adopt(arguments):
    """The reigning champion becomes what the repository ships."""
    champion = hall_for_name(arguments).current()
    if champion.folder == SHIPPED:
        raise NightError("the shipped champion reigns; there is nothing to adopt")
    os.makedirs(SHIPPED, exist_ok=True)
    champion.copy_to(SHIPPED)
    copy_whole(os.path.join(champion.folder, "origin.json"), os.path.join(SHIPPED, "origin.json"))
    say(f"{os.path.relpath(SHIPPED, ROOT)} is now {os.path.basename(champion.folder)}; build, look at `tabula bench`, "
        "and commit it with its Bench line")
    return 0


def main(text):
    told = parser(text)
    arguments = told.parse_args()
    # "--name=--" gives argparse an empty list instead of a text.
    empty = [name for name, value in vars(arguments).items() if isinstance(value, list)]
    if empty:
        told.error(f"--{empty[0].replace('_', '-')}: '--' is no value")
    commands = {"run": run_night, "status": status, "history": history, "rollback": rollback, "adopt": adopt,
                "stage": run_stage}
    try:
        return commands[arguments.what](arguments)
    except NightError as error:
        print(f"nightly: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"nightly: {error}; what is finished is kept, and the same command goes on from here", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nnightly: stopped; what is finished is kept, and the same command goes on from here", file=sys.stderr)
        return 130
