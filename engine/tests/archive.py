#!/usr/bin/env python3
"""A real client with the archive that users download: unpacked on a path with spaces, it plays a game in each style.

    archive.py tabula-VERSION-TARGET.tar.gz

Checks the checksum file beside it, that the weights inside the binary are those in the archive, that the Experience
Book beside the binary is used without a set-up step, and every move by python-chess.
"""

import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile

import chess
import chess.engine


def check_sum(archive):
    with open(archive, "rb") as file:
        found = hashlib.sha256(file.read()).hexdigest()
    with open(archive + ".sha256", encoding="utf-8") as file:
        told, name = file.read().split()
    assert (told, name) == (found, os.path.basename(archive)), "the checksum file is about something else"


def play(engine, style, plies=60):
    """A game against itself; python-chess refuses any move that is not legal."""
    engine.configure({"Style": style})
    board = chess.Board()
    while not board.is_game_over() and board.ply() < plies:
        board.push(engine.play(board, chess.engine.Limit(nodes=3000)).move)
    assert board.is_game_over() or board.ply() == plies
    return board


def says(program, *lines):
    text = "\n".join(lines) + "\nquit\n"
    return subprocess.run([program], input=text, capture_output=True, text=True, check=True).stdout


def main():
    archive = os.path.abspath(sys.argv[1])
    check_sum(archive)
    with tempfile.TemporaryDirectory(prefix="a path with spaces ") as folder:
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        (top,) = os.listdir(folder)
        inside = os.path.join(folder, top)
        program = os.path.join(inside, "tabula")
        for name in ("tabula", "weights.toml", "LICENSE", "README.txt", "styles/tal.toml", "sbom.cdx.json"):
            assert os.path.exists(os.path.join(inside, name)), f"{name} is missing"
        with open(os.path.join(inside, "sbom.cdx.json"), encoding="utf-8") as file:
            listed = {entry["name"]: entry for entry in json.load(file)["components"]}
        assert {"shakmaty", "memmap2", "toml"} <= set(listed), sorted(listed)
        assert all(entry["licenses"] and entry["hashes"] for entry in listed.values())
        # The same move, score and nodes with the weights inside and with the file beside.
        search = ("position startpos moves e2e4 c7c5", "go nodes 20000")
        embedded = [line for line in says(program, "setoption name UseExperienceBook value false", *search).splitlines()
                    if line.startswith("bestmove") or " depth 8 " in line]
        beside = [line for line in says(program, "setoption name UseExperienceBook value false",
                                        f"setoption name EvalFile value {os.path.join(inside, 'weights.toml')}",
                                        *search).splitlines() if line.startswith("bestmove") or " depth 8 " in line]
        strip = lambda lines: [line.split(" nps ")[0] + line.split(" pv ")[-1] for line in lines]
        assert embedded and strip(embedded) == strip(beside), f"{embedded} {beside}"
        if os.path.exists(os.path.join(inside, "experience.exp")):
            said = says(program, "isready", "position startpos", "go nodes 2000")
            assert "experience" in said.lower(), f"the book beside the engine does not speak:\n{said}"
            print("the Experience Book speaks")
        # Started as a GUI does: from another folder.
        with chess.engine.SimpleEngine.popen_uci(program, cwd="/") as engine:
            styles = engine.options["Style"].var
            assert {"Normal", "Tal", "Petrosian"} <= set(styles), styles
            for style in styles:
                board = play(engine, style)
                print(f"{style}: {board.ply()} plies, {board.result()}")
    print("the archive plays")


if __name__ == "__main__":
    main()
