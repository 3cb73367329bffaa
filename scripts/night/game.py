"""A night of a game other than chess: one command of selfplay does all of it."""

import os
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def game_of(arguments):
    """The game that `--game` names, if it is not chess."""
    for place, argument in enumerate(arguments):
        if argument == "--game" and place + 1 < len(arguments):
            return arguments[place + 1] if arguments[place + 1] != "chess" else None
        if argument.startswith("--game="):
            return argument.partition("=")[2] if argument != "--game=chess" else None
    return None


def main(arguments):
    """Builds selfplay and hands over to `selfplay game-night`, whose options these are."""
    arguments = list(arguments)
    if "--no-build" in arguments:
        arguments.remove("--no-build")
    else:
        built = subprocess.run(["cargo", "build", "--release", "--locked", "--quiet", "--package", "selfplay"], cwd=ROOT)
        if built.returncode != 0:
            return built.returncode
    if not any(argument == "--out" or argument.startswith("--out=") for argument in arguments):
        arguments += ["--out", os.path.join(ROOT, "nights", game_of(arguments).replace(":", "-"))]
    target = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
    command = [os.path.join(target, "release", "selfplay"), "game-night"] + arguments
    try:
        return subprocess.run(command).returncode
    except KeyboardInterrupt:
        print("scripts/nightly: interrupted; the same command goes on", file=sys.stderr)
        return 130
