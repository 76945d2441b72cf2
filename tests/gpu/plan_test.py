"""Tests how the plan reads logs."""
import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import plan  # noqa: E402

DASHES = "-" * 79
CATCH = f"""Filters: [cuda]
{DASHES}
a graph, run
{DASHES}
/x/launch_graphs_test.cpp:96
{DASHES}
another name
  with a section
{DASHES}
test cases: 24 | 22 passed | 2 failed
"""


LIBRARIES = """$ tide libraries.lua
tide: cuda: a product 64 x 64 x 64 of bfloat16 uses cuBLASLt
tide: cuda: a convolution of bfloat16 (2, 8, 9, 9) with (8, 3, 3) uses cuDNN
tide: cuda: attention of bfloat16 (2, 8, 576, 8) to (2, 8, 576, 8) uses cuDNN
product	3.0
"""


class PlanTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.plan = plan.Plan(pathlib.Path("/build"), self.folder)

    def log(self, text):
        path = self.folder / "log"
        path.write_text(text)
        return [path]

    def test_failed_test_cases(self):
        command, = self.plan.failed_cases(self.log(CATCH))
        self.assertEqual(command[1], '"a graph\\, run*","another name*"')
        command, = self.plan.failed_cases(self.log("Segmentation fault"))
        self.assertEqual(command[1], "[cuda]~[fake]~[ptxas]")

    def test_files_that_failed_or_did_not_end(self):
        files = self.plan.script_files()
        ended = "".join(f"{file}: 3 passed, 0 failed (1.2 s)\n" for file in files[2:])
        text = f"{files[5]}: 2 passed, 1 failed (1 s)\nFAILED {files[5]}: a test\n    why\n"
        command, = self.plan.failed_files(self.log(ended + text))
        self.assertEqual(command[-3:], [files[5], files[0], files[1]])

    def test_failed_groups(self):
        runner = ["tide", "runner"]
        text = "FAILED gather: 3: x1:gather(1, x2)\n    why\nMISSING sort: 1: x\n    why\n"
        self.assertEqual(self.plan.failed_groups(runner, self.log(text)), [[*runner, "--no-models", "gather", "sort"]])
        self.assertEqual(self.plan.failed_groups(runner, self.log("FAILED models: a\n")), [[*runner, "--models"]])

    def test_figures(self):
        text = '$ tide bench\n{"workload": "a", "best": 2.5}\n{"workload": "b", "error": "no memory"}\n'
        self.assertEqual(plan.figures(self.log(text)), {"a": 2.5, "b": "no memory"})

    def test_limits_fit_into_the_time(self):
        listed = [*self.plan.steps(), *self.plan.traps()]
        allowances = {id(step.allowance): step.allowance.left for step in listed if step.allowance}
        self.assertEqual(list(allowances.values()), [60])
        own = sum(step.seconds for step in listed if not step.allowance)
        self.assertLessEqual(own + sum(allowances.values()), plan.SECONDS)
        self.assertEqual(sum(step.seconds for step in self.plan.traps()), plan.TRAP_SECONDS)

    def test_bits_and_benchmarks_come_before_tests(self):
        names = [step.name for step in self.plan.steps()]
        for name in ("bits in two processes", "benchmarks", "benchmarks of PyTorch"):
            self.assertLess(names.index(name), names.index("C++ tests"))

    def test_libraries_must_have_taken_the_work(self):
        check = self.plan.libraries().check
        check(self.log(LIBRARIES))
        for name, words in (("cuBLASLt", "a product was not enqueued by cuBLASLt"),
                            ("attention", "attention was not enqueued by cuDNN"),
                            ("convolution", "a convolution was not enqueued by cuDNN")):
            left = "".join(line for line in LIBRARIES.splitlines(True) if name not in line)
            with self.assertRaisesRegex(ValueError, words):
                check(self.log(left))
        slow = "tide: cuda: attention of bfloat16 is slow: cuDNN failed on this attention. tide's own kernel is used\n"
        with self.assertRaisesRegex(ValueError, "cuDNN failed on this attention"):
            check(self.log(LIBRARIES + slow))

    def test_sanitizers_find_no_libraries(self):
        steps = list(self.plan.sanitizers())
        folder = pathlib.Path(steps[0].environment["TIDE_CUDA_PATH"].split(":")[0])
        for name in ("libcublasLt.so.13", "libcublasLt.so.12", "libcudnn.so.9"):
            self.assertEqual(os.readlink(folder / name), "/build/tide-cuda.so")

    def test_ratios_of_what_was_measured(self):
        (self.folder / "logs").mkdir()
        for name, lines in (
                ("benchmarks", ['{"workload": "copy_up", "best": 30.0, "unit": "GB/s"}',
                                '{"workload": "adamw_124m", "best": 2.0, "unit": "ms"}',
                                '{"workload": "launches_without_graphs", "best": 400000, "unit": "launches/s"}',
                                '{"workload": "item_latency", "best": 10.0, "unit": "us/item"}',
                                '{"workload": "sort_16m", "error": "no memory"}', '{"workload": "gpt_train", "be']),
                ("benchmarks_of_PyTorch", ['{"workload": "copy_up", "best": 20.0, "unit": "GB/s"}',
                                           '{"workload": "adamw_124m", "best": 3.0, "unit": "ms"}',
                                           '{"workload": "sort_16m", "best": 1.0, "unit": "ms"}'])):
            (self.folder / "logs" / f"{name}.log").write_text("\n".join(lines))
        costs, table = self.plan.ratios(self.folder).split("\n\n")
        for cost in ("link                         30 GB/s", "launch                      2.5 us",
                     "latency                     7.5 us", "bandwidth          not measured GB/s"):
            self.assertIn("\n" + cost, costs)
        lines = table.splitlines()
        rows = {line.split()[0]: line.split()[1:] for line in lines}
        self.assertEqual(rows["copy_up"], ["GB/s", "30.0", "20.0", "1.50"])
        self.assertEqual(rows["adamw_124m"], ["ms", "2.0", "3.0", "1.50"])
        self.assertEqual(rows["sort_16m"], ["ms", "failed", "1.0"])
        self.assertEqual(rows["gpt_train"], "not run not run".split())
        self.assertEqual(lines[-1], "sort_16m, tide: no memory")
        self.assertEqual(len(lines), 2 + len(plan.WORKLOADS) + len(plan.COLD_WORKLOADS) + 1)

    def test_bytes_of_tensors(self):
        header = json.dumps({"x": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]},
                             "y": {"dtype": "U8", "shape": [1], "data_offsets": [2, 3]}}).encode()
        path = self.folder / "bits"
        path.write_bytes(len(header).to_bytes(8, "little") + header + b"abc")
        self.assertEqual(plan.safetensors(path), {"x": b"ab", "y": b"c"})


if __name__ == "__main__":
    unittest.main()
