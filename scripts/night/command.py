"""The command line of the night."""

import argparse
import contextlib
import datetime
import os
import subprocess
import sys

from . import history as past
from . import local, progress, slurm, source, unattended
from .champion import Champion, Hall
from .clock import timed
from .files import NightError, copy_whole, die_with_parent, locked
from .manifest import Night, begin, check_name, check_unused, differences, open_night
from .report import print_table, status_table
from .settings import SETTINGS, check, complete, option
from .stages import BY_NAME, FINISHED, discard_parts, missing, work

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
SHIPPED = os.path.join(ROOT, "data", "champion")


def say(text):
    print(text, flush=True)


def parser(text):
    told = argparse.ArgumentParser(prog="scripts/nightly", description=text,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
    told.add_argument("what", nargs="?", default="run",
                      choices=("run", "status", "history", "rollback", "adopt", "stage", "launch"), help=argparse.SUPPRESS)
    told.add_argument("stage", nargs="?", choices=sorted(BY_NAME), help=argparse.SUPPRESS)
    place = told.add_argument_group("where")
    place.add_argument("--nights", default=os.path.join(ROOT, "nights"), help="folder of all nights [nights/]")
    place.add_argument("--name", help="this night's folder in it [the date]")
    place.add_argument("--local", action="store_true", help="on this machine (the default)")
    place.add_argument("--slurm", action="store_true", help="as jobs of a Slurm cluster")
    place.add_argument("--wait", action="store_true", help="with --slurm: wait for the last job")
    place.add_argument("--sbatch", action="append", help="with --slurm: more options for every sbatch, as one text; "
                                                        "'tune: --mem=16G' for a stage alone; may be given again")
    place.add_argument("--max-jobs", type=int, help="with --slurm: tasks of an array at the same time")
    place.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="cores to use [all]; no result "
                                                                                  "depends on it")
    place.add_argument("--dry-run", action="store_true", help="check everything, show what would run, and make nothing")
    place.add_argument("--watch", action="store_true", help="with status: drawn anew until the night has ended")
    place.add_argument("--to", help="with rollback: a champion by its number or name, or `shipped`")
    alone = told.add_argument_group("unattended")
    alone.add_argument("--every-night", action="store_true", help="night after night, named by date, never two at once")
    alone.add_argument("--at", help="with --every-night: when each begins, such as 01:30 [at once]")
    alone.add_argument("--count", type=int, help="with --every-night: so many nights [no end]")
    alone.add_argument("--alone", action="store_true", help="refuse to run beside another night of this folder (for cron)")
    alone.add_argument("--disk-limit", type=float, metavar="GB", help="remove what old nights no longer need, then their "
                                                                      "games, until all nights take at most so much")
    alone.add_argument("--at-end", metavar="COMMAND", help="run by the shell after each night; $NIGHT, $NIGHT_CODE, "
                                                           "$NIGHT_FOLDER and $NIGHT_REPORT say what happened")
    place.add_argument("--no-build", action="store_true", help="do not build the programs first")
    place.add_argument("--folder", help=argparse.SUPPRESS)
    place.add_argument("--generation", type=int, default=1, help=argparse.SUPPRESS)
    place.add_argument("--task", type=int, default=0, help=argparse.SUPPRESS)
    size = told.add_argument_group("what decides the result (kept in the manifest)")
    helps = {
        "seed": "decides everything random [of the date and the name]",
        "generations": "rounds of play, learn, tune, judge",
        "games": "games of a generation, from random openings: for the weights",
        "line_games": "games besides, from the ways to begin a game: for the book",
        "nodes": "nodes of a search that is a label: no iteration begins after them",
        "quick_nodes": "nodes of the other moves; 0: all moves are labels [an eighth of --nodes]",
        "label_share": "share of the moves that are labels",
        "hard_multiple": "hard node limit, as a multiple of the nodes",
        "shards": "parts that they are played in",
        "openings": "where they begin, as for selfplay generate",
        "dfrc_share": "share of random openings that begin with a Chess960 position [0.1]",
        "window": "generations whose games are tuned on",
        "replay_games": "games of earlier nights that are tuned on: all up to so many, of more a window that grows with "
                        "the power of 3/4; 0: none",
        "also": "more records of earlier nights that are tuned on as well, with commas between [none]",
        "per_game": "positions of a game that are tuned on",
        "result_share": "weight of the game's result in a label; the rest is the search's score",
        "arms": "what is tried against the champion: new weights, a new book, both",
        "gate_nodes": "nodes a move of the matches [as --nodes]",
        "gate_games": "the most games of a candidate's test",
        "gate_shards": "tasks that they are played in",
        "sprt": "the test that a candidate must pass",
        "gate_tc": "a second test at this clock, in which it must not be weaker, such as 2+0.02 [none]",
        "rating_games": "games that rate each generation [0; from zero 100]",
        "outsider_games": "games of candidate and of champion against an engine that never saw ours, where one is installed; "
                          "2000 see 25 Elo",
        "outsider_nodes": "its nodes a move [stockfish 0.3 times --gate-nodes, which made 50% in 24 games at 1000]",
    }
    for name, text_of_it in helps.items():
        default = SETTINGS[name]
        kind = type(default) if default is not None else float if name.endswith("share") else int
        shown = "" if "[" in text_of_it else f" [{default}]"
        size.add_argument(option(name), type=kind, help=(text_of_it + shown).replace("%", "%%"))
    size.add_argument("--from-zero", action="store_true", default=None,
                      help="begin with material values and an empty book, apart from the champion")
    size.add_argument("--unbalanced", action="store_true", default=None,
                      help="tune on positions as often as they come, not balanced by phase and material")
    size.add_argument("--no-ship", action="store_true", default=None, help="build no archive at the end")
    return told


