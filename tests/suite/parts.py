"""The parts of the tests, and their commands."""
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/gpu"))

import lessons  # noqa: E402

RELEASE = ROOT / "build/release"
# Kernels for cuda, compiled by the golden cases.
GOLDEN_KERNELS = RELEASE / "golden_kernels"

# Tests of values that depend on the processor: computed by generated or vectorized code.
VALUES = ("composed_ops conversion indexing integers nn op_rows operators reductions").split()

# The parts of `tests/run quick`, besides lint, and what they need built.
QUICK = {"C++ tests": ("runtime", "bindings", "suite"), "golden cases": ("golden cases",),
         "script tests": ("ops", "autograd", "nn", "data", "training", "mistakes")}
QUICK_TARGETS = ("complete", "runtime_tests", "bindings_tests")


@dataclass
class Part:
    """One command. The parts of a group share a row of the final table; `seconds` is an estimate, so that the longest
    parts start first."""
    group: str
    name: str
    command: list
    environment: dict = field(default_factory=dict)
    seconds: float = 1
    after: str = ""         # the name of a part that must have passed
    alone: bool = False     # nothing else runs at the same time
    slots: int = 1          # cores used
    skip_status: int = -1   # the exit status for "skipped"
    counts_itself: bool = False  # success counts as one passed test: the output has no counts


LINT = Part("lint", "lint", [sys.executable, "-B", str(ROOT / "tests/suite/main.py"), "lint"], seconds=40)


def has_golden():
    """Whether PyTorch's results are available, or expected: then the runner fails without them."""
    return any(os.environ.get(name) for name in ("TIDE_GOLDEN", "TIDE_EXPECT_GOLDEN")) or \
        (ROOT / "../shared/golden").is_dir()


def tide(*words):
    return [str(RELEASE / "tide"), *words]


def paths(pattern):
    return sorted(str(path.relative_to(ROOT)) for path in ROOT.glob(pattern))


def cpp_tests():
    """The tests that CMake lists: Catch2's programs, and tests in Python."""
    listed = json.loads(subprocess.run(["ctest", "--show-only=json-v1"], cwd=RELEASE / "tests", check=True,
                                       capture_output=True, text=True).stdout)
    guesses = {"cuda": 60, "kernel_table": 40, "program": 90, "site": 45, "runtime": 35, "timeline_page": 18,
               "lesson_site": 10, "gpu_steps": 10, "gpu_pack": 10}
    for test in listed["tests"]:
        if "command" not in test:  # its program is not built for a quick run
            continue
        properties = {row["name"]: row["value"] for row in test.get("properties", [])}
        command = list(test["command"])
        environment = dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", []))
        after = ""
        if test["name"] == "kernel_table":
            environment["TIDE_GOLDEN_KERNELS"] = str(GOLDEN_KERNELS)
            after = "golden cases on cuda"
        python = Path(command[0]).name.startswith("python")
        if not python:
            command += ["--durations", "yes"]
        yield Part("C++ tests", test["name"], command, environment, guesses.get(test["name"], 3), after,
                   skip_status=properties.get("SKIP_RETURN_CODE", -1), counts_itself=python)


def script_tests(group, scripts, options=(), environment=None, pace=1.0):
    """A process per folder, to use several cores."""
    folders = {}
    for script in scripts:
        folders.setdefault(str(Path(script).parent), []).append(script)
    for folder, files in folders.items():
        yield Part(group, Path(folder).name, tide("test", *options, *files), environment or {},
                   pace * len(files))


def processors():
    """Tests with code for older processors, all of it compiled: otherwise small loops are interpreted."""
    for cpu in ("x86-64", "haswell"):
        files = [path for name in VALUES for path in paths(f"tests/scripts/*/{name}_test.lua")]
        yield Part("older processors", f"values, {cpu}", tide("test", "--device", "cpu", *files),
                   {"TIDE_CPU": cpu, "TIDE_INTERPRETER": "0"}, 20)
        if has_golden():
            yield Part("older processors", f"golden cases, {cpu}", tide("tests/golden/runner.lua", "--no-models"),
                       {"TIDE_CPU": cpu, "TIDE_INTERPRETER": "0"}, 40)


