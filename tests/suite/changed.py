"""Selects tests for the files that differ from the last commit, by the coverage map: see coverage.py."""
import re
import subprocess
from pathlib import Path

from parts import RELEASE, ROOT, VALUES, Part, paths, tide

MOST_SCRIPTS = 12
PROGRAMS = {"runtime": "runtime_tests", "bindings": "bindings_tests", "interpreter": "program_tests",
            "repl": "program_tests", "errors": "program_tests", "cuda": "cuda_tests"}
CUDA = {"TIDE_CUDA_PATH": str(RELEASE / "fake_cuda")}


def changed_files():
    """Changed paths, relative to the root, without those that git ignores; includes deleted files."""
    def git(*words):
        return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")
    return sorted(set(git("diff", "--name-only", "HEAD") + git("ls-files", "--others", "--exclude-standard")) - {""})


def words_of(path):
    return {word.rstrip("s") for word in re.split(r"[_/.]", str(path)) if len(word) > 2}


class Selection:
    """What to build and to run."""

    def __init__(self, coverage):
        self.coverage = coverage
        self.cpp = set()  # (program, stem of a file with tests), or "" for all of the program's
        self.scripts = set()
        self.cuda_scripts = set()
        self.unknown = []

    def add(self, file):
        path = Path(file)
        top, suffix = path.parts[0], path.suffix
        if top == "tests":
            self.add_test(path)
        elif top == "runtime" and suffix in (".cpp", ".h", ".def", ".cu", ".cuh"):
            self.add_cpp(path)
            self.scripts.update(script for name in VALUES for script in paths(f"tests/scripts/*/{name}_test.lua"))
            self.add_scripts(path)
            if "cuda" in path.parts:
                self.cpp.add(("cuda_tests", ""))
        elif top in ("bindings", "interpreter") and suffix in (".cpp", ".h"):
            self.add_cpp(path)
            self.add_scripts(path)
        elif top == "scripts" and suffix == ".lua":
            self.add_library(path)
        elif top in (".ci", "tide") or path.name == "CMakeLists.txt":
            self.scripts.update(paths("tests/package/launcher_test.lua") + paths("tests/package/plugin_test.lua"))
        elif suffix != ".md":
            self.unknown.append(file)

    def add_test(self, path):
        second, stem = path.parts[1], path.stem
        if path.suffix == ".lua" and stem.endswith("_test"):
            in_cuda = second == "cuda"
            if not in_cuda:
                self.scripts.add(str(path))
            if in_cuda or f"{path.parent.name}/{stem[:-5]}" in device_scripts():
                self.cuda_scripts.add(str(path))
        elif path.suffix in (".cpp", ".h") and second in PROGRAMS:
            self.cpp.add((PROGRAMS[second], stem if stem.endswith("_test") else ""))
        elif path.suffix in (".cpp", ".h") and second == "cuda":
            if "fake" in str(path.parent):
                self.cpp.add(("fake_driver_tests", ""))
            self.cpp.add(("cuda_tests", stem if stem.endswith("_test") else ""))
        elif path.suffix == ".py":
            self.unknown.append(str(path))

    def add_cpp(self, path):
        """The C++ tests that include the file's header, else those in the nearest folder that mirrors the file's."""
        found = [Path(test) for test in self.coverage.cpp_tests(path)]
        for folder in path.parents:
            if not found and folder != Path("."):
                found = [test.relative_to(ROOT) for test in (ROOT / "tests" / folder).rglob("*_test.cpp")]
        for test in found:
            program = "fake_driver_tests" if "fake_tests" in test.parts else PROGRAMS[test.parts[1]]
            self.cpp.add((program, test.stem))

    def add_library(self, path):
        """The script tests that execute the file; those of its name if none does: lessons, benchmarks."""
        found = self.coverage.scripts(str(path), MOST_SCRIPTS)
        self.scripts.update(found)
        if not found:
            self.add_scripts(path)

    def add_scripts(self, path):
        """Script tests whose names share a word with the file's, and those that mention it most often."""
        words = words_of(path.stem)
        mention = re.compile(rf"\b{re.escape(path.stem)}\b")
        ranked = []
        for script in paths("tests/scripts/*/*_test.lua"):
            alike = len(words & words_of(Path(script).stem))
            mentions = len(mention.findall((ROOT / script).read_text()))
            if alike or mentions:
                ranked.append((-alike, -mentions, script))
        self.scripts.update(script for _, _, script in sorted(ranked)[:MOST_SCRIPTS])

    def targets(self):
        return sorted({"tide"} | {program for program, _ in self.cpp} |
                      ({"fake_cuda", "fake_cublas", "fake_cudnn"} if self.cuda_scripts else set()))

    def parts(self):
        # Deleted files have no tests.
        scripts, cuda_scripts = ({path for path in group if (ROOT / path).exists()}
                                 for group in (self.scripts, self.cuda_scripts))
        for program in sorted({program for program, _ in self.cpp}):
            stems = {stem for other, stem in self.cpp if other == program}
            command = [str(RELEASE / program), "--durations", "yes"]
            command += ["~[kernel_table]~[trap]"] if "" in stems and program == "cuda_tests" else []
            command += [] if "" in stems else ["-#", ",".join(f"[#{stem}]~[.]" for stem in sorted(stems))]
            yield Part("changed", program, command, CUDA if program == "cuda_tests" else {}, 30)
        for script in sorted(scripts):
            yield Part("changed", script, tide("test", script))
        for script in sorted(cuda_scripts):
            yield Part("changed", f"{script}, cuda", tide("test", "--device", "cuda", script), CUDA, 4)


def device_scripts():
    return (ROOT / "tests/cuda/device_scripts.txt").read_text().split()
