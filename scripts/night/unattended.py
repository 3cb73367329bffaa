"""Nights without anybody watching: one after the other, never two at once, within a limit of disk space, and a command at
the end of each."""

import datetime
import glob
import os
import subprocess
import time

from .files import NightError, locked, remove_tree, run
from .history import nights_of
from .manifest import library_of, open_night
from .stages import FINISHED

# What a finished night no longer needs; its report, its verdicts and its weights stay.
SPARE = ("source", "generation-*/extract/*.tps", "generation-*/tune/report", "generation-*/learn/all.exp",
         "generation-*/gate/*/*.pgn", "generation-*/gate/*/*.journal")
GAMES = ("generation-*/merge/*.tgr",)


def used(folder):
    """Bytes under a folder."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size
            except FileNotFoundError:
                pass  # Another process has just removed it.
    return total


def make_room(nights, hall, limit_bytes, say):
    """Removes what old nights can do without until all of them take at most so many bytes; games come last, and the
    library is told. Answers whether there is room now."""
    finished = [folder for folder in nights_of(nights) if os.path.exists(os.path.join(folder, FINISHED))]
    for remove_some in (remove_spare, remove_games):
        for folder in finished:
            if used(nights) <= limit_bytes:
                return True
            remove_some(open_night(folder), hall, say)
    return used(nights) <= limit_bytes


def remove_spare(night, hall, say):
    if remove(night, SPARE):
        say(f"disk limit: removed what {night.name} no longer needs")


def remove_games(night, hall, say):
    library = library_of(hall)
    if os.path.exists(library):
        run([night.program("selfplay"), "library", "drop", "--library", library, "--night", night.name,
             "--reason", "removed to stay within the disk limit"], night.log("library"), good=(0, 1))
    if remove(night, GAMES):
        say(f"disk limit: removed the games of {night.name}")


def remove(night, patterns):
    """Whether there was anything to remove."""
    found = [path for pattern in patterns for path in glob.glob(os.path.join(glob.escape(night.folder), pattern))]
    for path in found:
        if os.path.isdir(path):
            remove_tree(path, night.folder)
        else:
            os.remove(path)
    return bool(found)


def at_end(command, name, code, nights, say):
    """A command of the user's (mail, a web hook) with what happened in its environment. It cannot spoil the night."""
    folder = os.path.join(nights, name)
    environment = {**os.environ, "NIGHT": name, "NIGHT_CODE": str(code), "NIGHT_FOLDER": folder,
                   "NIGHT_REPORT": os.path.join(folder, "report.html")}
    done = subprocess.run(command, shell=True, env=environment, check=False)
    if done.returncode != 0:
        say(f"nightly: the command at the end returned {done.returncode}")


def seconds_until(clock, now):
    """From now to the next time that a clock shows this, as 01:30."""
    try:
        hour, minute = map(int, clock.split(":"))
        then = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    except ValueError as error:
        raise NightError(f"--at {clock}: a time of day, such as 01:30") from error
    if then <= now:
        then += datetime.timedelta(days=1)
    return (then - now).total_seconds()


def every_night(arguments, begin_one, say, sleep=time.sleep):
    """Night after night until somebody stops it. `begin_one` runs a night of a name and answers its exit code."""
    if arguments.at:
        seconds_until(arguments.at, datetime.datetime.now())  # Refused now, not tonight.
    count = 0
    with locked(os.path.join(arguments.nights, "every-night.lock"), "nights one after the other"):
        while arguments.count is None or count < arguments.count:
            if arguments.at:
                wait = seconds_until(arguments.at, datetime.datetime.now())
                say(f"the next night begins at {arguments.at}, in {wait / 3600:.1f} h")
                sleep(wait)
            begin_one(next_name(arguments.nights))
            count += 1
    return 0


def next_name(nights):
    """The date; with a number if there is such a night already, unless it is not finished: then that one goes on."""
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    name, number = today, 1
    while os.path.exists(os.path.join(nights, name, FINISHED)):
        number += 1
        name = f"{today}.{number}"
    return name
