"""The steps keep their time limits, distinguish left out from failed, and save the logs of failures."""
import json
import os
import pathlib
import sys
import tempfile
import time
import unittest
import unittest.mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import steps  # noqa: E402
from steps import Runner, Step  # noqa: E402


def shell(words):
    return ["sh", "-c", words]


class StepsTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def results(self, *given, seconds=60, rerun=False):
        runner = Runner(self.folder, seconds, {"PATH": "/usr/bin:/bin"})
        for step in given:
            runner.run(step)
        if rerun:
            runner.rerun_failed()
        return runner.results

    def read(self, name):
        return (self.folder / "logs" / name).read_text()

    def test_outcomes(self):
        passed, failed, out, unable, missing = self.results(
            Step("a", 9, [shell("echo well")]), Step("b", 9, [shell("echo so; exit 3")]),
            Step("c", 9, [shell("echo no GPU; exit 77")]), Step("d", 9, [], left_out="no tool"),
            Step("e", 9, [["/nonexistent/program"]]))
        self.assertEqual((passed.outcome, passed.why), ("passed", ""))
        self.assertEqual((failed.outcome, failed.why), ("failed", "status 3: so"))
        self.assertEqual((out.outcome, out.why), ("left out", "no GPU"))
        self.assertEqual((unable.outcome, unable.why), ("left out", "no tool"))
        self.assertEqual(missing.outcome, "failed")
        self.assertEqual(self.read("b.log"), "$ sh -c echo so; exit 3\nso\n")
        lines = (self.folder / "report.jsonl").read_text().splitlines()
        self.assertEqual(len(lines), 5)
        row = json.loads(lines[2])
        self.assertLess(row.pop("seconds"), 5)
        self.assertEqual(row, {"step": "c", "outcome": "left out", "why": "no GPU", "logs": ["logs/c.log"]})

    def test_all_commands_must_pass(self):
        result, = self.results(Step("a", 9, [shell("exit 0"), shell("echo half; exit 1")]))
        self.assertEqual((result.outcome, result.why), ("failed", "status 1: half"))
        self.assertEqual(result.logs, ["logs/a-1.log", "logs/a-2.log"])

    def test_a_hang_leaves_its_stacks_and_no_process(self):
        start = time.monotonic()
        result, after = self.results(Step("a", 3, [shell("sleep 1000; true")]), Step("b", 9, [shell("true")]))
        self.assertEqual((result.outcome, result.why), ("failed", "not done after 3 s"))
        self.assertEqual(after.outcome, "passed")
        self.assertLess(time.monotonic() - start, 3 + 2 * 15)
        text = self.read("a.stacks.txt")
        self.assertIn("sleep 1000", text)
        self.assertIn("wchan", text)
        leader = int(text.split("== process ")[1].split(":")[0])
        self.assertEqual(steps.stacks.of_session(leader), [])

    def test_stacks_need_no_tools(self):
        sleeper = steps.Process(["sleep", "1000"], None, self.folder / "log")
        self.addCleanup(sleeper.end)
        with unittest.mock.patch.dict(os.environ, {"PATH": ""}):
            steps.stacks.save(self.folder / "stacks", sleeper.child.pid, time.monotonic() + 9)
        text = (self.folder / "stacks").read_text()
        self.assertIn(f"== process {sleeper.child.pid}: sleep 1000\n", text)
        self.assertIn("wchan", text)

    def test_the_whole_keeps_its_time(self):
        first, second = self.results(Step("a", 60, [shell("sleep 1000")]), Step("b", 60, [shell("true")]), seconds=4)
        self.assertTrue(first.why.startswith("not done after "))
        self.assertEqual((second.outcome, second.why), ("left out", "no time is left"))

    def test_an_allowance_is_shared(self):
        together = steps.Allowance(5)
        first, second = self.results(*(Step(name, 4, [shell("sleep 1000")], allowance=together) for name in "ab"))
        self.assertEqual(first.why, "not done after 4 s")
        self.assertEqual((second.outcome, second.why), ("left out", "no time is left"))

    def test_failed_tests_run_again_one_by_one(self):
        show = shell("echo $CUDA_LAUNCH_BLOCKING $TIDE_EAGER $TIDE_CUDA_GRAPHS $CUBLASLT_LOG_LEVEL; exit 1")
        narrower = Step("b", 9, [shell("echo FAILED one; exit 1")], again=lambda logs: [
            shell(f"echo {'only one' if 'FAILED one' in logs[0].read_text() else 'all'}; true")])
        results = self.results(Step("a", 9, [show]), narrower, Step("c", 9, [shell("exit 1")], rerun=False), rerun=True)
        self.assertEqual([result.step for result in results], ["a", "b", "c", "a, synchronous", "b, synchronous"])
        self.assertEqual(results[0].why, "status 1")
        self.assertEqual(results[3].why, "status 1: 1 1 0 5")
        self.assertEqual(results[4].outcome, "passed")
        self.assertIn("only one", self.read("b__synchronous.log"))

    def test_what_runs_beside_ends_with_the_step(self):
        step = Step("a", 9, [shell("sleep 1")], beside=shell("while :; do echo clock; sleep 0.1; done"))
        self.assertEqual(self.results(step)[0].outcome, "passed")
        before = self.read("a__beside_it.log")
        self.assertGreater(before.count("clock\n"), 3)
        time.sleep(0.3)
        self.assertEqual(self.read("a__beside_it.log"), before)

    def test_a_check_looks_at_what_passed(self):
        def check(logs):
            raise ValueError(f"{logs[0].name} is wrong")
        result, = self.results(Step("a", 9, [shell("true")], check=check, figures=lambda logs: {"x": 1}))
        self.assertEqual((result.outcome, result.why, result.figures), ("failed", "a.log is wrong", {"x": 1}))


if __name__ == "__main__":
    unittest.main()
