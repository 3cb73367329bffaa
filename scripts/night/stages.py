"""The table of stages. Each is a function from finished files to new ones; both launchers read this table."""

import contextlib
import json
import os
import random
from dataclasses import dataclass
from typing import Callable

from . import outsider
from . import source
from .champion import BOOK, EVIDENCE, ORIGIN, WEIGHTS, Champion
from .engine_spec import in_process
from .files import copy_whole, published_folder, read_json, run, sha256, sweep, write_json
from .manifest import PLAYER, library_of
from .teaching import teaching_games

# Draws are called late and seldom: the blank slate finds every quiet position level.
ADJUDICATION = ["--adjudicate", "0.9", "--draw", "movenumber=60,movecount=20,score=5"]
# Decided games of a gate are not played out; both engines must agree.
DECIDED = ["--resign", "movecount=4,score=900,twosided", "--draw", "movenumber=60,movecount=12,score=8"]


@dataclass(frozen=True)
class Stage:
    """A step of a generation (or of the night's end)."""

    name: str
    needs: tuple
    run: Callable  # (night, generation, task, threads)
    is_done: Callable  # (night, generation, task) -> bool
    tasks: Callable = lambda night: 1
    final: bool = False  # once a night, after all generations
    before: tuple = ()  # stages of the generation before that it needs
    resumes: bool = False  # goes on inside a task that was interrupted


def folder_is_there(name):
    return lambda night, generation, task: os.path.isdir(night.generation(generation, name))


# --- openings: where lines begin --------------------------------------------------------------------------------

# Two kinds of games. GAMES begin with random moves: they show the tuner all kinds of positions. LINES are for the book,
# which can only help in positions that come up again: they begin at one of the ways to begin a game that are level, the
# same ones in every generation.
GAMES, LINES = "games", "lines"
LEVEL = ["--plies", "2", "--limit", "20"]


def kinds(night):
    """The kinds of games that this night plays."""
    return (GAMES,) * night.tunes_weights + (LINES,) * night.teaches_a_book


def line_openings(night):
    return night.path("openings", f"{LINES}.epd")