def cuda():
    """The cuda device, on the tests' fake driver and cuBLASLt: the kernels' PTX is interpreted, blocks and threads in
    shuffled order. Script tests that are not in device_scripts.txt take too long that way, or do not use a device."""
    driver = {"TIDE_CUDA_PATH": str(RELEASE / "fake_cuda"), "TIDE_FAKE_CUDA": "order=shuffled"}
    if has_golden():
        yield Part("cuda: golden cases", "golden cases on cuda",
                   tide("tests/golden/runner.lua", "--device", "cuda", "--no-models"),
                   {**driver, "TIDE_CACHE_DIR": str(GOLDEN_KERNELS)}, 60)
    names = (ROOT / "tests/cuda/device_scripts.txt").read_text().split()
    scripts = paths("tests/cuda/scripts/*_test.lua") + [f"tests/scripts/{name}_test.lua" for name in names]
    yield from script_tests("cuda: script tests", scripts, ("--device", "cuda"), driver, 2)
    for name, words in lessons.commands(ROOT, small=True):
        seconds = 30 if name == "mixed_precision" else 3
        yield Part("cuda: lessons", name, tide(*words), driver, seconds, counts_itself=True)


def sanitized(cores):
    """The runtime's tests under a sanitizer, and the script tests that read and write files. The plugins are those
    of the release build: LLVM and oneDNN are not tested, and would take most of an hour. Tests tagged [reference] are
    excluded because they spend their time in reference loops, in generated code, which is not sanitized, or in code
    that other tests cover with less work. Tests tagged [serial] take long and start no threads, so the thread
    sanitizer skips them."""
    # The sanitizers of GCC 12 guess the thread-local variables of a library opened at run time (oneDNN) from nearby
    # memory, and sometimes fail on an invalid range: disabled.
    guesses = "intercept_tls_get_addr=0"
    jobs = max(1, cores // 2)
    for preset, targets in (("asan", ("runtime_tests", "tide")), ("tsan", ("runtime_tests",))):
        yield Part("sanitizers: build", preset, [str(ROOT / ".ci/build_preset"), preset, *targets],
                   {"TIDE_BUILD_JOBS": str(jobs)}, 300, slots=jobs)
    # [os] forks processes that start threads, so it must not have any threads before.
    for preset, tags, seconds in (("asan", "", 50), ("tsan", "[os]", 1), ("tsan", "~[cpu]~[os]~[serial]", 20),
                                  ("tsan", "[cpu]", 40)):
        yield Part("sanitizers: tests", f"{preset} {tags}".strip(),
                   [str(ROOT / f"build/{preset}/runtime_tests"), f"~[timed]~[reference]{tags}", "--durations", "yes"],
                   {"TIDE_PLUGIN_PATH": str(RELEASE), "ASAN_OPTIONS": guesses, "TSAN_OPTIONS": guesses}, seconds,
                   after=preset)
    # A script that calls os.exit leaks its tensors.
    yield Part("sanitizers: tests", "asan scripts",
               [str(ROOT / "build/asan/tide"), "test", "--device", "cpu", *paths("tests/scripts/files/*_test.lua")],
               {"TIDE_PLUGIN_PATH": str(RELEASE), "ASAN_OPTIONS": guesses + ":detect_leaks=0"}, 20, after="asan")


def all_parts(cores):
    """All parts except the build of the program and its tests, which comes first."""
    of_lessons = "tests/scripts/library/lessons_test.lua"
    scripts = [path for path in paths("tests/scripts/*/*_test.lua") if path != of_lessons]
    soak = ("--timeout", "3000") if os.environ.get("TIDE_TEST_SOAK") else ()
    parts = [*cpp_tests(), *script_tests("script tests", scripts, soak),
             # Lessons print times.
             Part("lessons", "lessons", tide("test", of_lessons), seconds=60, alone=True),
             Part("packages", "packages", tide("test", "tests/package"), seconds=30),
             Part("notebooks", "notebooks", tide("test", "tests/jupyter"), seconds=60),
             *processors(), *cuda(), *sanitized(cores)]
    if has_golden():
        parts.append(Part("golden cases", "golden cases", tide("test", "tests/golden"), seconds=45))
    return parts
