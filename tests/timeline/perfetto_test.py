"""Perfetto reads the JSON of a profile as it is meant: nothing is lost, times agree, arrows arrive."""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import perfetto

SKIPPED = 77  # the exit status of a program that could not test
HERE = pathlib.Path(__file__).resolve().parent
TIDE = os.environ.get("TIDE_PROGRAM", str(HERE.parents[1] / "build/release/tide"))

WRONG = "select name, severity, value from stats where severity in ('error', 'data_loss') and value > 0"
SLICES = """select process.name, thread.name, count(*), min(dur), max(depth) from slice
    join thread_track on slice.track_id = thread_track.id join thread using (utid)
    join process using (upid) group by 1, 2 order by 1, 2"""
WORK = """select name, count(*), sum(dur) from slice
    where category in ('loop', 'compute', 'copy', 'transfer') group by name order by name"""
ARROWS = """select call.category, count(*), min(work.ts - call.ts) from flow
    join slice call on call.id = slice_out join slice work on work.id = slice_in
    where work.category in ('loop', 'compute', 'copy', 'transfer') group by 1 order by 1"""
MADE = """select category, count(*) from slice where category in ('plan', 'compile') group by 1
    order by 1"""

# What submits work; a value is read from the cpu's own memory without a transfer.
CALLS = {"cpu": {"flush"}, "sim:0": {"flush", "wait"}}
COUNTERS = """select counter_track.name, count(*), max(value) from counter
    join counter_track on counter.track_id = counter_track.id group by 1 order by 1"""


class PerfettoTest(unittest.TestCase):
    def read(self, device):
        """What Perfetto finds in the profile of a training on that device, and what tide says of it."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace.json"
            printed = subprocess.run([TIDE, "training.lua", path, "8", device], check=True, cwd=HERE,
                                     capture_output=True, text=True).stdout
            events = json.loads(path.read_text())["traceEvents"]
            kernels = collections.defaultdict(lambda: [0, 0.0])
            for line in printed.splitlines():
                name, calls, milliseconds = line.split("\t")
                kernels[name][0] += int(calls)
                kernels[name][1] += float(milliseconds)
            return perfetto.query(path, WRONG, SLICES, WORK, ARROWS, COUNTERS), events, kernels

    def check(self, device):
        (wrong, slices, work, arrows, counters), events, kernels = self.read(device)
        self.assertEqual(wrong, [])

        tracks = [("host", "script"), ("host", "script: lines"), (device, device)]
        self.assertLessEqual(set(tracks), {(process, thread) for process, thread, *_ in slices})
        self.assertEqual(sum(row[2] for row in slices), sum(event["ph"] == "X" for event in events))
        for _, thread, _, shortest, depth in slices:
            self.assertGreaterEqual(shortest, 0)
            if thread != "script":  # calls lie in ranges, and flushes in calls; nothing else is nested
                self.assertEqual(depth, 0)

        self.assertEqual({name: calls for name, calls, _ in work},
                         {name: calls for name, (calls, _) in kernels.items()})
        for name, _, nanoseconds in work:
            self.assertAlmostEqual(nanoseconds * 1e-6, kernels[name][1], places=4)

        self.assertEqual(sum(count for _, count, _ in arrows), sum(count for _, count, _ in work))
        self.assertEqual({kind for kind, *_ in arrows}, CALLS[device])
        self.assertGreaterEqual(min(ahead for *_, ahead in arrows), 0)

        most = {name: value for name, _, value in counters}
        self.assertGreater(most[f"memory of {device} bytes"], 4 * 128 * 784)
        self.assertGreaterEqual(most[f"queue of {device} submissions"], 1)

    def test_cpu(self):
        self.check("cpu")

    def test_sim(self):
        self.check("sim:0")

    def test_a_script_that_plans_and_compiles(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace.json"
            subprocess.run([TIDE, "run", "gpt.lua", "--device", "sim", "--profile", path], check=True,
                           cwd=HERE, stdout=subprocess.DEVNULL)
            wrong, work, arrows, made = perfetto.query(path, WRONG, WORK, ARROWS, MADE)
        self.assertEqual(wrong, [])
        self.assertEqual({kind for kind, *_ in arrows}, CALLS["sim:0"])
        self.assertEqual(sum(count for _, count, _ in arrows), sum(count for _, count, _ in work))
        self.assertEqual([kind for kind, count in made if count > 0], ["compile", "plan"])


if __name__ == "__main__":
    if perfetto.missing():
        print(f"skipped: {perfetto.missing()}")
        sys.exit(SKIPPED)
    unittest.main()
