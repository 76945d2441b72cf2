#!/usr/bin/env python3
"""Tests of what `tests/run` does: python3 -B tests/suite/suite_test.py"""
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import changed
import counts
import coverage
import documents
import layout
import pool
import report
import words
from parts import LINT, Part, all_parts


def shell(name, command, **more):
    return Part("group", name, ["sh", "-c", command], **more)


def run(parts, cores=2):
    said = []
    outcomes = pool.run(parts, cores, said.append)
    return {outcome.part.name: outcome for outcome in outcomes}, "\n".join(said)


class Counting(unittest.TestCase):
    def test_catch(self):
        passed = counts.read("0.250 s: a name\nAll tests passed (12 assertions in 3 test cases)\n\n"
                             "skipped: 1 test cases\n", 0, shell("cpp", ""))
        self.assertEqual((passed.passed, passed.failed, passed.skipped, passed.assertions), (2, 0, 1, 12))
        self.assertEqual(passed.seconds_of, {"cpp: a name": 0.25})
        mixed = counts.read("test cases:  5 |  3 passed | 2 failed\nassertions: 40 | 37 passed | 3 failed\n", 1,
                            shell("cpp", ""))
        self.assertEqual((mixed.passed, mixed.failed, mixed.assertions), (3, 2, 40))

    def test_scripts(self):
        found = counts.read("tests/a_test.lua: 4 passed, 0 failed (1.50 s)\n4 passed, 0 failed, 2 skipped\n", 0,
                            shell("lua", ""))
        self.assertEqual((found.passed, found.failed, found.skipped), (4, 0, 2))
        self.assertEqual(found.seconds_of, {"tests/a_test.lua": 1.5})

    def test_what_a_test_prints_does_not_count(self):
        found = counts.read("  All tests passed (1 assertion in 1 test case)\n9 passed, 0 failed\n1 passed, 0 failed\n",
                            0, shell("lua", ""))
        self.assertEqual(found.passed, 1)

    def test_a_part_that_fails_without_a_word_is_a_failure(self):
        self.assertEqual(counts.read("killed\n", -9, shell("cpp", "")).failed, 1)
        self.assertEqual(counts.read("2 passed, 1 failed\n", 1, shell("lua", "")).failed, 1)

    def test_skipping(self):
        found = counts.read("no browser\n", 77, shell("page", "", skip_status=77, counts_itself=True))
        self.assertEqual((found.passed, found.failed, found.skipped), (0, 0, 1))


class Pool(unittest.TestCase):
    def test_longest_first_and_side_by_side(self):
        begin = time.monotonic()
        outcomes, _ = run([shell("short", "sleep 0.1", seconds=1), shell("long", "sleep 0.5", seconds=9),
                           shell("other", "sleep 0.4", seconds=5)])
        self.assertLess(time.monotonic() - begin, 0.9)
        self.assertEqual(list(outcomes), ["other", "long", "short"])

    def test_what_needs_a_part_waits_for_it_and_fails_with_it(self):
        outcomes, said = run([shell("tests", "true", after="build", seconds=9), shell("build", "exit 3", seconds=1)])
        self.assertEqual(outcomes["tests"].counts.failed, 1)
        self.assertIn("cannot run, as build failed", said)

    def test_alone(self):
        begin = time.monotonic()
        outcomes, _ = run([shell("one", "sleep 0.3"), shell("alone", "sleep 0.3", alone=True, seconds=9)])
        self.assertEqual(list(outcomes), ["one", "alone"])
        self.assertGreater(time.monotonic() - begin, 0.6)

    def test_the_output_of_a_failure_is_shown(self):
        _, said = run([shell("bad", "echo why; exit 1"), shell("good", "echo fine")])
        self.assertIn("why", said)
        self.assertNotIn("fine", said)

    def test_a_failure_is_shown_without_times_and_again_at_the_end(self):
        outcomes, said = run([shell("bad", "printf 'why\\n0.250 s: a name\\n0.3 s: b'; exit 1"), shell("good", "echo fine")])
        self.assertNotIn("a name", said)
        self.assertEqual(report.failures(outcomes.values()), "== failed: group, bad\nwhy\n")

    def test_more_slots_than_cores(self):
        outcomes, _ = run([shell("wide", "true", slots=8)], cores=1)
        self.assertEqual(outcomes["wide"].status, 0)


