"""What is submitted to a cluster, by programs in the place of Slurm's that write down what they were told."""

import json
import os
import unittest

from night import slurm
from night.files import NightError, write_json
from night.report import write_report
from night.stages import BY_NAME, FINISHED, missing, work
from night.tests.places import Place, options, programs_first

SBATCH = """#!/usr/bin/env python3
import json, os, sys
with open(os.environ["SAID"], "a") as file:
    file.write(json.dumps({"command": sys.argv[1:], "script": sys.stdin.read()}) + "\\n")
print(sum(1 for _ in open(os.environ["SAID"])))
"""
SQUEUE = """#!/bin/sh
echo "$@" >>"$ASKED"
cat "$QUEUE"
"""


class Cluster(Place):
    def setUp(self):
        super().setUp()
        names = {"SAID": "said", "ASKED": "asked", "QUEUE": "queue"}
        for variable, name in names.items():
            os.environ[variable] = os.path.join(self.root, name)
            self.addCleanup(os.environ.pop, variable)
        self.queue("")

    def queue(self, text):
        with open(os.environ["QUEUE"], "w", encoding="utf-8") as file:
            file.write(text)

    def launch(self, night, **chosen):
        with programs_first(os.path.join(self.root, "bin"), {"sbatch": SBATCH, "squeue": SQUEUE}):
            slurm.launch(night, options(**chosen), lambda text: None)
        if not os.path.exists(os.environ["SAID"]):
            return []
        with open(os.environ["SAID"], encoding="utf-8") as file:
            said = [json.loads(line) for line in file]
        os.remove(os.environ["SAID"])
        return said

    @staticmethod
    def value(job, name):
        return next((part.split("=", 1)[1] for part in job["command"] if part.startswith(f"--{name}=")), None)

    def by_stage(self, jobs):
        return {self.value(job, "job-name").split("/")[1]: job for job in jobs}

    def test_the_graph(self):
        night = self.night(shards=3, gate_shards=2)
        jobs = self.by_stage(self.launch(night))
        self.assertEqual(set(jobs), {f"{name}-1" for name in BY_NAME})
        self.assertEqual(self.value(jobs["generate-1"], "array"), "0,1,2,3,4,5")
        self.assertEqual(self.value(jobs["gate-1"], "array"), "0,1,2,3,4,5")
        self.assertIsNone(self.value(jobs["merge-1"], "array"))
        self.assertTrue(self.value(jobs["merge-1"], "dependency").startswith("afterok:"))
        self.assertTrue(self.value(jobs["report-1"], "dependency").startswith("afterany:"))

    def test_the_scripts_are_the_nights_own_and_logs_are_apart(self):
        night = self.night()
        for name, job in self.by_stage(self.launch(night)).items():
            self.assertIn(night.path("source", "scripts", "nightly"), job["script"])
            if self.value(job, "array"):
                self.assertIn("%a", self.value(job, "output"), name)
            self.assertEqual(self.value(job, "signal"), "B:USR1@120")

    def test_only_our_own_jobs_count(self):
        night, other = self.night(), self.night("other")
        ours = slurm.job_name(night, BY_NAME["generate"], 1)
        self.queue(f"7_[0-3] {ours}\n8 {slurm.job_name(other, BY_NAME['merge'], 1)}\n9 n/merge-1\n")
        jobs = self.by_stage(self.launch(night))
        self.assertNotIn("generate-1", jobs)
        self.assertEqual(self.value(jobs["merge-1"], "dependency"), "afterok:7")
        with open(os.environ["ASKED"], encoding="utf-8") as file:
            self.assertIn("--me", file.read())

    def test_two_checkouts_have_names_of_their_own(self):
        night = self.night()
        before = slurm.prefix(night)
        night.folder = os.path.join(self.root, "elsewhere", "n")
        self.assertNotEqual(slurm.prefix(night), before)

    def test_resources_of_a_stage(self):
        jobs = self.by_stage(self.launch(self.night(), sbatch=["--partition=long", "tune: --mem=16G --cpus-per-task=8"]))
        self.assertIn("--mem=16G", jobs["tune-1"]["command"])
        self.assertIn("--partition=long", jobs["tune-1"]["command"])
        self.assertNotIn("--mem=16G", jobs["extract-1"]["command"])
        with self.assertRaises(NightError):
            slurm.stage_options("tuna: --mem=1G", None)

    def test_a_time_limit_requeues_and_goes_on(self):
        jobs = self.by_stage(self.launch(self.night()))
        self.assertIn("again 99; exit 1' USR1", jobs["generate-1"]["script"])
        self.assertIn("again 2; exit 1' USR1", jobs["tune-1"]["script"])

    def test_a_dry_run_submits_nothing(self):
        shown = []
        night = self.night()
        slurm.launch(night, options(dry_run=True), shown.append)
        self.assertEqual(len(shown), len(BY_NAME))
        self.assertIn("--dependency=afterok:generate-1", "".join(shown))
        self.assertFalse(os.path.exists(night.path("logs")))

    def test_what_is_done_is_not_submitted(self):
        night = self.night()
        os.makedirs(night.path("openings"))
        write_json_there(night.generation(1, "games", "shard-2.json"))
        jobs = self.by_stage(self.launch(night))
        self.assertNotIn("openings-1", jobs)
        self.assertEqual(self.value(jobs["generate-1"], "array"), "0,2,3,4,5,6,7")

    def test_the_report_of_a_broken_night_is_no_success(self):
        night = self.night(arms="weights")
        os.makedirs(night.path("openings"))
        write_report(night)
        self.assertFalse(os.path.exists(night.path(FINISHED)))
        with open(night.path("report.html"), encoding="utf-8") as file:
            self.assertIn("This night is not finished", file.read())
        self.assertFalse(BY_NAME["report"].is_done(night, 1, 0))
        self.assertIn("generate of generation 1", missing(night))
        self.assertIn("report-1", self.by_stage(self.launch(night)))

    def test_every_need_comes_before(self):
        night = self.night(generations=2)
        seen = set()
        for stage, generation, _ in work(night):
            for need in stage.needs:
                self.assertIn((need, generation), seen, stage.name)
            for need in stage.before:
                self.assertTrue(generation == 1 or (need, generation - 1) in seen, stage.name)
            seen.add((stage.name, generation))


def write_json_there(path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_json(path, {})


if __name__ == "__main__":
    unittest.main()
