"""A server of the dashboard, and small real nights to show."""

import os
import subprocess
import sys


class Served:
    """`selfplay serve` on a free port, ended at the end of a `with`."""

    def __init__(self, programs, nights, *more):
        self.command = [os.path.join(programs, "selfplay"), "serve", "--port", "0", "--nights", nights, *more]

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if "http://" not in line:
            raise RuntimeError(f"{' '.join(self.command)} did not start: {line}")
        self.address = line.split("the dashboard: ")[1].strip()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


SMALL = ["--games", "24", "--line-games", "12", "--nodes", "300", "--gate-games", "12", "--shards", "2", "--arms", "weights,both",
         "--outsider-games", "0", "--replay-games", "0", "--seed", "5"]


def night(root, programs, nights, name, *more):
    """The command that plays a small night; the programs are those that are tested."""
    release = os.path.realpath(programs)
    target = os.path.dirname(release)
    command = [sys.executable, "-B", os.path.join(root, "scripts", "nightly"), "--nights", nights, "--name", name, "--no-build", "--no-ship",
               *SMALL, *more]
    return subprocess.Popen(command, env={**os.environ, "CARGO_TARGET_DIR": target}, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def played(process):
    """Waits for a night; a fault is told."""
    _, said = process.communicate()
    if process.returncode != 0:
        raise RuntimeError(f"the night ended with {process.returncode}: {said}")
