"""What all attacks share: where things are, how commands run, what was counted."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
LONGEST = 600  # seconds that a single command may take


class Lost(Exception):
    """Something was lost, or a program did what it must not."""


class Skipped(Exception):
    """This machine cannot try it; the text says why."""


class Workplace:
    """A folder for the attack's files, the programs under attack, and the counts so far."""

    def __init__(self, name, programs, folder, seed):
        self.name, self.programs, self.seed = name, os.path.abspath(programs), seed
        self.folder = os.path.join(folder, name)
        os.makedirs(self.folder, exist_ok=True)
        self.state_path = os.path.join(folder, f"{name}.json")
        self.counts = {"tried": 0, "landed": 0, "lost": 0}
        if os.path.exists(self.state_path):
            with open(self.state_path, encoding="utf-8") as file:
                self.counts.update(json.load(file))

    def program(self, name):
        path = os.path.join(self.programs, name)
        if not os.path.exists(path):
            raise Lost(f"{path} is missing; build it with: cargo build --release --workspace --locked, or give --bin")
        return path

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def count(self, **more):
        """Adds to the counts, and keeps them."""
        for name, number in more.items():
            self.counts[name] = self.counts.get(name, 0) + number
        temporary = f"{self.state_path}.new"
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(self.counts, file)
        os.replace(temporary, self.state_path)

    def fresh(self, *parts):
        """An empty folder of the attack's own."""
        path = self.path(*parts)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    def run(self, program, *arguments, **options):
        """Runs one of our programs to its end; what it said is kept."""
        return self.command([self.program(program), *map(str, arguments)], **options)

    def command(self, command, **options):
        try:
            return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                                  timeout=LONGEST, check=False, **options)
        except subprocess.TimeoutExpired as error:
            raise Lost(f"{command} did not end within {LONGEST} s") from error

    def succeed(self, program, *arguments, **options):
        done = self.run(program, *arguments, **options)
        if done.returncode != 0:
            raise Lost(f"{program} {' '.join(map(str, arguments))} ended with {done.returncode}: {done.stderr[-600:]}")
        return done

    def refused(self, done, what):
        """A program may refuse, with a message and an ordinary exit code; it may not crash or be silent."""
        if done.returncode not in (1, 2) or not done.stderr.strip():
            raise Lost(f"{what}: exit code {done.returncode}, said: {(done.stderr or done.stdout)[-600:]!r}")
        for word in ("panicked", "Traceback", "RUST_BACKTRACE"):
            if word in done.stderr:
                raise Lost(f"{what}: {done.stderr[-600:]}")


def digest(path):
    """A file's hash, or those of all files of a folder by name."""
    if os.path.isdir(path):
        return {os.path.relpath(os.path.join(place, name), path): digest(os.path.join(place, name))
                for place, _, names in os.walk(path) for name in names}
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def size_of(path):
    """Bytes under a path and times of change: grows with every step of a program that writes there."""
    if not os.path.isdir(path):
        return (os.path.getsize(path), os.stat(path).st_mtime_ns) if os.path.exists(path) else None
    found = []
    for place, _, names in os.walk(path):
        for name in names:
            try:
                stat = os.stat(os.path.join(place, name))
                found.append((name, stat.st_size, stat.st_mtime_ns))
            except FileNotFoundError:
                pass  # it was renamed meanwhile
    return sorted(found)


def kill_at_work(process, watched, delay):
    """Waits until a process has changed what is watched, then a little, then kills its group. Whether that landed."""
    before = size_of(watched)
    while process.poll() is None and size_of(watched) == before:
        time.sleep(0.002)
    deadline = time.monotonic() + delay
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
    if process.poll() is not None:
        return False
    os.killpg(process.pid, signal.SIGKILL)
    return process.wait() == -signal.SIGKILL
