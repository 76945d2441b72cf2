"""Runs tests: once without mutations, to record which ones each executes, and then for each
mutation the tests that execute it, until one fails."""
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# The C++ test programs and the sources that their folders mirror. Each of their files is a test.
PROGRAMS = {"runtime": "runtime_tests", "bindings": "bindings_tests", "interpreter": "program_tests",
            "repl": "program_tests", "errors": "program_tests", "cuda": "cuda_tests"}
# Excluded: tests of the sources' text, of times or registers, and tests that take too long.
LEFT_OUT = {"kernel_table_test", "lessons_test", "long_runs_test", "bench_test", "dnn_plans_test",
            "interrupt_test", "memory_test.lua"}
# Script tests that also run on the tests' CUDA driver.
ON_CUDA = ["op_rows", "conversion", "indexing", "reductions", "views", "failure", "pools", "required_values",
           "losses", "embedding", "random", "scatter_reduce", "layers"]
# Kernels compiled with a mutation in these must not share a cache with others.
COMPILERS = ("runtime/codegen", "runtime/ir/loop", "runtime/plan/loop")


def suite(tree):
    """Every test by its name: its command in the build folder, and whether it needs CUDA."""
    tests = {}
    for path in sorted((tree / "tests").rglob("*_test.cpp")):
        folder = path.relative_to(tree / "tests").parts[0]
        if path.parent.name == "fake_tests":  # tests of the fake driver, which is not mutated
            continue
        if folder in PROGRAMS and path.stem not in LEFT_OUT:
            cuda = folder == "cuda"
            tests[str(path.relative_to(tree))] = (
                [f"./{PROGRAMS[folder]}", "-#", f"[#{path.stem}]"], cuda)
    for path in sorted((tree / "tests/scripts").rglob("*_test.lua")):
        if path.stem in LEFT_OUT or path.name in LEFT_OUT:
            continue
        name = str(path.relative_to(tree))
        tests[name] = (["./tide", "test", str(path)], False)
        if path.stem.removesuffix("_test") in ON_CUDA:
            tests[name + " on cuda"] = (["./tide", "test", "--device", "cuda", str(path)], True)
    for path in sorted((tree / "tests/cuda/scripts").glob("*_test.lua")):
        tests[str(path.relative_to(tree))] = (["./tide", "test", "--device", "cuda", str(path)], True)
    return tests


