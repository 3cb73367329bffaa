"""This machine: one stage after the other, each on all cores."""

import time

from .stages import work


def launch(night, threads, say):
    everything = list(work(night))
    began = time.monotonic()
    shown = None
    for stage, generation, task in everything:
        label = stage.name if stage.final else f"generation {generation}: {stage.name}"
        if stage.is_done(night, generation, task):
            continue
        tasks = stage.tasks(night)
        if (label, task) != shown:
            say(f"{label}{f' {task + 1} of {tasks}' if tasks > 1 else ''} ...")
            shown = (label, task)
        start = time.monotonic()
        stage.run(night, generation, task, threads)
        seconds = time.monotonic() - start
        if seconds >= 1:
            say(f"    {seconds:.0f} s")
    return time.monotonic() - began
