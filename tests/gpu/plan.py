"""The steps of the report, their order and time limits."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import lessons
import packed
import ratios
from steps import Allowance, Step, slug, words_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "tests/gpu/scripts"
SECONDS = 445  # of all steps; stacks of the last hanging command, and the archive, take the rest of 8 minutes
TRAP_SECONDS = 20  # of these
SANITIZER_SECONDS = 60  # of all four
# The most important ones first: if time runs out, the last are missing.
WORKLOADS = """
matmul_8192_bf16 matmul_8192_tf32 matmul_8192_f32 matmul_8192_int8 matmul_8192_float8 attention_fwd attention_train
gpt2_train resnet50_bf16 resnet50_train cross_entropy_50k layernorm_768 batchnorm_relu adamw_124m attention_12k_fwd
attention_12k_train attention_16k_fwd attention_16k_train copy_256m chain_256m add_256m softmax_16k softmax_16k_bf16
layernorm_16k sum_64m column_sums_16k item_latency launches copy_up copy_down copy_down_pinned copies_both_ways
op_overhead mlp_step digits_train resnet18_fwd resnet18_train gpt_train sort_16m scatter_add_16m
launches_without_graphs
""".split()
COLD_WORKLOADS = ["first_step_cold"]  # in separate processes
# Replaced, because compute-sanitizer would instrument all kernels of these libraries, for minutes.
LIBRARY_FILES = ("libcublasLt.so.13", "libcublasLt.so.12", "libcudnn.so.9")


def golden_folder():
    """Where the golden cases are, or None."""
    places = [pathlib.Path(os.environ.get("TIDE_GOLDEN", ROOT.parent / "shared/golden")), ROOT / "shared/golden"]
    return next((place for place in places if (place / "ops.lua").exists()), None)


class Plan:
    """The steps for a build folder. `rehearsal`: settings of the fake driver, if it is used; steps are smaller then,
    because it interprets kernels."""

    def __init__(self, build, folder, rehearsal=None):
        self.build, self.folder, self.rehearsal = build, folder, rehearsal
        self.small = rehearsal is not None
        self.tide = str(build / "tide")
        self.jobs = max(1, min(8, os.cpu_count() or 1))

    def steps(self):
        return [*self.machine(), self.bits(), *self.benchmarks(), self.libraries(), *self.tests(), self.golden(),
                *self.defects(), *self.sanitizers(), self.two_devices(), self.lessons()]

    def script(self, name, *words):
        return [self.tide, str(SCRIPTS / f"{name}.lua"), *words]

    def size(self):
        return ["small"] if self.small else []

    def program(self, name):
        """Why a program of the build cannot run, if it cannot."""
        return None if (self.build / name).exists() else f"{self.build / name} was not built"

    # The machine ----------------------------------------------------------------------------------

    def machine(self):
        smi = None if shutil.which("nvidia-smi") else "nvidia-smi was not found"
        yield Step("machine", 5, [["nvidia-smi", "-q"], ["nvidia-smi", "topo", "-m"]], left_out=smi, rerun=False)
        origin = [f"cat {packed.ORIGIN}"] if (ROOT / packed.ORIGIN).exists() else [
            "git log -1 --format='%H %cI'", "git status --short"]
        asked = (*origin, "uname -a", "nproc",
                 "cat /proc/driver/nvidia/version", f"ls -l --time-style=full-iso '{self.build}'", "cat /proc/cpuinfo")
        yield Step("versions", 5, [["sh", "-c", "; ".join(asked)]], rerun=False)
        yield Step("info", 10, [[self.tide, "info"], [self.tide, "smi"]], environment={"TIDE_LOG": "1"})
        yield Step("a device can be used", 15, [[self.tide, "-e", (
            "assert(tide.cuda.is_available(), 'no device can be used') "
            "for k, v in pairs(tide.cuda.get_device_properties()) do print(k, v) end "
            "local x = tide.randn(100, 100, {device = 'cuda'}) "
            "tide.test.close(x:exp():sum(1):cpu(), x:cpu():exp():sum(1), {rtol = 1e-4})")]],
                   environment={"TIDE_LOG": "1"})

    # Right ----------------------------------------------------------------------------------------

    def sanitizers(self):
        places = [os.environ.get("PATH", ""), "/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer"]
        found = shutil.which("compute-sanitizer", path=os.pathsep.join(places))
        together = Allowance(SANITIZER_SECONDS)
        driver = str(self.build / "fake_cuda") if self.small else os.environ.get("TIDE_CUDA_PATH", "")
        places = ":".join(filter(None, [str(self.no_libraries()), driver]))
        for tool in ("memcheck", "racecheck", "initcheck", "synccheck"):
            yield Step(tool, 30, [[found, "--tool", tool, "--error-exitcode", "9", *self.script(tool)]],
                       left_out=None if found else "compute-sanitizer was not found", rerun=False, allowance=together,
                       environment={"TIDE_CUDA_PATH": places})

    def no_libraries(self):
        """A folder with empty replacements of cuBLASLt and cuDNN, which are found first."""
        folder = self.folder / "no_libraries"
        if not folder.exists():
            folder.mkdir()
            for name in LIBRARY_FILES:
                (folder / name).symlink_to(self.build / "tide-cuda.so")
        return folder

    def libraries(self):
        """Passes if cuBLASLt and cuDNN run ops that they support."""
        def check(logs):
            text = words_of(logs[0])
            for work, library in (("a product", "cuBLASLt"), ("a convolution", "cuDNN"), ("attention", "cuDNN")):
                if not re.search(rf"^tide: cuda: {work} .* uses {library}$", text, re.MULTILINE):
                    raise ValueError(f"{work} was not enqueued by {library}")
            own = re.search(r"^tide: cuda: .*(is slow: | uses tide's own kernel).*$", text, re.MULTILINE)
            if own:
                raise ValueError(own.group())
        return Step("libraries", 10, [self.script("libraries", *self.size())], check=check,
                    environment={"TIDE_LOG": "1"})

    def tests(self):
        yield Step("C++ tests", 30, [[str(self.build / "cuda_tests"), "[cuda]~[fake]~[ptxas]", "-d", "yes"]],
                   left_out=self.program("cuda_tests"), again=self.failed_cases)
        command = [self.tide, "test", "--device", "cuda", "--jobs", str(self.jobs), *self.script_files()]
        yield Step("script tests", 45, [command], again=self.failed_files)

    def failed_cases(self, logs):
        """The failed test cases. Catch2 prints a name between lines of dashes, and may wrap it."""
        names = re.findall(r"^-{79}\n(\S.*)\n(?:  .*\n)*-{79}$", words_of(logs[0]), re.MULTILINE)
        chosen = ",".join('"' + name.replace(",", "\\,") + '*"' for name in dict.fromkeys(names))
        return [[str(self.build / "cuda_tests"), chosen or "[cuda]~[fake]~[ptxas]", "-d", "yes"]]

    def failed_files(self, logs):
        """Files with a failure, and unfinished ones."""
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
        folder = golden_folder()
        if not folder:
            return Step("golden cases", 0, [], left_out="no golden cases are here: TIDE_GOLDEN names their folder")
        groups = re.findall(r'^\s*\{ op = "([^"]+)"', words_of(folder / "ops.lua"), re.MULTILINE)
        runner = [self.tide, "tests/golden/runner.lua", "--device", "cuda"]
        parts = [groups[i::self.jobs] for i in range(self.jobs)]
        commands = [[*runner, "--no-models", *part] for part in parts if part]
        if not self.small:
            commands.append([*runner, "--models"])
        return Step("golden cases", 25, commands, again=lambda logs: self.failed_groups(runner, logs),
                    environment={"TIDE_GOLDEN": str(folder)})

    def failed_groups(self, runner, logs):
        lines = "\n".join(words_of(log) for log in logs)
        groups = [name for name in re.findall(r"^(?:FAILED|MISSING) (\w+):", lines, re.MULTILINE) if name != "models"]
        return [[*runner, "--no-models", *dict.fromkeys(groups)]] if groups else [[*runner, "--models"]]

    def defects(self):
        yield Step("positions in graphs", 6, [self.script("positions_in_graphs")])
        yield Step("unaligned products", 6, [self.script("unaligned_products")])
        yield Step("odd attention", 6, [self.script("odd_attention", *self.size())])

    # Fast -----------------------------------------------------------------------------------------

    def benchmarks(self):
        # Interpreting their kernels would take hours; skipping them leaves the host's time.
        settings = {"TIDE_FAKE_CUDA": f"{self.rehearsal},skip_kernels=1,memory=64G"} if self.small else {}
        reps = ["--reps", "1" if self.small else "5"]
        clocks = [self.tide, "smi", "dmon", "600"]
        if shutil.which("nvidia-smi"):
            asked = ("timestamp,index,clocks.sm,clocks.mem,power.draw,temperature.gpu,utilization.gpu,"
                     "clocks_throttle_reasons.active")
            clocks = ["nvidia-smi", "--format=csv", "--loop-ms=500", f"--query-gpu={asked}"]
        tide = [self.tide, "bench", "--json", "--device", "cuda"]
        yield Step("benchmarks", 70, [[*tide, *reps, *WORKLOADS]], figures=figures, beside=clocks,
                   environment=settings, rerun=False)
        yield Step("cold first step", 15, [[*tide, "--reps", "2", *COLD_WORKLOADS]], figures=figures,
                   environment=settings, rerun=False)
        python = os.environ.get("TIDE_TORCH_PYTHON", sys.executable)
        torch = [python, "scripts/bench/peers.py"]
        end = ["torch", "--device", "cuda"]
        why = self.no_torch(python)
        yield Step("benchmarks of PyTorch", 50, [[*torch, ",".join(WORKLOADS), *end, *reps]], figures=figures,
                   beside=clocks, rerun=False, left_out=why)
        yield Step("cold first step of PyTorch", 15, [[*torch, ",".join(COLD_WORKLOADS), *end, "--reps", "2"]],
                   figures=figures, rerun=False, left_out=why)

    def ratios(self, folder):
        """The benchmarks' results so far in the logs below `folder`: the GPU's costs, and the table."""
        def rows(*names):
            return ratios.measured([folder / "logs" / f"{slug(name)}.log" for name in names])
        ours = rows("benchmarks", "cold first step")
        return ratios.card(ours) + "\n" + ratios.table([*WORKLOADS, *COLD_WORKLOADS], ours,
                                                       rows("benchmarks of PyTorch", "cold first step of PyTorch"))

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
        return Step("bits in two processes", 20, commands, check=check)

    def lessons(self):
        return Step("lessons", 25, [[self.tide, *words] for _, words in lessons.commands(ROOT, self.small)])

    def two_devices(self):
        return Step("two GPUs", 7, [self.script("two_devices")])

    def traps(self):
        """The last steps, because they reset the device for all its users. The first process has not used a library."""
        for name, tags in (("trap", "[trap]~[libraries]"), ("trap after libraries", "[trap][libraries]")):
            yield Step(name, TRAP_SECONDS / 2, [[str(self.build / "cuda_tests"), tags, "-d", "yes"]],
                       left_out=self.program("cuda_tests"), environment={"TIDE_LOG": "1"})


def figures(logs):
    """The best figure of each workload."""
    return {name: row.get("best", row.get("error")) for name, row in ratios.measured(logs).items()}


def safetensors(path):
    """The bytes of each tensor of a file."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    return {name: data[start + of["data_offsets"][0]:start + of["data_offsets"][1]] for name, of in header.items()}
