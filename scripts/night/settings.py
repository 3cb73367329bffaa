"""What a user may choose, its defaults, and whether it makes sense. Everything is checked before a folder is made."""

import os
import re
import zlib

from .files import NightError

# What a gate may try against the champion: new weights, a new book, both.
ARMS = ("weights", "book", "both")
# Slurm's default MaxArraySize is 1001: tasks are numbered 0 to 1000.
MOST_TASKS = 1000

# The option (`_` for `-`) and its default.
SETTINGS = {
    "seed": None,  # of the date and the name
    "generations": 1,
    "games": 1200,
    "line_games": 200,
    "nodes": 1000,
    "quick_nodes": None,  # an eighth of nodes
    "label_share": 0.2,
    "hard_multiple": 8,
    "shards": 4,
    "openings": "random",
    "dfrc_share": None,  # a tenth of random openings
    "window": 2,
    "replay_games": 20000,
    "also": "",
    "per_game": 60,
    "unbalanced": False,
    "result_share": 0.4,
    "arms": "weights,book,both",
    "gate_nodes": None,  # as nodes
    "gate_games": 8000,
    "gate_shards": 1,
    "sprt": "elo0=0,elo1=15,alpha=0.04,beta=0.05",
    "gate_tc": "",  # no part at a clock
    "rating_games": 0,
    "outsider_games": 2000,
    "outsider_nodes": 0,  # a share of gate_nodes that makes an even match
    "from_zero": False,
    "no_ship": False,
}

AT_LEAST_ONE = ("generations", "games", "line_games", "nodes", "hard_multiple", "shards", "gate_games", "gate_shards",
                "gate_nodes", "window", "per_game")
NOT_NEGATIVE = ("quick_nodes", "replay_games", "rating_games", "outsider_games", "outsider_nodes", "seed")
SHARES = ("label_share", "dfrc_share", "result_share")
EVEN = ("gate_games", "rating_games", "outsider_games")
TIME_CONTROL = re.compile(r"(\d+/)?\d+(\.\d+)?(\+\d+(\.\d+)?)?")


def option(name):
    return "--" + name.replace("_", "-")


def also_paths(settings):
    """Records of earlier nights that are tuned on as well."""
    return [path for path in settings["also"].split(",") if path]


def complete(asked, today, name=None):
    """Every setting with its value: what was asked for, or what follows from the rest."""
    chosen = {setting: default if asked.get(setting) is None else asked[setting] for setting, default in SETTINGS.items()}
    follows = {
        "seed": lambda: usual_seed(today, name),
        "gate_nodes": lambda: chosen["nodes"],
        "quick_nodes": lambda: max(1, chosen["nodes"] // 8),
        "dfrc_share": lambda: 0.1 if chosen["openings"] == "random" else 0.0,
    }
    for setting, value in follows.items():
        if chosen[setting] is None:
            chosen[setting] = value()
    if chosen["from_zero"] and not chosen["rating_games"]:
        chosen["rating_games"] = 100
    return chosen


def usual_seed(today, name):
    """The date; for a night with a name of its own another one, or two nights of a day would play the same games."""
    if name in (None, today.strftime("%Y-%m-%d")):
        return int(today.strftime("%Y%m%d"))
    return zlib.crc32(f"{today:%Y-%m-%d} {name}".encode())


def check(settings):
    """Refuses what would fail hours later, with the option that is wrong."""
    def refuse(name, why):
        raise NightError(f"{option(name)} {settings[name]}: {why}")

    for name in AT_LEAST_ONE:
        if settings[name] < 1:
            refuse(name, "at least 1")
    for name in NOT_NEGATIVE:
        if settings[name] < 0:
            refuse(name, "at least 0")
    for name in SHARES:
        if not 0 <= settings[name] <= 1:
            refuse(name, "a share lies between 0 and 1")
    for name in EVEN:
        if settings[name] % 2:
            refuse(name, "an even number, games come in pairs")
    if settings["quick_nodes"] and settings["label_share"] == 0:
        refuse("label_share", "no move would be a label; give --quick-nodes 0 to search all moves alike")
    check_arms(settings, refuse)
    check_tasks(settings, refuse)
    check_openings(settings, refuse)
    check_sprt(settings["sprt"], refuse)
    if settings["gate_tc"] and not TIME_CONTROL.fullmatch(settings["gate_tc"]):
        refuse("gate_tc", "no time control; write seconds and an increment, such as 2+0.02")
    for path in also_paths(settings):
        if not os.path.isfile(path):
            raise NightError(f"--also {path}: no such file; it takes records (.tgr) of earlier nights, with commas between")


def check_arms(settings, refuse):
    arms = settings["arms"].split(",")
    unknown = [arm for arm in arms if arm not in ARMS]
    if unknown:
        refuse("arms", f"unknown {', '.join(unknown)}; known are {', '.join(ARMS)}")
    if len(set(arms)) < len(arms):
        refuse("arms", "an arm is named twice")


def check_tasks(settings, refuse):
    """A stage is one array of a cluster: all its tasks must fit in it."""
    arms = settings["arms"].split(",")
    kinds = any(arm != "book" for arm in arms) + any(arm != "weights" for arm in arms)
    played = [settings["games"]] * any(arm != "book" for arm in arms) + \
             [settings["line_games"]] * any(arm != "weights" for arm in arms)
    if settings["shards"] > min(played):
        refuse("shards", "at most one a game")
    if kinds * settings["shards"] > MOST_TASKS:
        refuse("shards", f"{kinds} kinds of games in so many shards are more than {MOST_TASKS} tasks (Slurm's array "
                         f"limit); at most {MOST_TASKS // kinds}")
    if len(arms) * settings["gate_shards"] > MOST_TASKS:
        refuse("gate_shards", f"{len(arms)} arms in so many shards are more than {MOST_TASKS} tasks; at most "
                              f"{MOST_TASKS // len(arms)}")
    if settings["gate_shards"] > settings["gate_games"] // 2:
        refuse("gate_shards", "at most one a pair of games")


def check_openings(settings, refuse):
    if settings["openings"] not in ("random", "dfrc") and not os.path.isfile(settings["openings"]):
        refuse("openings", "neither `random` nor `dfrc`, and no such file")
    if settings["dfrc_share"] and settings["openings"] != "random":
        refuse("dfrc_share", "a share of random openings; leave it out with --openings")


def check_sprt(text, refuse):
    """The same rules as `selfplay gate --sprt` has."""
    values = {"alpha": 0.05, "beta": 0.05}
    for part in filter(None, re.split("[, ]", text)):
        name, _, value = part.partition("=")
        if name == "model" and value in ("logistic", "normalised", "normalized"):
            continue
        try:
            values[name] = float(value)
        except ValueError:
            refuse("sprt", "write elo0=0,elo1=15,alpha=0.04,beta=0.05")
    if set(values) != {"elo0", "elo1", "alpha", "beta"} or not all(abs(value) < 1e6 for value in values.values()):
        refuse("sprt", "write elo0=0,elo1=15,alpha=0.04,beta=0.05")
    if values["elo0"] >= values["elo1"]:
        refuse("sprt", "elo0 must be below elo1")
    if not all(0 < values[rate] < 0.5 for rate in ("alpha", "beta")):
        refuse("sprt", "alpha and beta must lie between 0 and 0.5")
