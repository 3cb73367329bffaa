"""kill -9 at random moments, then the same command again, until it ends: the files must be those of one left alone."""

import os
import random
import shutil
import subprocess

from night.files import die_with_parent

from .workplace import ROOT, Lost, digest, kill_at_work

# Small, one generation, and a test that half of the candidates pass: promotion is killed too.
NIGHT = ["--games", "12", "--line-games", "6", "--nodes", "200", "--shards", "2", "--gate-games", "4", "--gate-rounds",
         "2", "--sprt", "elo0=-400,elo1=-300,alpha=0.4,beta=0.4", "--outsider-games", "0", "--seed", "7", "--no-ship",
         "--no-build"]
# A descent whose end depends on nothing but its data.
FIT = ["--seed", "3", "--threads", "1", "--max-iters", "60"]


def until_done(work, start, watched, longest_delay, wanted):
    """Starts a command again and again, killed each time while kills are wanted, until it ends by itself."""
    chance = random.Random(work.seed + work.counts["tried"])
    while True:
        process = start()
        if work.counts["landed"] < wanted:
            work.count(tried=1)
            if kill_at_work(process, watched, chance.uniform(0, longest_delay)):
                work.count(landed=1)
                continue
        process.communicate()
        if process.returncode != 0:
            raise Lost(f"after {work.counts['landed']} kills a run ended with {process.returncode}; see {watched}")
        return


def quietly(command, **options):
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=nowhere, stderr=nowhere, start_new_session=True,
                                preexec_fn=die_with_parent, **options)


def positions(work):
    """Labelled positions to fit to, from a few quick games."""
    path = work.path("positions.tps")
    if not os.path.exists(path):
        games = work.fresh("games")
        work.succeed("selfplay", "generate", "--games", 60, "--nodes", 100, "--seed", 5, "--out", games, "--hash", 1)
        records = [os.path.join(games, name) for name in os.listdir(games) if name.endswith(".tgr")]
        work.succeed("tune", "extract", *records, "--out", path, "--seed", 1)
    return path


def tune(work, wanted):
    """The fit has a checkpoint after every iteration; a run goes on from it."""
    data = positions(work)
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "0"}

    def command(out):
        checkpoint = f"{out}.checkpoint"
        resume = ["--resume", checkpoint] if os.path.exists(checkpoint) else []
        return [work.program("tune"), "--texel", data, "--out", out, *FIT, *resume]

    alone = os.path.join(work.fresh("alone"), "weights.toml")
    done = work.command(command(alone), env=environment)
    if done.returncode != 0:
        raise Lost(f"an undisturbed fit ended with {done.returncode}: {done.stderr[-600:]}")
    while work.counts["landed"] < wanted:
        folder = work.fresh("killed")
        out = os.path.join(folder, "weights.toml")
        until_done(work, lambda: quietly(command(out), env=environment), folder, 0.4, wanted)
        check_fit(work, alone, out)
        work.count(runs=1)


def check_fit(work, alone, out):
    """Resumed, the descent forgets its memory of slopes, so it ends near the same weights and not on the same bits:
    whole, of the same positions, and no worse a fit than one left alone by more than a thousandth."""
    left = [name for name in os.listdir(os.path.dirname(out)) if name != os.path.basename(out)]
    if left:
        raise Lost(f"left over after a fit that was killed: {left}")
    losses = [loss_of(path) for path in (alone, out)]
    work.succeed("tabula", f"setoption name EvalFile value {out}", "go nodes 100")
    if losses[1] > losses[0] * 1.001:
        raise Lost(f"a fit that was killed ends at {losses[1]}, one left alone at {losses[0]}")


def loss_of(path):
    with open(path, encoding="utf-8") as file:
        return next(float(line.split("=")[1]) for line in file if line.startswith("loss = "))


def night(work, wanted):
    # The night takes its programs from the folder of release builds.
    target = work.path("target")
    os.makedirs(target, exist_ok=True)
    link = os.path.join(target, "release")
    if not os.path.lexists(link):
        os.symlink(work.programs, link)
    environment = {**os.environ, "CARGO_TARGET_DIR": target}

    def command(nights):
        return [os.path.join(ROOT, "scripts", "nightly"), "--nights", nights, "--name", "n", *NIGHT]

    alone = work.fresh("alone")
    done = work.command(command(alone), env=environment)
    if done.returncode != 0:
        raise Lost(f"an undisturbed night ended with {done.returncode}: {done.stderr[-600:]}")
    expected = result(alone)
    while work.counts["landed"] < wanted:
        nights = work.fresh("killed")
        until_done(work, lambda: quietly(command(nights), env=environment), nights, 4, wanted)
        found = result(nights)
        if found != expected:
            raise Lost(f"after {work.counts['landed']} kills a night differs:\n{expected}\n{found}")
        work.count(runs=1)
    shutil.rmtree(work.path("killed"), ignore_errors=True)


def result(nights):
    """What must not depend on interruptions: files, and who reigns."""
    link, history = os.path.join(nights, "champion"), os.path.join(nights, "history")
    return {"hashes": digest(os.path.join(nights, "n", "hashes.json")),
            "reigns": os.readlink(link) if os.path.lexists(link) else None,
            "history": sorted(os.listdir(history)) if os.path.isdir(history) else []}
