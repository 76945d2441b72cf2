"""What is run, in which order, and how long it may take."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from steps import Step, words_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "tests/gpu/scripts"
WORKLOADS = """
copy_256m matmul_8192_f32 matmul_8192_tf32 matmul_8192_bf16 matmul_8192_int8 chain_256m add_256m softmax_16k
softmax_16k_bf16 layernorm_16k sum_64m column_sums_16k item_latency launches launches_without_graphs copy_up copy_down
copies_both_ways attention_fwd attention_train op_overhead mlp_step digits_train resnet18_fwd resnet18_train gpt_train
sort_16m scatter_add_16m
""".split()


class Plan:
    """The steps for a build folder. `rehearsal`: what the tests' own driver is to be like, if it is taken; as it
    interprets kernels, steps are smaller then."""

    def __init__(self, build, folder, rehearsal=None):
        self.build, self.folder, self.rehearsal = build, folder, rehearsal
        self.small = rehearsal is not None
        self.tide = str(build / "tide")
        self.jobs = max(1, min(8, os.cpu_count() or 1))

    def steps(self):
        return [*self.machine(), *self.sanitizers(), *self.tests(), self.golden(), *self.defects(), *self.benchmarks(),
                self.bits(), self.two_devices(), self.lessons()]

    def script(self, name, *words):
        return [self.tide, str(SCRIPTS / f"{name}.lua"), *words]

    def size(self):
        return ["small"] if self.small else []

    def program(self, name):
        """Why a program of the build cannot be run, if it cannot."""
        return None if (self.build / name).exists() else f"{self.build / name} was not built"

    # The machine ----------------------------------------------------------------------------------

    def machine(self):
        smi = None if shutil.which("nvidia-smi") else "nvidia-smi is not here"
        yield Step("machine", 20, [["nvidia-smi", "-q"], ["nvidia-smi", "topo", "-m"]], left_out=smi, rerun=False)
        asked = ("git log -1 --format='%H %cI'", "git status --short", "uname -a", "nproc",
                 "cat /proc/driver/nvidia/version", f"ls -l --time-style=full-iso '{self.build}'", "cat /proc/cpuinfo")
        yield Step("versions", 20, [["sh", "-c", "; ".join(asked)]], rerun=False)
        yield Step("info", 20, [[self.tide, "info"], [self.tide, "smi"]], environment={"TIDE_LOG": "1"})
        yield Step("a device can be used", 30, [[self.tide, "-e", (
            "assert(tide.cuda.is_available(), 'no device can be used') "
            "for k, v in pairs(tide.cuda.get_device_properties()) do print(k, v) end "
            "local x = tide.randn(100, 100, {device = 'cuda'}) "
            "tide.test.close(x:exp():sum(1):cpu(), x:cpu():exp():sum(1), {rtol = 1e-4})")]],
                   environment={"TIDE_LOG": "1"})

    # Right ----------------------------------------------------------------------------------------

    def sanitizers(self):
        places = [os.environ.get("PATH", ""), "/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer"]
        found = shutil.which("compute-sanitizer", path=os.pathsep.join(places))
        for tool in ("memcheck", "racecheck", "initcheck", "synccheck"):
            yield Step(tool, 15, [[found, "--tool", tool, "--error-exitcode", "9", *self.script(tool)]],
                       left_out=None if found else "compute-sanitizer is not here", rerun=False)

    def tests(self):
        yield Step("C++ tests", 45, [[str(self.build / "cuda_tests"), "[cuda]~[fake]~[ptxas]", "-d", "yes"]],
                   left_out=self.program("cuda_tests"), again=self.failed_cases)
        command = [self.tide, "test", "--device", "cuda", "--jobs", str(self.jobs), *self.script_files()]
        yield Step("script tests", 80, [command], again=self.failed_files)

    def failed_cases(self, logs):
        """Catch2 prints the name of a failed test case between lines of dashes, and may break it."""
        names = re.findall(r"^-{79}\n(\S.*)\n(?:  .*\n)*-{79}$", words_of(logs[0]), re.MULTILINE)
        chosen = ",".join('"' + name.replace(",", "\\,") + '*"' for name in dict.fromkeys(names))
        return [[str(self.build / "cuda_tests"), chosen or "[cuda]~[fake]~[ptxas]", "-d", "yes"]]

    def failed_files(self, logs):
        """Files with a failure, and those that had not come to their end."""
        text = words_of(logs[0])
        failed = re.findall(r"^FAILED (\S+_test\.lua)", text, re.MULTILINE)
        ended = set(re.findall(r"^(\S+_test\.lua): \d+ passed", text, re.MULTILINE))
        files = [*dict.fromkeys(failed), *(file for file in self.script_files() if file not in ended)]
        return [[self.tide, "test", "--device", "cuda", "--jobs", str(self.jobs), *files]]

    def script_files(self):
        own = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests/cuda/scripts").glob("*_test.lua"))
        names = words_of(ROOT / "tests/cuda/device_scripts.txt").split()
        return [*own, *(f"tests/scripts/{name}_test.lua" for name in names)]

    def golden(self):
        places = [pathlib.Path(os.environ.get("TIDE_GOLDEN", ROOT.parent / "shared/golden")), ROOT / "shared/golden"]
        folder = next((place for place in places if (place / "ops.lua").exists()), None)
        if not folder:
            why = f"no golden cases in {places[0]}: TIDE_GOLDEN names their folder"
            return Step("golden cases", 0, [], left_out=why)
        groups = re.findall(r'^\s*\{ op = "([^"]+)"', words_of(folder / "ops.lua"), re.MULTILINE)
        runner = [self.tide, "tests/golden/runner.lua", "--device", "cuda"]
        parts = [groups[i::self.jobs] for i in range(self.jobs)]
        commands = [[*runner, "--no-models", *part] for part in parts if part]
        if not self.small:
            commands.append([*runner, "--models"])
        return Step("golden cases", 50, commands, again=lambda logs: self.failed_groups(runner, logs),
                    environment={"TIDE_GOLDEN": str(folder)})

    def failed_groups(self, runner, logs):
        lines = "\n".join(words_of(log) for log in logs)
        groups = [name for name in re.findall(r"^(?:FAILED|MISSING) (\w+):", lines, re.MULTILINE) if name != "models"]
        return [[*runner, "--no-models", *dict.fromkeys(groups)]] if groups else [[*runner, "--models"]]

    def defects(self):
        yield Step("positions in graphs", 20, [self.script("positions_in_graphs")])
        yield Step("unaligned products", 20, [self.script("unaligned_products")])
        yield Step("odd attention", 20, [self.script("odd_attention", *self.size())])

    # Fast -----------------------------------------------------------------------------------------

    def benchmarks(self):
        # A driver that interprets kernels takes hours for these; without running them it takes what the host does.
        settings = {"TIDE_FAKE_CUDA": f"{self.rehearsal},skip_kernels=1,memory=64G"} if self.small else {}
        reps = ["--reps", "1" if self.small else "5"]
        clocks = [self.tide, "smi", "dmon", "600"]
        if shutil.which("nvidia-smi"):
            asked = ("timestamp,index,clocks.sm,clocks.mem,power.draw,temperature.gpu,utilization.gpu,"
                     "clocks_throttle_reasons.active")
            clocks = ["nvidia-smi", "--format=csv", "--loop-ms=500", f"--query-gpu={asked}"]
        yield Step("benchmarks", 70, [[self.tide, "bench", *WORKLOADS, "--json", "--device", "cuda", *reps]],
                   figures=figures, beside=clocks, environment=settings, rerun=False)
        python = os.environ.get("TIDE_TORCH_PYTHON", sys.executable)
        peers = [python, "scripts/bench/peers.py", ",".join(WORKLOADS), "torch", "--device", "cuda", *reps]
        yield Step("benchmarks of PyTorch", 50, [peers], figures=figures, beside=clocks, rerun=False,
                   left_out=self.no_torch(python))

    def no_torch(self, python):
        ask = "import torch, sys; sys.exit(not torch.cuda.is_available())"
        try:
            done = subprocess.run([python, "-c", ask], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, timeout=20, check=False).returncode
        except (subprocess.SubprocessError, OSError) as error:
            return str(error)
        return f"no PyTorch with CUDA for {python}: TIDE_TORCH_PYTHON names another" if done else None

    # Same -----------------------------------------------------------------------------------------

    def bits(self):
        files = [self.folder / f"bits-{i}.safetensors" for i in (1, 2)]


        def check(_):
            one, other = (safetensors(file) for file in files)
            different = [name for name in one if one[name] != other.get(name)]
            if different or len(one) != len(other):
                raise ValueError(f"two processes computed different bits: {', '.join(different)}")
        commands = [self.script("bits", str(file), *self.size()) for file in files]
        return Step("bits in two processes", 30, commands, check=check)

    def lessons(self):
        words = {"gradients": "--steps 5", "async_queue": "--size 128 --products 40",
                 "training_loop": "--digits 8 --epochs 1", "relu_three_ways": "--count 4096",
                 "transfers": "--megabytes 1", "contexts": "--products 50",
                 "resnet18": "--size 32 --batch 2 --steps 1", "mixed_precision": "--size 16 --batch 2 --steps 1",
                 "fine_tuning": "--epochs 1 --tuning 2 --digits 100",
                 "writing_text": "--steps 2 --hidden 16 --length 8", "trainer": "--epochs 1 --digits 100",
                 "bottlenecks": "--samples 32 --epochs 2", "tensor_cores": "--size 32",
                 "launches": "--count 16", "training_memory": "--batch 64 --width 8",
                 "timelines": "--steps 2"}
        small = {name: text.split() for name, text in words.items()} if self.small else {}
        names = sorted(path.stem[3:] for path in (ROOT / "scripts/lessons").glob("[0-9]*.lua"))
        return Step("lessons", 40, [[self.tide, "lesson", name, *small.get(name, []), "--device", "cuda"]
                                    for name in names])

    def two_devices(self):
        return Step("two GPUs", 15, [self.script("two_devices")])

    def trap(self):
        """The last: it takes the device from whoever uses it."""
        return Step("trap", 20, [[str(self.build / "cuda_tests"), "[trap]", "-d", "yes"]],
                    left_out=self.program("cuda_tests"), environment={"TIDE_LOG": "1"})


def figures(logs):
    """The best figure of each workload, from lines of JSON."""
    found = {}
    for line in words_of(logs[0]).splitlines():
        if line.startswith("{"):
            row = json.loads(line)
            found[row["workload"]] = row.get("best", row.get("error"))
    return found


def safetensors(path):
    """The bytes of each tensor of a file."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    return {name: data[start + of["data_offsets"][0]:start + of["data_offsets"][1]] for name, of in header.items()}
