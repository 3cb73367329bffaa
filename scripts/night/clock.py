"""When each task of a night began and ended, and what it cost: a small file a task in `times/`, for people and pages.
Nothing that a night makes depends on it."""

import contextlib
import os
import resource
import time

from .files import read_json, write_json

FOLDER = "times"


def mark(night, stage, generation, task):
    return night.path(FOLDER, f"{stage.name}-{generation}-{task}.json")


def cpu_seconds():
    """Of the commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextlib.contextmanager
def timed(night, stage, generation, task):
    """Around a task. A disk that is full or a damaged file costs the times, not the night."""
    path, began, cpu = mark(night, stage, generation, task), time.time(), cpu_seconds()
    earlier = {}
    with contextlib.suppress(Exception):
        os.makedirs(night.path(FOLDER), exist_ok=True)
        earlier = read_json(path) if stage.resumes and os.path.exists(path) else {}
        write_json(path, {"begun": began, "cpu": earlier.get("cpu", 0.0)})
    yield
    with contextlib.suppress(OSError):
        # What an earlier run of the same task took counts as well, the time between them does not.
        before = earlier.get("ended", earlier.get("begun", began)) - earlier.get("begun", began)
        write_json(path, {"begun": began - before, "ended": time.time(),
                          "cpu": round(earlier.get("cpu", 0.0) + cpu_seconds() - cpu, 2)})