def folder_of(arguments, name):
    """The folder of the night of this name. Nothing is made or read before the name is checked."""
    return os.path.join(arguments.nights, check_name(name))


def hall_of(arguments, night=None):
    """A night from zero has champions of its own: the blank slate must not dethrone anyone. What is shipped is what lies in
    the checkout, also for a night whose source is frozen."""
    from_zero = night is not None and night.settings["from_zero"]
    root = night.manifest["root"] if night else ROOT
    return Hall(night.folder if from_zero else arguments.nights, Champion(os.path.join(root, "data", "champion")))


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
    night.hall = hall_of(arguments, night)
    return night


def run_night(arguments):
    """A night, or one after the other; then the command that was asked for."""
    if arguments.every_night:
        return unattended.every_night(arguments, lambda name: one_night(arguments, name), say)
    return one_night(arguments, arguments.name)


def one_night(arguments, name):
    name = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d") if name is None else name
    code = 1
    try:
        code = play_night(arguments, name)
    except NightError as error:
        if not arguments.every_night:
            raise
        print(f"nightly: {error}", file=sys.stderr)  # The next night may go better.
    finally:
        if arguments.at_end and not arguments.dry_run:
            unattended.at_end(arguments.at_end, name, code, arguments.nights, say)
    return code


def play_night(arguments, name):
    settings = {setting: getattr(arguments, setting) for setting in SETTINGS}
    if settings["also"]:
        settings["also"] = ",".join(map(os.path.abspath, settings["also"].split(",")))
    arguments.nights = os.path.abspath(arguments.nights)
    folder = folder_of(arguments, name)
    has_begun = os.path.exists(os.path.join(folder, "manifest.json"))
    today = datetime.datetime.now(datetime.timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
    # Everything is refused here or not at all: nothing is made yet.
    chosen = complete(settings, today, name)
    if not has_begun:
        check(chosen)
        check_unused(folder)
    if arguments.slurm:
        slurm.check(arguments)
    if arguments.dry_run:
        return show(arguments, Night(folder, {"settings": chosen}) if not has_begun else open_night(folder))
    if arguments.disk_limit is not None:
        limit = int(arguments.disk_limit * 1e9)
        if not unattended.make_room(arguments.nights, hall_of(arguments), limit, say):
            raise NightError(f"--disk-limit {arguments.disk_limit}: {arguments.nights} takes more, and nothing more can go")
    with contextlib.ExitStack() as held:
        if arguments.alone or arguments.every_night:
            held.enter_context(locked(os.path.join(arguments.nights, "alone.lock"), f"a night of {arguments.nights}"))
        return locked_night(arguments, name, folder, settings, chosen, today)


def locked_night(arguments, name, folder, settings, chosen, today):
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
            hall = Hall(folder if chosen["from_zero"] else arguments.nights, Champion(SHIPPED))
            night = begin(folder, chosen, today, hall, ROOT, release_folder())
            left_out = night.manifest["library"]["left_out"]
            for fault in left_out:
                say(f"left out of the library: {fault}")
        attach(night, arguments)
        if not os.path.exists(night.path(FINISHED)):
            discard_parts(night)
            run_frozen(night, arguments)
    if not os.path.exists(night.path(FINISHED)):
        if arguments.slurm and not arguments.wait:
            return 0
        raise NightError(f"the night is not finished: {', '.join(missing(night)) or 'report'} missing; logs: "
                         f"{night.path('logs')}; the same command goes on from here")
    print_table(night)
    return 0


def run_frozen(night, arguments):
    """Launches what is missing, by the scripts that the night began with."""
    frozen = night.path(source.FOLDER, "scripts", "nightly")
    options = ["--folder", night.folder, "--threads", str(arguments.threads)]
    if arguments.slurm:
        options += ["--slurm", *(["--wait"] if arguments.wait else [])]
        options += [f"--sbatch={text}" for text in arguments.sbatch or []]
        options += [f"--max-jobs={arguments.max_jobs}"] if arguments.max_jobs else []
    done = subprocess.run([sys.executable, frozen, "launch", *options], preexec_fn=die_with_parent, check=False)
    if done.returncode not in (0, 1):
        raise KeyboardInterrupt if done.returncode == 130 else NightError(f"{frozen} ended with {done.returncode}")
    if done.returncode == 1:
        raise NightError(f"night {night.name} stopped (see above)")


def launch(arguments):
    """The stages of a night that are missing; run by the night's own copy of this program."""
    arguments.nights = os.path.dirname(os.path.abspath(arguments.folder))
    night = attach(open_night(arguments.folder), arguments)
    if not arguments.slurm:
        local.launch(night, arguments.threads, say)
        return 0
    slurm.launch(night, arguments, say)
    if arguments.wait:
        slurm.wait(night, say)
    else:
        say(f"the night runs on the cluster; see: scripts/nightly status --name {night.name}")
    return 0


def show(arguments, night):
    """What a night would do."""
    for name, value in night.settings.items():
        say(f"{option(name):18} {value}")
    say("")
    if arguments.slurm:
        slurm.launch(night, arguments, say)
        return 0
    for stage, generation, task in work(night):
        if task == 0:
            left = [task for task in range(stage.tasks(night)) if not stage.is_done(night, generation, task)]
            label = stage.name if stage.final else f"generation {generation}: {stage.name}"
            say(f"{label}: {len(left)} of {stage.tasks(night)} tasks to do")
    say("nothing was run (--dry-run)")
    return 0


def run_stage(arguments):
    """One task, as a job of a cluster runs it."""
    arguments.nights = os.path.dirname(os.path.abspath(arguments.folder))
    night = attach(open_night(arguments.folder), arguments)
    stage = BY_NAME[arguments.stage]
    if not stage.is_done(night, arguments.generation, arguments.task):
        with timed(night, stage, arguments.generation, arguments.task):
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
    if arguments.watch:
        progress.watch(night, status_table, FINISHED)
        return 0
    say(status_table(night))
    for text in progress.now(night):
        say(f"runs: {text}")
    if slurm.was_asked(night):
        say("in the queue: " + (", ".join(sorted(slurm.queued(night))) or "nothing"))
    return 0


def history(arguments):
    hall = hall_for_name(arguments)
    say("champions:")
    for line in past.champion_lines(hall):
        say(line)
    reigning = hall.current()
    if reigning.folder == hall.shipped.folder:
        say("* what the repository ships")
    player = hall.player()
    if player.identity != reigning.identity:
        say(f"the next games are played by {os.path.relpath(player.folder, hall.folder)}: {player.origin.get('why')}")
    say("nights:")
    for line in past.older_lines(arguments.nights):
        say(line)
    for folder in past.nights_of(arguments.nights):
        for line in past.night_lines(attach(open_night(folder), arguments)):
            say(line)
    return 0


def hall_for_name(arguments):
    if arguments.name is not None:
        return attach(open_night(folder_of(arguments, arguments.name)), arguments).hall
    return hall_of(arguments)


def rollback(arguments):
    before, now = hall_for_name(arguments).rollback(arguments.to)
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
                "stage": run_stage, "launch": launch}
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
