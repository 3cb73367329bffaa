"""A Slurm cluster: the same stages as jobs, an array where a stage has many tasks.

Slurm does what it is good at: dependencies, requeueing what a lost node was doing. Truth is in the files: a job whose
output is there ends at once, so the launcher may be run again at any time and submits only what is missing and not
in the queue. A folder that all nodes see is all they share.
"""

import os
import shlex
import shutil
import subprocess
import time

from .files import NightError
from .stages import work

# A task that fails without saying why (a worker killed, a node's disk) is tried so many times in all.
TRIES = 3


def job_script(night, stage, generation):
    """What runs on a node. A killed worker's job asks for itself again; Slurm does so when the node is lost."""
    command = " ".join(shlex.quote(part) for part in (
        os.path.join(night.root, "scripts", "nightly"), "stage", stage.name, "--generation", str(generation),
        "--folder", night.folder))
    return f"""#!/bin/bash
{command} --task "${{SLURM_ARRAY_TASK_ID:-0}}" --threads "${{SLURM_CPUS_ON_NODE:-1}}"
code=$?
if [ $code -ne 0 ] && [ "${{SLURM_RESTART_COUNT:-0}}" -lt {TRIES - 1} ]; then
  job=$SLURM_JOB_ID
  [ -n "${{SLURM_ARRAY_JOB_ID:-}}" ] && job=${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID
  scontrol requeue "$job" && sleep 30
fi
exit $code
"""


def job_name(night, stage, generation):
    return f"{os.path.basename(night.folder)}/{stage.name}-{generation}"


def slurm(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise NightError(f"{command[0]}: {result.stderr.strip()}; the same command goes on from here")
    return result.stdout


def queued(night):
    """Jobs of this night that Slurm knows: name → job id."""
    lines = slurm("squeue", "--noheader", "--format=%i %j").splitlines()
    jobs = {}
    for line in lines:
        identity, name = line.split(maxsplit=1)
        if name.startswith(os.path.basename(night.folder) + "/"):
            jobs[name] = identity.split("_")[0]
    return jobs


def was_asked(night):
    """Whether jobs of this night were ever submitted."""
    logs = night.path("logs")
    return os.path.isdir(logs) and any(name.startswith("slurm") for name in os.listdir(logs))


def launch(night, options, say):
    if not shutil.which("sbatch"):
        raise NightError("--slurm: no sbatch here; without it the night runs on this machine")
    there = queued(night)
    jobs = {}
    for stage, generation, task in work(night):
        if task == 0:  # All tasks of a stage are one job.
            submit(night, stage, generation, jobs, there, options, say)


def submit(night, stage, generation, jobs, there, options, say):
    missing = [task for task in range(stage.tasks(night)) if not stage.is_done(night, generation, task)]
    if not missing:
        return
    name = job_name(night, stage, generation)
    if name in there:
        jobs[(stage.name, generation)] = there[name]
        return
    needs = [(need, generation) for need in stage.needs] + [(need, generation - 1) for need in stage.before]
    waits = [jobs[need] for need in needs if need in jobs]
    command = ["sbatch", "--parsable", "--requeue", "--open-mode=append", "--kill-on-invalid-dep=yes",
               f"--job-name={name}", f"--output={night.path('logs', f'slurm-{stage.name}-{generation}.log')}"]
    if stage.tasks(night) > 1:
        at_once = f"%{options.max_jobs}" if options.max_jobs else ""
        command.append("--array=" + ",".join(map(str, missing)) + at_once)
    if waits:
        # The report always comes, also after a night that broke.
        kind = "afterany" if stage.name == "report" else "afterok"
        command.append(f"--dependency={kind}:" + ":".join(waits))
    command += shlex.split(options.sbatch or "")
    os.makedirs(night.path("logs"), exist_ok=True)
    result = subprocess.run(command, input=job_script(night, stage, generation), capture_output=True, text=True,
                            check=False)
    if result.returncode != 0:
        raise NightError(f"sbatch for {name}: {result.stderr.strip()}; the same command submits what is missing")
    jobs[(stage.name, generation)] = result.stdout.strip().split(";")[0]
    with open(night.path("logs", "slurm-jobs.log"), "a", encoding="utf-8") as file:
        file.write(f"{jobs[(stage.name, generation)]} {name}\n")
    say(f"submitted {name} as job {jobs[(stage.name, generation)]}" + (f" ({len(missing)} tasks)" if len(missing) > 1
                                                                         else ""))


def wait(night, say, every=2):
    """Until the night's last job is gone from the queue."""
    last = None
    while True:
        jobs = queued(night)
        if not jobs:
            return
        state = ", ".join(sorted(name.split("/", 1)[1] for name in jobs))
        if state != last:
            say(f"in the queue: {state}")
            last = state
        time.sleep(every)
