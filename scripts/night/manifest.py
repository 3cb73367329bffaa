"""What decides the result of a night, written down before it begins."""

import json
import os
import re
import time

from . import source
from .champion import BOOK, EVIDENCE, HISTORY, LINK, ORIGIN, PLAYER_LINK, WEIGHTS, Champion
from .files import NightError, copy_whole, read_json, remove_tree, run, sha256, write_json
from .settings import SETTINGS, also_paths, option

FORMAT = 2  # 1: a gate was played in rounds of `gate_games`
PROGRAMS = ("selfplay", "tune", "tabula")
PLAYER = "player"
LIBRARY = "library"

# Names beside the nights that are not nights, and the mark of what is not finished.
RESERVED = (LINK, PLAYER_LINK, HISTORY, LIBRARY)
UNFINISHED = ".part-"
LONGEST_NAME = 64
# What a night's folder may hold before its manifest is written.
BEFORE_THE_MANIFEST = ("bin", "lock", "logs", "start", PLAYER, source.FOLDER)


def check_name(name):
    """The one rule for the name of a night: it is a folder's name, part of job names and of the history."""
    wrong = None
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", name):
        wrong = "letters, digits, '-', '_' and '.' only, and neither '-' nor '.' first"
    elif len(name) > LONGEST_NAME:
        wrong = f"at most {LONGEST_NAME} characters"
    elif name.lower() in RESERVED or name.endswith(".lock"):
        wrong = f"{', '.join(RESERVED)} and locks are taken: they belong to all nights"
    elif UNFINISHED in name:
        wrong = f"'{UNFINISHED}' marks what is not finished"
    if wrong:
        shown = name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "…"
        raise NightError(f"--name {shown!r}: {wrong}; for example --name 2026-01-31 or --name longer-games")
    return name


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
    def replayed(self):
        """Records of earlier nights that are tuned on, the newest first."""
        return [*also_paths(self.settings), *(record["file"] for record in self.manifest["library"]["files"])]

    @property
    def name(self):
        return os.path.basename(self.folder)

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
        """What a generation must beat."""
        return Champion(self.generation(generation - 1, "promote")) if generation > 1 else self.start()

    def player_before(self, generation):
        """What plays the games of a generation, and what its fit begins with: perhaps newer than the champion."""
        return Champion(self.generation(generation - 1, "promote", PLAYER) if generation > 1 else self.path(PLAYER))

    def seed_of(self, generation, purpose):
        """Every use of chance in a night has a seed of its own."""
        purposes = ("games", "extract", "tune", "gate", "rating", "outsider", "lines")
        return self.settings["seed"] + 1_000_003 * generation + 7_919 * purposes.index(purpose)


def open_night(folder):
    """A night that has begun. Its programs and its start are checked; records are not read again: whoever reads them
    finds damage by their checksums."""
    path = os.path.join(folder, "manifest.json")
    if not os.path.exists(path):
        raise NightError(f"{folder} is no night: it has no manifest.json")
    manifest = read_json(path)
    if manifest.get("format") != FORMAT:
        raise NightError(f"{path}: format {manifest.get('format')}, this program knows {FORMAT}; finish that night with "
                         "the program that began it, or begin another one (--name)")
    night = Night(folder, manifest)
    inside = {night.program(name): expected for name, expected in manifest["programs"].items()}
    for part in ("start", "player"):
        inside.update({night.path(part, name): expected for name, expected in manifest[part].items()})
    for path, expected in inside.items():
        if not os.path.exists(path) or sha256(path) != expected:
            raise NightError(f"{path} is not what the manifest says; begin a new night (--name)")
    return night


def begin(folder, chosen, today, hall, root, release_folder):
    """Makes the folder of a new night: copies of the source, of the programs, of champion and player, then the manifest.
    The manifest comes last; a folder without it is no night yet, and is begun anew."""
    for name in PROGRAMS:
        built = os.path.join(release_folder, name)
        if not os.path.exists(built):
            raise NightError(f"{built} is missing; build it with: cargo build --release --workspace")
    champion, player = hall.current(), hall.player()
    os.makedirs(os.path.join(folder, "bin"), exist_ok=True)
    source.freeze(root, os.path.join(folder, source.FOLDER))
    manifest = {
        "format": FORMAT, "settings": chosen, "date_epoch": int(today.timestamp()), "begun": int(time.time()),
        "commit": source.commit_of(root), "root": root, "programs": {},
        "shipped_weights_sha256": sha256(hall.shipped.weights),
        "also": {path: sha256(path) for path in also_paths(chosen)},
    }
    night = Night(folder, manifest)
    for name in PROGRAMS:
        copy_whole(os.path.join(release_folder, name), night.program(name))
        manifest["programs"][name] = sha256(night.program(name))
    for part, who in (("start", champion), (PLAYER, player)):
        remove_tree(night.path(part), folder)
        os.makedirs(night.path(part))
        if chosen["from_zero"]:
            weights = night.path(part, "weights.toml")
            run([night.program("tune"), "start", "material", "--out", weights], night.log("start"), night.environment)
        else:
            who.copy_to(night.path(part))
        manifest[part] = {name: sha256(night.path(part, name)) for name in sorted(os.listdir(night.path(part)))}
    manifest["library"] = replay(night, hall)
    write_json(night.path("manifest.json"), manifest)
    return night


def replay(night, hall):
    """Records of earlier nights to tune on, the newest first: chosen once, so that nights beside this one change
    nothing. A night from zero has none."""
    least = night.settings["replay_games"]
    if not least or night.settings["from_zero"]:
        return {"files": [], "games": 0, "left_out": []}
    told = run([night.program("selfplay"), "library", "take", "--library", library_of(hall), "--least", str(least), "--json"],
               night.log("library"), capture=True, good=(0, 1))
    return json.loads(told)


def library_of(hall):
    """The catalogue of all games of a place."""
    return os.path.join(hall.folder, LIBRARY)


def check_unused(folder):
    """A folder without a manifest may be what a killed night left, and nothing else: it is begun anew."""
    if not os.path.isdir(folder):
        return
    strangers = [name for name in sorted(os.listdir(folder)) if name not in BEFORE_THE_MANIFEST
                 and not name.startswith(("manifest.json", source.FOLDER + UNFINISHED))]
    for part in ("start", PLAYER):
        if os.path.isdir(os.path.join(folder, part)):
            strangers += [os.path.join(part, name) for name in sorted(os.listdir(os.path.join(folder, part)))
                          if name.split(UNFINISHED)[0] not in (WEIGHTS, BOOK, EVIDENCE, ORIGIN)]
    if strangers:
        raise NightError(f"{folder} is no night and holds other files ({', '.join(strangers[:3])}); they stay: begin the "
                         "night under another --name")


def differences(night, settings):
    """What a command line asks for that the night's manifest says otherwise."""
    asked = {name: value for name, value in settings.items() if name in SETTINGS and value is not None}
    return [f"{option(name)} is {night.settings[name]}, not {value}"
            for name, value in asked.items() if night.settings[name] != value]
