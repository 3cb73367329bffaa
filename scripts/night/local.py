"""This machine: one stage after the other, each on all cores."""

import time

from .clock import timed
from .progress import Ticker
from .stages import work


def launch(night, threads, say):
    for stage, generation, task in work(night):
        if stage.is_done(night, generation, task):
            continue
        label = stage.name if stage.final else f"generation {generation}: {stage.name}"
        tasks = stage.tasks(night)
        say(f"{label}{f' {task + 1} of {tasks}' if tasks > 1 else ''} ...")
        start = time.monotonic()
        with timed(night, stage, generation, task), Ticker(night, stage, generation, task):
            stage.run(night, generation, task, threads)
        seconds = time.monotonic() - start
        if seconds >= 1:
            say(f"    {seconds:.0f} s")
