"""What decides the result of a night, written down before it begins."""

import datetime
import os
import re

from .champion import BOOK, HISTORY, LINK, WEIGHTS, Champion
from .files import NightError, copy_whole, read_json, remove_tree, run, sha256, write_json

FORMAT = 1
PROGRAMS = ("selfplay", "tune", "tabula")
# What a gate may try against the champion: new weights, a new book, both.
ARMS = ("weights", "book", "both")

# What a user may choose, with its default: the first column is the option, `_` for `-`.
SETTINGS = {
    "seed": None,  # of the date
    "generations": 1,
    "games": 400,
    "line_games": 200,
    "nodes": 1000,
    "hard_multiple": 8,
    "shards": 4,
    "openings": "random",
    "window": 2,
    "also": "",
    "per_game": 60,
    "result_share": 0.4,
    "arms": "weights,book,both",
    "gate_nodes": None,  # as nodes
    "gate_games": 100,
    "gate_rounds": 4,
    "sprt": "elo0=0,elo1=10,alpha=0.05,beta=0.05",
    "rating_games": 0,
    "outsider_games": 40,
    "from_zero": False,
    "no_ship": False,
}


# Names beside the nights that are not nights, and the mark of what is not finished.
RESERVED = (LINK, HISTORY)
UNFINISHED = ".part-"
LONGEST_NAME = 64
# What a night's folder may hold before its manifest is written.
BEFORE_THE_MANIFEST = ("bin", "lock", "logs", "start")


def check_name(name):
    """The one rule for the name of a night: it is a folder's name, part of job names and of the history."""
    wrong = None
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", name):
        wrong = "letters, digits, '-', '_' and '.' only, and neither '-' nor '.' first"
    elif len(name) > LONGEST_NAME:
        wrong = f"at most {LONGEST_NAME} characters"
    elif name.lower() in RESERVED:
        wrong = f"{' and '.join(RESERVED)} are taken: they hold the champions of all nights"
    elif UNFINISHED in name:
        wrong = f"'{UNFINISHED}' marks what is not finished"
    if wrong:
        shown = name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "…"
        raise NightError(f"--name {shown!r}: {wrong}; for example --name 2026-01-31 or --name longer-games")
    return name


def also_paths(settings):
    """Records of earlier nights that are tuned on as well."""
    return [path for path in settings["also"].split(",") if path]


class Night:
    """A night's folder and its manifest."""

    def __init__(self, folder, manifest):
        self.folder = folder
        self.manifest = manifest
        # A night that began before a setting existed goes on with its default.
        self.settings = {**SETTINGS, **manifest["settings"]}

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def generation(self, number, *parts):
        return self.path(f"generation-{number}", *parts)

    def program(self, name):
        return self.path("bin", name)

    def log(self, name):
        return self.path("logs", name + ".log")

    @property
    def environment(self):
        """Dates in files are the night's, so that a night that takes two days has the bytes of one that did not."""
        return {"SOURCE_DATE_EPOCH": str(self.manifest["date_epoch"])}

    @property
    def arms(self):
        return self.settings["arms"].split(",")

    @property
    def also(self):
        return also_paths(self.settings)

    @property
    def tunes_weights(self):
        return any(arm in ("weights", "both") for arm in self.arms)

    @property
    def teaches_a_book(self):
        return any(arm in ("book", "both") for arm in self.arms)

    def generations(self):
        return range(1, self.settings["generations"] + 1)

    def start(self):
        return Champion(self.path("start"))

    def champion_before(self, generation):
        """What plays the games of a generation."""
        return Champion(self.generation(generation - 1, "promote")) if generation > 1 else self.start()

    def seed_of(self, generation, purpose):
        """Every use of chance in a night has a seed of its own."""
        purposes = ("games", "extract", "tune", "gate", "rating", "outsider", "lines")
        return self.settings["seed"] + 1_000_003 * generation + 7_919 * purposes.index(purpose)


def open_night(folder):
    path = os.path.join(folder, "manifest.json")
    if not os.path.exists(path):
        raise NightError(f"{folder} is no night: it has no manifest.json")
    manifest = read_json(path)
    if manifest.get("format") != FORMAT:
        raise NightError(f"{path}: format {manifest.get('format')}, this program knows {FORMAT}")
    night = Night(folder, manifest)
    for path, expected in manifest.get("also", {}).items():
        if not os.path.exists(path) or sha256(path) != expected:
            raise NightError(f"{path} is not what it was when the night began; begin a new night (--name)")
    for name, expected in {**manifest["programs"], **manifest["start"]}.items():
        inside = night.program(name) if name in PROGRAMS else night.path("start", name)
        if expected and (not os.path.exists(inside) or sha256(inside) != expected):
            raise NightError(f"{inside} is not what the manifest says; begin a new night (--name)")
    return night


