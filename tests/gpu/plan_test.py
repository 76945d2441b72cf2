"""What the plan reads from logs."""
import json
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

    def test_bytes_of_tensors(self):
        header = json.dumps({"x": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]},
                             "y": {"dtype": "U8", "shape": [1], "data_offsets": [2, 3]}}).encode()
        path = self.folder / "bits"
        path.write_bytes(len(header).to_bytes(8, "little") + header + b"abc")
        self.assertEqual(plan.safetensors(path), {"x": b"ab", "y": b"c"})


if __name__ == "__main__":
    unittest.main()