def openings(night, generation, task, threads):
    """Once a night: what it began with judges, or openings would come and go."""
    with published_folder(night.path("openings")) as part:
        if not night.teaches_a_book:
            return
        told = run([night.program("selfplay"), "openings", *LEVEL, "--weights", night.start().weights],
                   night.log("openings"), capture=True)
        positions = told.splitlines()
        random.Random(night.settings["seed"]).shuffle(positions)
        # Two games each: one with the pupil as White, one as Black.
        with open(os.path.join(part, f"{LINES}.epd"), "w", encoding="utf-8") as file:
            file.writelines(position + "\n" for position in positions[:max(1, night.settings["line_games"] // 2)])


# --- generate: one task a shard --------------------------------------------------------------------------------

def shard_of(night, task):
    """The kind of games of a task, and the number of the shard (from 0)."""
    return kinds(night)[task // night.settings["shards"]], task % night.settings["shards"]


def shard_mark(night, generation, kind, shard):
    return night.generation(generation, kind, f"shard-{shard + 1}.json")


def book_so_far(night, generation):
    """What the pupil of a generation asks: all that was learned before it, whether it passed its test or not."""
    learned = night.generation(generation - 1, "learn", ALL_ROWS)
    return learned if os.path.exists(learned) else night.player_before(generation).book


def generate(night, generation, task, threads):
    settings, player = night.settings, night.player_before(generation)
    kind, shard = shard_of(night, task)
    command = [
        night.program("selfplay"), "generate", "--out", night.generation(generation, kind), "--json",
        "--hard-multiple", str(settings["hard_multiple"]), "--shard", f"{shard + 1}/{settings['shards']}",
        "--seed", str(night.seed_of(generation, kind)), "--weights", player.weights, "--threads", str(threads),
        *ADJUDICATION,
    ]
    if kind == GAMES:
        command += ["--games", str(settings["games"]), *searches(settings), "--openings", settings["openings"],
                    "--dfrc-share", str(settings["dfrc_share"])]
    else:
        command += ["--games", str(settings["line_games"]),
                    *teaching_games(settings["gate_nodes"], line_openings(night), book_so_far(night, generation))]
    told = json.loads(run(command, night.log(f"generate-{generation}-{kind}-{shard + 1}"), capture=True))
    record = told["file"]
    write_json(shard_mark(night, generation, kind, shard), {"file": os.path.basename(record), "sha256": sha256(record)})


def searches(settings):
    """Most moves are played quickly; those that are labels are searched with all nodes."""
    if not settings["quick_nodes"]:
        return ["--nodes", str(settings["nodes"])]
    return ["--nodes", str(settings["quick_nodes"]),
            "--deep", f"share={settings['label_share']},nodes={settings['nodes']}"]


def shard_is_there(night, generation, task):
    return os.path.exists(shard_mark(night, generation, *shard_of(night, task)))


# --- merge: all shards, whole and in order, become one record of each kind --------------------------------------

def merge(night, generation, task, threads):
    with published_folder(night.generation(generation, "merge")) as part:
        for kind in kinds(night):
            merge_kind(night, generation, kind, part)
    # Their games are in the merged record now.
    for kind in kinds(night):
        for shard in range(night.settings["shards"]):
            record = read_json(shard_mark(night, generation, kind, shard))["file"]
            with contextlib.suppress(FileNotFoundError):
                os.remove(night.generation(generation, kind, record))


def merge_kind(night, generation, kind, part):
    shards = [read_json(shard_mark(night, generation, kind, shard)) for shard in range(night.settings["shards"])]
    files = [night.generation(generation, kind, shard["file"]) for shard in shards]
    merged, log = os.path.join(part, f"{kind}.tgr"), night.log(f"merge-{generation}")
    run([night.program("selfplay"), "merge", "--output", merged, *files], log)
    run([night.program("selfplay"), "verify", merged], log)
    stats = run([night.program("selfplay"), "stats", "--json", merged], log, capture=True)
    write_json(os.path.join(part, f"{kind}.json"), json.loads(stats))


def records(night, generations):
    """The merged records of these generations, of all kinds."""
    return [night.generation(number, "merge", f"{kind}.tgr") for number in generations for kind in kinds(night)]


# --- library: the records become known to the nights to come ----------------------------------------------------

def library(night, generation, task, threads):
    manifest = night.manifest
    run([night.program("selfplay"), "library", "add", "--library", library_of(night.hall), *records(night, [generation]),
         "--night", night.name, "--commit", manifest["commit"], "--date", str(manifest["begun"] + generation),
         "--champion", sha256(night.champion_before(generation).weights)], night.log(f"library-{generation}"))
    write_json(night.generation(generation, "library.json"), {})


def is_catalogued(night, generation, task):
    return os.path.exists(night.generation(generation, "library.json"))


# --- learn: the book so far and the new lines become a candidate book -------------------------------------------

# Everything that was learned, for the generations to come; the candidate leaves out what was played only once.
ALL_ROWS = "all.exp"
LEAST_GAMES = "2"


def learn(night, generation, task, threads):
    log = night.log(f"learn-{generation}")
    with published_folder(night.generation(generation, "learn")) as part:
        if not night.teaches_a_book:
            return
        everything, book = os.path.join(part, ALL_ROWS), os.path.join(part, BOOK)
        before = book_so_far(night, generation)
        if before:
            copy_whole(before, everything)
        told = run([night.program("selfplay"), "learn", "--games", night.generation(generation, "merge", f"{LINES}.tgr"),
                    "--book", everything, "--json"], log, capture=True)
        write_json(os.path.join(part, "learned.json"), json.loads(told))
        run([night.program("selfplay"), "book", "prune", everything, "--min-games", LEAST_GAMES, "-o", book], log)
        info = run([night.program("selfplay"), "book", "info", "--json", book], log, capture=True)
        write_json(os.path.join(part, "book.json"), json.loads(info))
        for left in os.listdir(part):
            if left.endswith(".lock"):
                os.remove(os.path.join(part, left))


# --- extract: games of the last generations become labelled positions ------------------------------------------

def extract(night, generation, task, threads):
    settings = night.settings
    first = max(1, generation - settings["window"] + 1)
    with published_folder(night.generation(generation, "extract")) as part:
        if not night.tunes_weights:
            return
        run([
            # The newest first: of a position that comes again the first label counts.
            night.program("tune"), "extract", *records(night, range(generation, first - 1, -1)), *night.replayed,
            "--out", os.path.join(part, "positions.tps"), *([] if settings["unbalanced"] else ["--balance"]),
            "--per-game", str(settings["per_game"]), "--seed", str(night.seed_of(generation, "extract")),
            "--weights", night.player_before(generation).weights, "--threads", str(threads),
        ], night.log(f"extract-{generation}"))


# --- tune: the champion's weights, fitted to them ---------------------------------------------------------------

# How firmly weights are tied to the player's: a blank slate may move freely, a good start hardly at all. Besides, with the
# loosest of them, by what the player's weights were fitted to. The games held out decide; other games, which no choice has
# seen, say what came of it.
TETHERS = ("1e-5", "1e-4", "1e-3", "1e-2", "1e-1", "1")


def tune(night, generation, task, threads):
    player = night.player_before(generation)
    with published_folder(night.generation(generation, "tune")) as part:
        if not night.tunes_weights:
            return
        told = run([
            night.program("tune"), "--texel", night.generation(generation, "extract", "positions.tps"),
            "--start", player.weights, "--out", os.path.join(part, WEIGHTS),
            "--lambda", str(night.settings["result_share"]), "--l2", ",".join(TETHERS), "--report-share", "5%",
            *(["--prior", player.evidence] if player.evidence else []), "--evidence", os.path.join(part, EVIDENCE),
            "--report", os.path.join(part, "report"), "--seed", str(night.seed_of(generation, "tune")),
            "--threads", str(threads), "--json",
        ], night.log(f"tune-{generation}"), night.environment, capture=True)
        fit = json.loads(told)
        write_json(os.path.join(part, "tethers.json"), {
            "chosen": fit["tie"], "tried": fit["tried"], "loss_before": fit["loss_before"], "loss_after": fit["loss_after"]})


# --- gate: a sequential test of each arm, in shards -------------------------------------------------------------

def candidate_of(night, generation, arm):
    """Weights and book of an arm."""
    before = night.champion_before(generation)
    tuned, learned = night.generation(generation, "tune"), night.generation(generation, "learn")
    return Candidate(
        Champion(tuned) if arm in ("weights", "both") else before,
        os.path.join(learned, BOOK) if arm in ("book", "both") else before.book,
    )


class Candidate(Champion):
    """Weights and a book that lie in different folders."""

    def __init__(self, fitted, book):
        super().__init__(fitted.folder)
        self._book = book

    @property
    def book(self):
        return self._book


def gate_command(night, generation, arm, threads, *more):
    """`selfplay gate` for an arm. Weights must be good everywhere, a book where lines begin."""
    settings = night.settings
    before, candidate = night.champion_before(generation), candidate_of(night, generation, arm)
    return [
        night.program("selfplay"), "gate", "--out", night.generation(generation, "gate", arm),
        "--candidate", in_process("candidate", candidate.weights, candidate.book),
        "--champion", in_process("champion", before.weights, before.book),
        "--soft-nodes", str(settings["gate_nodes"]), "--games", str(settings["gate_games"]), "--sprt", settings["sprt"],
        "--openings", "random" if arm == "weights" else line_openings(night),
        "--seed", str(night.seed_of(generation, "gate") + 1_009 * night.arms.index(arm)),
        *(["--tc", settings["gate_tc"]] if settings["gate_tc"] else []),
        "--concurrency", str(threads), "--json", *DECIDED, *more,
    ]


def gate(night, generation, task, threads):
    """One task a shard of an arm's test. The journal of a shard outlives its process."""
    arm, shard = gate_task(night, task)
    count = night.settings["gate_shards"]
    run(gate_command(night, generation, arm, threads, "--shard", f"{shard + 1}/{count}"),
        night.log(f"gate-{generation}-{arm}-{shard + 1}"), capture=True)
    os.makedirs(night.generation(generation, "gate"), exist_ok=True)
    write_json(gate_mark(night, generation, arm, shard), {})


def gate_task(night, task):
    """The arm of a task, and the number of the shard (from 0)."""
    return night.arms[task // night.settings["gate_shards"]], task % night.settings["gate_shards"]


def gate_mark(night, generation, arm, shard):
    return night.generation(generation, "gate", f"{arm}-shard-{shard + 1}.json")


def gate_shard_is_played(night, generation, task):
    return os.path.exists(gate_mark(night, generation, *gate_task(night, task)))


# --- verdict: what the games of all shards of an arm say --------------------------------------------------------

def verdict(night, generation, task, threads):
    """Without a shard the gate reads the journals of all, plays what they lack, and says what it all proves."""
    arm = night.arms[task]
    told = run(gate_command(night, generation, arm, threads), night.log(f"gate-{generation}-{arm}"), capture=True)
    folder = night.generation(generation, "gate", arm)
    os.makedirs(folder, exist_ok=True)  # Where nothing changed, no game made it.
    write_json(os.path.join(folder, "verdict.json"), json.loads(told))


def arm_is_judged(night, generation, task):
    return os.path.exists(night.generation(generation, "gate", night.arms[task], "verdict.json"))


def strength(verdict):
    """Results, score and Elo of an arm's test with limited nodes; empty if no game was needed."""
    return verdict["parts"][0] if verdict["parts"] else {}


def verdicts(night, generation):
    return {arm: read_json(night.generation(generation, "gate", arm, "verdict.json")) for arm in night.arms}


# --- promote: the best arm that passed, unless an outsider objects ----------------------------------------------

def promote(night, generation, task, threads):
    before, judged = night.champion_before(generation), verdicts(night, generation)
    passed = [arm for arm in night.arms if judged[arm]["verdict"] == "passed"]
    passed.sort(key=lambda arm: strength(judged[arm])["score"], reverse=True)
    choice = {"arm": passed[0] if passed else None, "outsider": None, "refused": None}
    with published_folder(night.generation(generation, "promote")) as part:
        if passed:
            candidate = candidate_of(night, generation, passed[0])
            choice["outsider"] = outsider.ask(night, generation, candidate, before, part, threads)
            if choice["outsider"].get("objects"):
                choice["arm"] = None
        winner = candidate_of(night, generation, choice["arm"]) if choice["arm"] else before
        winner.copy_to(part)
        player, why = player_after(night, generation, judged, choice, winner)
        player.copy_to(os.path.join(part, PLAYER))
        write_json(os.path.join(part, PLAYER, ORIGIN), {"champion": winner.identity, "why": why})
        if choice["arm"]:
            origin = origin_of(night, generation, judged, choice, winner)
            write_json(os.path.join(part, ORIGIN), origin)
            choice["refused"] = night.hall.promote(winner, origin, before.identity)
        write_json(os.path.join(part, "choice.json"), choice)
    night.hall.play_on(night.generation(generation, "promote", PLAYER))


def player_after(night, generation, judged, choice, winner):
    """Who plays the next games, and why: the newest weights, unless they measured weaker than the champion. What ships
    must have passed its test; what only plays need not: an undecided candidate's games are as good as the champion's, and
    its fit is not lost."""
    if choice["arm"] or not night.tunes_weights:
        return winner, "the champion"
    if choice["outsider"] and choice["outsider"].get("objects"):
        return winner, "the champion, because the outsider objects to the newest weights"
    arm = next(arm for arm in ("weights", "both") if arm in night.arms)
    score = strength(judged[arm]).get("score")
    if score is not None and score >= 0.5:
        return candidate_of(night, generation, arm), f"the newest weights, which scored {100 * score:.1f}%"
    return winner, "the champion, because the newest weights are no better"


def origin_of(night, generation, judged, choice, winner):
    """Where a champion comes from."""
    return {
        "night": night.name, "generation": generation, "promoted": choice["arm"], "commit": night.manifest["commit"],
        "against_the_champion_before": {name: strength(judged[choice["arm"]])[name] for name in ("results", "elo", "score")},
        # Records of other nights by what is in them: where they lay means nothing elsewhere.
        "settings": {**night.settings, "also": sorted(night.manifest["also"].values())},
        "programs": night.manifest["programs"],
        "shipped_weights_sha256": night.manifest["shipped_weights_sha256"],
        "replayed": sorted(record["hash"] for record in night.manifest["library"]["files"]),
        "games_sha256": {kind: sha256(night.generation(generation, "merge", f"{kind}.tgr")) for kind in kinds(night)},
        "weights_sha256": sha256(winner.weights),
        "book_sha256": sha256(winner.book) if winner.book else None,
    }


# --- rate: each generation against the night's start and against what is shipped --------------------------------

def rate(night, generation, task, threads):
    settings, log = night.settings, night.log(f"rate-{generation}")
    champion, start = Champion(night.generation(generation, "promote")), night.start()
    with published_folder(night.generation(generation, "rate")) as part:
        ratings = {}
        for number, name in enumerate(("start", "shipped")):
            if not settings["rating_games"]:
                continue
            rival = in_process("start", start.weights, start.book) if name == "start" else "self:name=shipped"
            told = run([
                night.program("selfplay"), "match", "--engine", in_process("champion", champion.weights, champion.book), "--engine", rival,
                "--games", str(settings["rating_games"]), "--soft-nodes", str(settings["gate_nodes"]),
                "--seed", str(night.seed_of(generation, "rating") + number), "--concurrency", str(threads),
                "--json", *DECIDED,
            ], log, capture=True)
            encounter = json.loads(told)["encounters"][0]
            ratings[name] = {key: encounter[key] for key in ("results", "score", "elo", "pentanomial")}
        if settings["rating_games"] and settings["outsider_games"]:
            ratings.update(outsider.rate(night, generation, champion, settings["rating_games"], threads))
        write_json(os.path.join(part, "ratings.json"), ratings)


# --- ship and report: once, at the end --------------------------------------------------------------------------

def last_champion(night):
    return Champion(night.generation(night.settings["generations"], "promote"))


def ship(night, generation, task, threads):
    with published_folder(night.path("ship")) as part:
        if night.settings["no_ship"]:
            return
        champion = last_champion(night)
        # Compiled from the source that was judged, with what the checkout has compiled already.
        compiled, target = os.path.join(night.manifest["root"], "target"), night.path(source.FOLDER, "target")
        os.makedirs(compiled, exist_ok=True)
        if not os.path.lexists(target):
            os.symlink(compiled, target)
        command = [night.path(source.FOLDER, "scripts", "ship"), "--weights", champion.weights, "--out", part]
        if champion.book:
            command += ["--book", champion.book]
        run(command, night.log("ship"), night.environment)


def report(night, generation, task, threads):
    from .report import write_report
    write_report(night)


# Written when everything that the night consists of is there.
FINISHED = "finished.json"

STAGES = (
    # A generation begins when the one before has its champion; the openings of the first serve all.
    Stage("openings", (), openings, lambda night, generation, task: os.path.isdir(night.path("openings")),
          before=("promote",)),
    Stage("generate", ("openings",), generate, shard_is_there,
          lambda night: len(kinds(night)) * night.settings["shards"], resumes=True),
    Stage("merge", ("generate",), merge, folder_is_there("merge")),
    Stage("library", ("merge",), library, is_catalogued),
    Stage("learn", ("merge",), learn, folder_is_there("learn")),
    Stage("extract", ("merge",), extract, folder_is_there("extract")),
    Stage("tune", ("extract",), tune, folder_is_there("tune")),
    Stage("gate", ("learn", "tune"), gate, gate_shard_is_played,
          lambda night: len(night.arms) * night.settings["gate_shards"], resumes=True),
    Stage("verdict", ("gate",), verdict, arm_is_judged, lambda night: len(night.arms)),
    Stage("promote", ("verdict",), promote, folder_is_there("promote")),
    Stage("rate", ("promote",), rate, folder_is_there("rate")),
    Stage("ship", ("promote",), ship, lambda night, generation, task: os.path.isdir(night.path("ship")), final=True),
    # Written in any case; the night is finished only if nothing was missing.
    Stage("report", ("library", "rate", "ship"), report,
          lambda night, generation, task: os.path.exists(night.path(FINISHED)), final=True),
)
BY_NAME = {stage.name: stage for stage in STAGES}


def missing(night):
    """What a report would have to leave out: names of stages that are not done, as a reader knows them."""
    return sorted({stage.name if stage.final else f"{stage.name} of generation {generation}"
                   for stage, generation, task in work(night)
                   if stage.name != "report" and not stage.is_done(night, generation, task)})


def work(night):
    """Everything a night consists of, in an order in which each finds what it needs: (stage, generation, task)."""
    for generation in night.generations():
        for stage in STAGES:
            if not stage.final:
                for task in range(stage.tasks(night)):
                    yield stage, generation, task
    for stage in STAGES:
        if stage.final:
            yield stage, night.settings["generations"], 0


def discard_parts(night):
    """Unfinished work of processes that are gone (of stages that begin anew)."""
    for generation in night.generations():
        folder = night.generation(generation)
        for entry in os.listdir(folder) if os.path.isdir(folder) else []:
            if ".part-" in entry:
                sweep(os.path.join(folder, entry.split(".part-")[0]))
    for once in ("openings", "ship"):
        sweep(night.path(once))