def begin(folder, settings, champion, release_folder):
    """Makes the folder of a new night: a copy of the programs and of the champion, then the manifest. The manifest
    comes last; a folder without it is no night yet, and is begun anew."""
    today = datetime.datetime.now(datetime.timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
    chosen = {name: default if settings.get(name) is None else settings[name] for name, default in SETTINGS.items()}
    if chosen["seed"] is None:
        chosen["seed"] = int(today.strftime("%Y%m%d"))
    if chosen["gate_nodes"] is None:
        chosen["gate_nodes"] = chosen["nodes"]
    if chosen["from_zero"] and not chosen["rating_games"]:
        chosen["rating_games"] = 100
    check(chosen)
    os.makedirs(os.path.join(folder, "bin"), exist_ok=True)
    programs = {}
    for name in PROGRAMS:
        built = os.path.join(release_folder, name)
        if not os.path.exists(built):
            raise NightError(f"{built} is missing; build it with: cargo build --release --workspace")
        copy_whole(built, os.path.join(folder, "bin", name))
        programs[name] = sha256(os.path.join(folder, "bin", name))
    manifest = {"format": FORMAT, "settings": chosen, "date_epoch": int(today.timestamp()), "programs": programs,
                "also": {path: sha256(path) for path in also_paths(chosen)}}
    night = Night(folder, manifest)
    start = night.path("start")
    remove_tree(start, folder)
    os.makedirs(start)
    if chosen["from_zero"]:
        weights = os.path.join(start, "weights.toml")
        run([night.program("tune"), "start", "material", "--out", weights], night.log("start"), night.environment)
    else:
        champion.copy_to(start)
    manifest["start"] = {name: sha256(os.path.join(start, name)) for name in sorted(os.listdir(start))}
    write_json(night.path("manifest.json"), manifest)
    return night


def check_unused(folder):
    """A folder without a manifest may be what a killed night left, and nothing else: it is begun anew."""
    if not os.path.isdir(folder):
        return
    start = os.path.join(folder, "start")
    strangers = [name for name in sorted(os.listdir(folder)) if name not in BEFORE_THE_MANIFEST
                 and not name.startswith("manifest.json")]
    if os.path.isdir(start):
        strangers += [os.path.join("start", name) for name in sorted(os.listdir(start))
                      if name.split(UNFINISHED)[0] not in (WEIGHTS, BOOK)]
    if strangers:
        raise NightError(f"{folder} is no night and holds other files ({', '.join(strangers[:3])}); they stay: begin the "
                         "night under another --name")


def check(settings):
    for name in ("generations", "games", "line_games", "nodes", "hard_multiple", "shards", "gate_games", "gate_rounds",
                 "gate_nodes", "window"):
        if settings[name] < 1:
            raise NightError(f"--{name.replace('_', '-')} {settings[name]}: at least 1")
    if settings["shards"] > min(settings["games"], settings["line_games"], 1000):
        raise NightError(f"--shards {settings['shards']}: at most one a game, and at most 1000 (Slurm's array limit)")
    for path in also_paths(settings):
        if not os.path.isfile(path):
            raise NightError(f"--also {path}: no such file; it takes records (.tgr) of earlier nights, with commas between")
    unknown = [arm for arm in settings["arms"].split(",") if arm not in ARMS]
    if unknown:
        raise NightError(f"--arms {settings['arms']}: unknown {', '.join(unknown)}; known are {', '.join(ARMS)}")
    number = r"[+-]?[0-9]+(\.[0-9]+)?"
    if not re.fullmatch(",".join(f"{key}={number}" for key in ("elo0", "elo1", "alpha", "beta")), settings["sprt"]):
        raise NightError(f"--sprt {settings['sprt']!r:.80}: it should be like {SETTINGS['sprt']}")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", settings["openings"]) and not os.path.isfile(settings["openings"]):
        raise NightError(f"--openings {settings['openings']!r:.80}: no such file; see selfplay generate --help")
    for name in ("gate_games", "rating_games", "outsider_games"):
        if settings[name] % 2:
            raise NightError(f"--{name.replace('_', '-')} {settings[name]}: an even number, games come in pairs")


def differences(night, settings):
    """What a command line asks for that the night's manifest says otherwise."""
    asked = {name: value for name, value in settings.items() if name in SETTINGS and value is not None}
    return [f"--{name.replace('_', '-')} is {night.settings[name]}, not {value}"
            for name, value in asked.items() if night.settings[name] != value]