class Changed(unittest.TestCase):
    def select(self, *files):
        covered = coverage.Coverage()
        covered.recorded = {"tests/scripts/nn/lbfgs_test.lua": {"executes": ["scripts/tide/nn/optim/lbfgs.lua"]},
                            "tests/scripts/nn/nn_test.lua": {"executes": ["scripts/tide/nn/module.lua"]}}
        selection = changed.Selection(covered)
        for file in files:
            selection.add(file)
        return selection

    def test_a_source_of_the_runtime(self):
        found = self.select("runtime/cpu/ops/compute_scatter.cpp")
        self.assertIn(("runtime_tests", "compute_scatter_test"), found.cpp)
        self.assertIn("tests/scripts/ops/scatter_reduce_test.lua", found.scripts)
        self.assertIn("runtime_tests", found.targets())

    def test_a_file_of_the_library(self):
        found = self.select("scripts/tide/nn/optim/lbfgs.lua")
        self.assertEqual(found.scripts, {"tests/scripts/nn/lbfgs_test.lua"})
        self.assertNotIn("runtime_tests", found.targets())

    def test_a_file_of_the_library_that_no_test_executes(self):
        found = self.select("scripts/bench/startup.lua")
        self.assertIn("tests/scripts/library/bench_test.lua", found.scripts)

    def test_a_header(self):
        self.assertIn(("bindings_tests", "bind_test"), self.select("bindings/ops/call.h").cpp)
        self.assertIn(("bindings_tests", "bind_test"), self.select("bindings/ops/call_bind.cpp").cpp)

    def test_what_a_script_test_executes_is_recorded(self):
        with tempfile.TemporaryDirectory() as folder:
            trace, script = Path(folder) / "trace", Path(folder) / "linear.lua"
            script.write_text(coverage.TRACE % "a.lua" + "-- A layer.\nreturn debug.getinfo(1).currentline\n")
            program = shutil.which("lua5.4") or shutil.which("lua")
            if not program:
                self.skipTest("no Lua here")
            shown = subprocess.run([program, "-e", f"print(dofile '{script}')"], capture_output=True, text=True,
                                   env={**os.environ, "COVERAGE_TRACE": str(trace)})
            self.assertEqual((trace.read_text(), shown.stdout), ("a.lua\n", "2\n"))

    def test_a_test_is_recorded_again_after_a_change(self):
        test = "tests/scripts/nn/nn_test.lua"
        known = coverage.update([test], {test: {"text": "of before"}}, 1, lambda test, library: ["scripts/tide/nn.lua"])
        self.assertEqual(known[test]["executes"], ["scripts/tide/nn.lua"])
        self.assertEqual(coverage.update([test], known, 1, None), known)

    def test_a_test(self):
        self.assertIn("tests/scripts/nn/nn_test.lua", self.select("tests/scripts/nn/nn_test.lua").scripts)
        self.assertIn(("cuda_tests", "loss_test"), self.select("tests/cuda/loss_test.cpp").cpp)

    def test_what_nothing_looks_at_is_said(self):
        self.assertEqual(self.select("Containerfile").unknown, ["Containerfile"])


