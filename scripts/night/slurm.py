"""A Slurm cluster: the same stages as jobs, an array where a stage has many tasks.

Slurm does what it is good at: dependencies, requeueing what a lost node was doing. Truth is in the files: a job whose
output is there ends at once, so the launcher may be run again at any time and submits only what is missing and not
in the queue. A folder that all nodes see is all they share.
"""

import hashlib
import os
import shlex
import shutil
import subprocess
import time

from . import source
from .files import NightError
from .stages import BY_NAME, work

# A task that fails without saying why (a worker killed, a node's disk) is tried so many times in all.
TRIES = 3
# A stage that goes on where it was interrupted may run into its time limit so often.
TIME_LIMITS = 100
# Seconds before the time limit at which Slurm tells the job.
WARNING = 120


def job_script(night, stage, generation):
    """What runs on a node: the night's own copy of the scripts. A killed worker's job asks for itself again, as does one
    that runs into its time limit; Slurm does so when the node is lost."""
    command = " ".join(shlex.quote(part) for part in (
        night.path(source.FOLDER, "scripts", "nightly"), "stage", stage.name, "--generation", str(generation),
        "--folder", night.folder))
    return f"""#!/bin/bash
job=$SLURM_JOB_ID
[ -n "${{SLURM_ARRAY_JOB_ID:-}}" ] && job=${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID
again() {{
  if [ "${{SLURM_RESTART_COUNT:-0}}" -lt "$1" ]; then scontrol requeue "$job" && sleep 30; fi
}}
trap 'kill -TERM $worker; wait $worker; again {(TIME_LIMITS if stage.resumes else TRIES) - 1}; exit 1' USR1
{command} --task "${{SLURM_ARRAY_TASK_ID:-0}}" --threads "${{SLURM_CPUS_ON_NODE:-1}}" &
worker=$!
wait $worker
code=$?
[ $code -eq 0 ] || again {TRIES - 1}
exit $code
"""


def prefix(night):
    """The beginning of the names of this night's jobs: two checkouts may have nights of one name."""
    place = hashlib.sha256(os.path.realpath(night.folder).encode()).hexdigest()[:8]
    return f"{night.name}@{place}/"


def job_name(night, stage, generation):
    return f"{prefix(night)}{stage.name}-{generation}"


def slurm(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise NightError(f"{command[0]}: {result.stderr.strip()}; the same command goes on from here")
    return result.stdout


def queued(night):
    """Our jobs of this night that Slurm knows: name → job id."""
    jobs = {}
    for line in slurm("squeue", "--me", "--noheader", "--format=%i %j").splitlines():
        identity, _, name = line.strip().partition(" ")
        if name.startswith(prefix(night)):
            jobs[name] = identity.split("_")[0]
    return jobs


def was_asked(night):
    """Whether jobs of this night were ever submitted."""
    logs = night.path("logs")
    return os.path.isdir(logs) and any(name.startswith("slurm") for name in os.listdir(logs))


def check(options):
    """Refuses what cannot work before a night is begun."""
    if not shutil.which("sbatch") and not options.dry_run:
        raise NightError("--slurm: no sbatch here; without it the night runs on this machine (--dry-run shows the jobs)")
    for text in options.sbatch or []:
        stage_options(text, None)


def stage_options(text, stage):
    """The options of a `--sbatch` text for a stage: `STAGE: OPTIONS` for one alone, `OPTIONS` for all."""
    name, colon, rest = text.partition(":")
    if not colon or name.strip().startswith("-"):
        return shlex.split(text)
    if name.strip() not in BY_NAME:
        raise NightError(f"--sbatch '{text}': no stage is called {name.strip()}; there are {', '.join(BY_NAME)}")
    return shlex.split(rest) if stage and stage.name == name.strip() else []


def launch(night, options, say):
    there = {} if options.dry_run else queued(night)
    jobs = {}
    for stage, generation, task in work(night):
        if task == 0:  # All tasks of a stage are one job.
            submit(night, stage, generation, jobs, there, options, say)


def sbatch_command(night, stage, generation, missing, waits, options):
    array = stage.tasks(night) > 1
    log = night.path("logs", f"slurm-{stage.name}-{generation}{'-%a' if array else ''}.log")
    command = ["sbatch", "--parsable", "--requeue", "--open-mode=append", "--kill-on-invalid-dep=yes",
               f"--signal=B:USR1@{WARNING}", f"--job-name={job_name(night, stage, generation)}", f"--output={log}"]
    if array:
        at_once = f"%{options.max_jobs}" if options.max_jobs else ""
        command.append("--array=" + ",".join(map(str, missing)) + at_once)
    if waits:
        # The report always comes, also after a night that broke; then it says so.
        kind = "afterany" if stage.name == "report" else "afterok"
        command.append(f"--dependency={kind}:" + ":".join(waits))
    for text in options.sbatch or []:
        command += stage_options(text, stage)
    return command


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
    command = sbatch_command(night, stage, generation, missing, waits, options)
    script = job_script(night, stage, generation)
    if options.dry_run:
        jobs[(stage.name, generation)] = f"{stage.name}-{generation}"
        say(f"{shlex.join(command)} <<'SCRIPT'\n{script}SCRIPT\n")
        return
    os.makedirs(night.path("logs"), exist_ok=True)
    result = subprocess.run(command, input=script, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise NightError(f"sbatch for {name}: {result.stderr.strip()}; the same command submits what is missing")
    jobs[(stage.name, generation)] = result.stdout.strip().split(";")[0]
    with open(night.path("logs", "slurm-jobs.log"), "a", encoding="utf-8") as file:
        file.write(f"{jobs[(stage.name, generation)]} {name}\n")
    say(f"submitted {name} as job {jobs[(stage.name, generation)]}" + (f" ({len(missing)} tasks)" if len(missing) > 1
                                                                         else ""))


def wait(night, say, longest=30):
    """Until the night's last job is gone from the queue. Long waits ask seldom: a controller serves everybody."""
    last, pause = None, 2
    while True:
        jobs = queued(night)
        if not jobs:
            return
        state = ", ".join(sorted(name.split("/", 1)[1] for name in jobs))
        if state != last:
            say(f"in the queue: {state}")
            last, pause = state, 2
        time.sleep(pause)
        pause = min(longest, pause * 1.5)
