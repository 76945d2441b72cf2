"""The packed file runs in another place, and a bad file is rejected."""
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

PLUGINS = ("llvm", "dnnl", "lapack", "cuda", *(f"cuda-{number}" for number in (75, 80, 86, 89, 90, 100, 120)))
# Stands for tide: benchmarks print a figure, two processes write the same bits, all else passes.
TIDE = """#!/bin/sh
case "$1 $2" in
  "bench --json")
    echo '{"workload": "copy_up", "best": 30.0, "unit": "GB/s"}'
    [ -z "$HANG" ] || { touch "$HANG"; exec sleep 1000; } ;;
  */bits.lua*) printf '\\002\\000\\000\\000\\000\\000\\000\\000{}' > "$2" ;;
  "-e "*) echo "$0 $LD_LIBRARY_PATH $TIDE_CUDA_PATH" ;;
esac
"""


def run(*command, **environment):
    return subprocess.run([sys.executable, *map(str, command)], env={**os.environ, **environment},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, check=False)


def make_build(folder):
    """A build folder whose programs are scripts; the variables that name it and its golden cases."""
    build, golden = folder / "build", folder / "golden"
    (build / "fake_cuda").mkdir(parents=True)
    golden.mkdir()
    (golden / "ops.lua").write_text("return {}\n")
    for name in ("tide", "cuda_tests"):
        (build / name).write_text(TIDE if name == "tide" else "#!/bin/sh\n")
        (build / name).chmod(0o755)
    for name in PLUGINS:
        (build / f"tide-{name}.so").write_text(name)
    return {"TIDE_BUILD": str(build), "TIDE_GOLDEN": str(golden)}


class PackTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.file, cls.archive = cls.folder / "packed.tar.xz", cls.folder / "report.tar.gz"
        cls.environment = make_build(cls.folder)
        cls.packed = run(HERE / "pack", cls.file, **cls.environment)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_what_is_packed_runs_elsewhere(self):
        packed = self.packed
        self.assertEqual(packed.returncode, 0, packed.stderr)
        self.assertRegex(packed.stdout, r"^commit ([0-9a-f]{40} |unknown: )")
        self.assertRegex(packed.stdout, r"packed\.tar\.xz: [\d.]+ MB, of [\d.]+ MB in \d+ files\n")
        self.assertIn("packing: ", packed.stderr)
        done = run(HERE / "run", self.archive, "--rehearse", "--from", self.file, **self.environment)
        lines = done.stdout.splitlines()
        results = [json.loads(line) for line in lines if line.startswith("{")]
        failed = [result["step"] for result in results if result["outcome"] == "failed"]
        self.assertEqual(failed, ["libraries", "libraries, synchronous"], done.stdout + done.stderr)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(results[-1]["step"], "trap after libraries")
        self.assertIn("A ratio above 1 means that tide is faster.", lines)
        self.assertRegex("\n".join(lines), r"\ncopy_up +GB/s +30\.0 +not run\n")
        with tarfile.open(self.archive) as tar:
            read = {name: tar.extractfile(f"gpu_report/{name}").read().decode()
                    for name in ("ratios.txt", "logs/a_device_can_be_used.log", "logs/versions.log")}
        self.assertTrue(done.stdout.endswith(read["ratios.txt"]))
        self.assertIn(packed.stdout.splitlines()[0], read["logs/versions.log"])
        where = read["logs/a_device_can_be_used.log"].splitlines()[-1]
        self.assertRegex(where, r"/tide_gpu/build/release/tide \S*\s*\S*/tide_gpu/build/release/fake_cuda$")
        self.assertFalse(os.path.exists(where.split()[0]))

    def test_a_run_that_is_ended_leaves_what_was_measured(self):
        hanging = self.folder / "hanging"
        runner = subprocess.Popen(
            [sys.executable, str(HERE / "run"), str(self.archive), "--rehearse", "--from", str(self.file)],
            env={**os.environ, **self.environment, "HANG": str(hanging)}, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, universal_newlines=True)
        while not hanging.exists() and runner.poll() is None:
            time.sleep(0.05)
        runner.terminate()
        lines = runner.communicate()[0].splitlines()
        self.assertEqual(runner.returncode, 143)
        steps = [json.loads(line)["step"] for line in lines if line.startswith("{")]
        self.assertEqual(steps[-1], "bits in two processes")
        self.assertRegex("\n".join(lines), r"\ncopy_up +GB/s +30\.0 +not run\n")
        with tarfile.open(self.archive) as tar:
            self.assertEqual(tar.extractfile("gpu_report/ratios.txt").read().decode().splitlines()[-1], lines[-1])

    def test_a_folder_without_a_checkout_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, "tide/tests/gpu")
            shutil.copytree(HERE, copy)
            file = pathlib.Path(folder, "packed.tar.xz")
            packed = run(copy / "pack", file, **self.environment)
            self.assertEqual(packed.returncode, 0, packed.stderr)
            self.assertRegex(packed.stdout, r"^commit unknown: this is not a git checkout\n")
            with tarfile.open(file) as tar:
                self.assertTrue(any(name.endswith("tests/gpu/run") for name in tar.getnames()))

    def test_a_build_that_lacks_plugins_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = make_build(pathlib.Path(folder))
            pathlib.Path(folder, "build/tide-dnnl.so").unlink()
            file = pathlib.Path(folder, "packed.tar.xz")
            packed = run(HERE / "pack", file, **environment)
            self.assertEqual(packed.returncode, 1)
            self.assertIn("has no tide-dnnl.so: cmake --build", packed.stderr)
            self.assertFalse(file.exists())


class BadFileTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.file = self.folder / "packed.tar.xz"

    def write(self, *members):
        data = os.urandom(9999)
        with tarfile.open(self.file, "w:xz") as tar:
            for member in members:
                member.size = len(data) if member.isreg() else 0
                tar.addfile(member, io.BytesIO(data))

    def refused(self):
        """The error message for the file, from which nothing was unpacked."""
        done = run(HERE / "run", self.folder / "report.tar.gz", "--from", self.file, TMPDIR=str(self.folder))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["packed.tar.xz"])
        line, = done.stderr.splitlines()
        return line

    def test_bad_files_are_refused(self):
        def member(name, kind=tarfile.REGTYPE, target=""):
            made = tarfile.TarInfo(name)
            made.type, made.linkname = kind, target
            return made
        for name in ("../outside", "/tmp/outside", "tide_gpu/../../outside", "elsewhere"):
            self.write(member(name))
            self.assertIn(f"'{name}' is not a file or folder below tide_gpu", self.refused())
        self.write(member("tide_gpu/link", tarfile.SYMTYPE, "/etc"), member("tide_gpu/link/x"))
        self.assertIn("'tide_gpu/link' is not a file or folder below tide_gpu", self.refused())
        self.write(member("tide_gpu/x"))
        self.assertIn("was not made by tests/gpu/pack: it has no tide_gpu/tests/gpu/run", self.refused())
        self.file.write_bytes(self.file.read_bytes()[:5000])
        self.assertIn("cannot be unpacked: ", self.refused())
        self.file.write_text("no archive\n")
        self.assertIn("cannot be unpacked: ", self.refused())


if __name__ == "__main__":
    unittest.main()