class Tree(unittest.TestCase):
    def check(self, problems, files, *expected):
        self.assertEqual(list(problems(files)), list(expected))

    def test_includes_upwards(self):
        self.check(layout.includes_upwards, {"runtime/types/a.h": '#include "runtime/types/b.h"\n'})
        self.check(layout.includes_upwards, {"runtime/types/a.h": '#include "runtime/ir/b.h"\n'},
                   "runtime/types/a.h: includes runtime/ir/b.h, which runtime/types does not stand over")

    def test_circles(self):
        chain = {"interpreter/a/x.h": '#include "interpreter/b/y.h"\n', "interpreter/b/y.h": '#include "interpreter/c/z.h"\n'}
        self.check(layout.circles, chain)
        self.check(layout.circles, {**chain, "interpreter/c/z.h": '#include "interpreter/a/x.h"\n'},
                   "interpreter: a needs b (interpreter/a/x.h), b needs c (interpreter/b/y.h), c needs a (interpreter/c/z.h)")
        self.check(layout.circles, {"scripts/tide/nn/a.lua": 'require "tide.func"\n',
                                    "scripts/tide/func.lua": 'local nn = require("tide.nn.a")\n'},
                   "scripts/tide: func needs nn (scripts/tide/func.lua), nn needs func (scripts/tide/nn/a.lua)")

    def test_sizes_and_names(self):
        self.check(layout.long_files, {"runtime/a.cpp": "\n" * 600, "runtime/b.cpp": "\n" * 601},
                   "runtime/b.cpp: 601 lines, at most 600")
        self.check(layout.sources_without_header, {"runtime/io/a.h": "", "runtime/io/a_b.cpp": ""})
        self.check(layout.sources_without_header, {"runtime/io/a.h": "", "runtime/io/b.cpp": ""},
                   "runtime/io/b.cpp: is not named after a header of its folder")
        self.check(layout.large_folders, {"runtime/README.md": "", **{f"runtime/{i}.h": "" for i in range(31)}},
                   "runtime: 31 sources, at most 30")

    def test_devices_and_environment(self):
        met = {path: "case DeviceKind::cpu" for path in layout.KNOW_KINDS}
        self.check(layout.kinds_of_devices, met)
        self.check(layout.kinds_of_devices, {**met, "runtime/io/a.cpp": "if (kind == DeviceKind::cpu)"},
                   "runtime/io/a.cpp: asks for a kind of device: ask for a capability")
        self.check(layout.environment_elsewhere, {"runtime/io/a.cpp": 'std::getenv("X")'},
                   "runtime/io/a.cpp: reads the environment: use runtime/os/environment.h")
        self.check(layout.runtime_with_lua, {"runtime/io/a.cpp": "#include <lua.hpp>\n"},
                   "runtime/io/a.cpp: includes lua.hpp: the runtime does not depend on Lua")

    def test_documents(self):
        text = "# A title\n[here](#a-title) [there](docs/b.md#two-words)\n```\n" + "code\n" * 9 + "```\n"
        self.check(documents.problems, {"a.md": text, "docs/b.md": "## Two words\n[up](../a.md) [folder](../docs)\n"})
        self.check(documents.problems, {"a.md": "[x](y.md)\n" + "line\n" * 5 + "\n" + "x" * 121},
                   "a.md:8: 121 columns, at most 120", "a.md:6: in a paragraph of more than 5 lines",
                   "a.md: links to y.md, which is not there")

    def test_words(self):
        self.check(words.problems, {"a.h": "FailureBook b; // there is no history of it, less so\n"},
                   "a.h:1: 'history': write grad function", "a.h:1: 'failure book': write error table")
        self.check(words.problems, {"a.h": "int so_many;\n// that is no longer so, but this is no number\n"},
                   "a.h:1: 'so many': write the number", "a.h:2: 'is no': write is not a ..., cannot ..., expected ...")
        self.check(words.problems, {"docs/a.md": "a history of meanings\n"})


class Report(unittest.TestCase):
    def test_over_budget(self):
        name = "lessons"
        outcome = pool.Outcome(Part(name, "x", []), 0, 1, 1e6, counts.Counts(passed=1))
        line = next(row for row in report.table([outcome], 0).split("\n") if row.startswith(name))
        self.assertTrue(line.endswith("over budget"))

    def test_each_part_has_a_budget(self):
        self.assertEqual({part.group for part in [LINT, *all_parts(2)]} - set(report.budgets()), set())


if __name__ == "__main__":
    unittest.main()