class Trials:
    def __init__(self, workspace, jobs, gigabytes):
        self.workspace, self.jobs, self.bytes = workspace, jobs, gigabytes << 30
        self.tests = suite(workspace.tree)
        self.known = workspace.folder / "tests.json"
        self.found = workspace.folder / "results.jsonl"
        self.lock = threading.Lock()

    def results(self):
        """The last result of each mutation, by number."""
        lines = self.found.read_text().splitlines() if self.found.exists() else []
        return {entry["number"]: entry for entry in map(json.loads, lines)}

    def execute(self, name, limit, variables, cache):
        """(how it ended, seconds); "passed", "failed" or "time"."""
        command, cuda = self.tests[name]
        with tempfile.TemporaryDirectory(prefix="tide-mutant-") as folder:
            os.chmod(folder, 0o755)  # tests run by root switch to another user, who needs access
            environment = {k: v for k, v in os.environ.items() if not k.startswith("TIDE_")}
            environment.update(TIDE_CACHE_DIR=str(cache), XDG_STATE_HOME=folder, TMPDIR=folder, **variables)
            if cuda:
                environment["TIDE_CUDA_PATH"] = str(self.workspace.build / "fake_cuda")
                if ".lua" in name:  # as tests/run does
                    environment["TIDE_FAKE_CUDA"] = "order=shuffled"
            begun = time.monotonic()
            process = subprocess.Popen(
                command, cwd=self.workspace.build, env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (self.bytes, self.bytes)))
            try:
                ended = "passed" if process.wait(timeout=limit) == 0 else "failed"
            except subprocess.TimeoutExpired:
                ended = "time"
            try:
                os.killpg(process.pid, signal.SIGKILL)  # with all its child processes
            except ProcessLookupError:
                pass
            process.wait()
            return ended, time.monotonic() - begun

    def text_of(self, name):
        """Identifies the version of a test."""
        return hashlib.sha256((self.workspace.tree / name.split()[0]).read_bytes()).hexdigest()

    def in_turn(self, function, items):
        with ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(function, items))

    def baseline(self):
        """Without mutations every test must pass. Returns the names of those that do not, which are excluded."""
        facts = json.loads(self.known.read_text()) if self.known.exists() else {}
        folder = self.workspace.folder
        cache, traces = folder / "cache", folder / "traces"
        traces.mkdir(exist_ok=True)
        lua = {}
        for mistake in self.workspace.mistakes:
            if not mistake["schema"]:
                lua.setdefault(mistake["file"], []).append(mistake)
        begun = time.monotonic()

        def look(name):
            number = list(self.tests).index(name)
            trace = traces / f"{number}"
            trace.write_text("")
            variables = {"TIDE_MUTANTS_MET": str(trace)}
            scripts = None
            if ".lua" in name:
                texts = {file: self.workspace.traced_text(list_, trace) for file, list_ in lua.items()}
                scripts = self.workspace.scripts(folder / f"scripts-{number}", texts)
                ended, seconds = self.execute(name, 600, {**variables, "TIDE_PATH": str(scripts)}, cache)
                if ended != "passed":
                    trace.write_text("")
                    shutil.rmtree(scripts)
                    scripts = None
            if not scripts:
                ended, seconds = self.execute(name, 600, variables, cache)
            met = sorted({int(line) for line in trace.read_text().split()})
            with self.lock:
                facts[name] = {"passed": ended == "passed", "seconds": seconds, "met": met,
                               "text": self.text_of(name)}
                self.known.write_text(json.dumps(facts))
                print(f"{len(facts)}/{len(self.tests)} {ended} after {seconds:.1f} s, comes across "
                      f"{len(met)}: {name}", flush=True)
            if scripts:
                shutil.rmtree(scripts)

        self.in_turn(look, [name for name in self.tests if not facts.get(name, {}).get("passed") or
                            facts[name]["text"] != self.text_of(name)])
        out = [name for name, fact in facts.items() if not fact["passed"]]
        print(f"baseline: {len(facts) - len(out)} tests in {time.monotonic() - begun:.0f} s"
              + (f"; left out, as they fail without a mistake: {', '.join(out)}" if out else ""), flush=True)

    def order(self, mistake, facts):
        """The tests that execute the mutation: those of its folder first, then by their time."""
        source = Path(mistake["file"])
        # Tests may be one folder above the tested one; those of runtime/cuda are in tests/cuda.
        folders = {Path("tests", folder) for folder in (source.parent, source.parent.parent)}
        if source.is_relative_to("runtime/cuda"):
            folders.add(Path("tests/cuda"))

        def key(name):
            test = Path(name.split()[0])
            near = source.stem in test.stem or test.parent in folders
            return (not near, facts[name]["seconds"])

        def comes_across(name, fact):
            # Kernels do not record executed mutations: any test on a device may execute them.
            if mistake["file"].endswith(".cu"):
                return self.tests[name][1]
            return mistake["number"] in fact["met"]

        return sorted((name for name, fact in facts.items()
                       if name in self.tests and fact["passed"] and comes_across(name, fact)), key=key)

    def run(self, only, minutes, again, is_equivalent):
        """Tries mutations without a result, except those known to be equivalent."""
        facts = json.loads(self.known.read_text())
        known = self.results()
        lived = ("SURVIVED", "NOT REACHED")
        todo = [m for m in self.workspace.mistakes if m["file"].startswith(only) and not is_equivalent(m) and
                (m["number"] not in known or (again and known[m["number"]]["state"] in lived))]
        random.Random(1).shuffle(todo)  # so that the first ones are a random sample
        begun, done = time.monotonic(), 0

        def attempt(mistake):
            nonlocal done
            if minutes and time.monotonic() - begun > 60 * minutes:
                return
            result = {"number": mistake["number"], "state": "SURVIVED", "tests": 0}
            tests = self.order(mistake, facts)
            with tempfile.TemporaryDirectory(prefix="tide-mutant-") as own:
                variables = {"TIDE_MUTANT": str(mistake["number"])}
                if not mistake["schema"]:
                    scripts = Path(own) / "scripts"
                    text = self.workspace.lua_text(mistake)
                    variables["TIDE_PATH"] = str(self.workspace.scripts(scripts, {mistake["file"]: text}))
                compiler = mistake["file"].startswith(COMPILERS)
                cache = Path(own) / "cache" if compiler else self.workspace.folder / "cache"
                for name in tests:
                    limit = 10 * facts[name]["seconds"] + 60
                    ended, seconds = self.execute(name, limit, variables, cache)
                    result["tests"] += 1
                    if ended != "passed":
                        result.update(state="killed", by=name, how=ended, seconds=round(seconds, 1))
                        break
            if not tests:
                result["state"] = "NOT REACHED"
            with self.lock:
                done += 1
                with open(self.found, "a", encoding="utf-8") as file:
                    file.write(json.dumps(result) + "\n")
                passed = time.monotonic() - begun
                left = passed / done * (len(todo) - done) / 60
                print(f"{done}/{len(todo)} {result['state']} {mistake['file']}:{mistake['line']} "
                      f"({mistake['kind']}) {result.get('by', '')}; {left:.0f} minutes left", flush=True)

        self.in_turn(attempt, todo)
