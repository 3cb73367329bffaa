"""Files that are whole or not there."""

import contextlib
import ctypes
import errno
import fcntl
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess


class NightError(Exception):
    """Something a user can mend; the text says how."""


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(1 << 20), b""):
            digest.update(piece)
    return digest.hexdigest()


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except json.JSONDecodeError as error:
        raise NightError(f"{path}: {error}; remove the file to make it again") from error


def remove_tree(path, inside):
    """Removes a folder of ours. A link that leads out of `inside` is refused: what lies there is not ours."""
    if not os.path.lexists(path):
        return
    home = os.path.realpath(inside)
    if os.path.islink(path) or os.path.commonpath([home, os.path.realpath(path)]) != home:
        raise NightError(f"{path} leads out of {inside}, so it is not removed; remove the link yourself")
    shutil.rmtree(path)


def sync_folder(path):
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_whole(path, data):
    """Writes a file so that it has all of its bytes or is not there: temporary name, fsync, rename."""
    temporary = part_name(path)
    with open(temporary, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    sync_folder(os.path.dirname(path) or ".")


def write_json(path, value):
    write_whole(path, json.dumps(value, indent=1, sort_keys=True) + "\n")


def copy_whole(source, target):
    with open(source, "rb") as file:
        write_whole(target, file.read())
    shutil.copymode(source, target)


def part_name(path):
    """A name of this process alone; two copies of a job may run on two machines."""
    return f"{path}.part-{socket.gethostname()}-{os.getpid()}"


def sweep(path):
    """Removes what killed processes of this machine left beside `path`."""
    folder, name = os.path.split(path)
    mine = f"{name}.part-{socket.gethostname()}-"
    for entry in os.listdir(folder) if os.path.isdir(folder) else []:
        if not entry.startswith(mine):
            continue
        process = entry.removeprefix(mine)
        if process.isdigit() and not os.path.exists(f"/proc/{process}"):
            left = os.path.join(folder, entry)
            remove_tree(left, folder) if os.path.isdir(left) and not os.path.islink(left) else os.remove(left)


@contextlib.contextmanager
def published_folder(path):
    """A folder to work in that becomes `path` at the end, all at once. The first to finish wins: what a second copy
    of the same work made is the same, and is dropped."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    sweep(path)
    part = part_name(path)
    remove_tree(part, os.path.dirname(path))
    os.makedirs(part)
    yield part
    for folder, _, names in os.walk(part):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                os.fsync(file.fileno())
        sync_folder(folder)
    try:
        os.rename(part, path)
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
            raise
        shutil.rmtree(part)
    sync_folder(os.path.dirname(path))


@contextlib.contextmanager
def locked(path, what, wait=False):
    """One process at a time; the lock goes with the process, however it ends. Others wait, or are told."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    # A link in the lock's place would truncate what it leads to.
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o666), "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError as error:
            raise NightError(f"{what} is being worked on by another process (lock: {path})") from error
        yield


def die_with_parent():
    """Runs in a child before its program: a night that is killed leaves no worker behind."""
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    except (OSError, AttributeError):
        pass  # Not Linux: the worker ends by itself.


def run(command, log, environment=None, capture=False, good=(0,)):
    """Runs one of our commands. What it says goes to the log; what it counts for programs is returned."""
    os.makedirs(os.path.dirname(log), exist_ok=True)
    with open(log, "a", encoding="utf-8") as said:
        said.write("$ " + " ".join(command) + "\n")
        said.flush()
        result = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if capture else said,
            stderr=said,
            env={**os.environ, **(environment or {})},
            preexec_fn=die_with_parent,
            text=True,
            check=False,
        )
    if result.returncode not in good:
        with open(log, encoding="utf-8", errors="replace") as said:
            last = [line.rstrip() for line in said if line.strip()][-5:]
        told = "\n".join("    " + line for line in last)
        raise NightError(f"{os.path.basename(command[0])} {command[1]} ended with {result.returncode}:\n{told}\n"
                         f"The whole of it: {log}. The same command goes on from here.")
    return result.stdout
