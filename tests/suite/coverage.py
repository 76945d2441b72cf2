"""The coverage map of `tests/run changed`: which script tests execute which files of the library, recorded once for
each version of a test, and which C++ tests include the header of which source."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path

from parts import ROOT, paths, tide

MAP = ROOT / "build/coverage.json"
LONGEST = 600  # seconds of a test
# Appends the file's name to the one that the environment names. It stands before the first line, a comment, so that the
# numbers of lines stay. A sandbox has no `os` or `io`; the library's files may have locals of these names.
TRACE = ('do local os, io = _ENV.os, _ENV.io local path = os and os.getenv and os.getenv "COVERAGE_TRACE" '
         'local file = path and io and io.open(path, "a") if file then file:write("%s\\n") file:close() end end ')
INCLUDE = re.compile(r'^#include "((?:runtime|bindings|interpreter|tests)/[^"]+)"', re.M)


def traced_library(folder):
    """A copy of scripts/ whose files record that they are loaded, which executes them."""
    shutil.copytree(ROOT / "scripts", folder)
    for path in folder.glob("tide/**/*.lua"):
        path.write_text(TRACE % f"scripts/{path.relative_to(folder)}" + path.read_text())
    return folder


def executed(test, library):
    """The files of the library that a script test executes, in its process or in those that it starts."""
    with tempfile.NamedTemporaryFile("r") as trace:
        os.chmod(trace.name, 0o666)  # tests run by root switch to another user
        environment = {**os.environ, "TIDE_PATH": str(library), "COVERAGE_TRACE": trace.name}
        try:
            subprocess.run(tide("test", test), cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, timeout=LONGEST,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        except subprocess.TimeoutExpired:
            pass  # what it has executed by then
        return sorted(set(trace.read().split()))


def update(tests, known, cores, record=executed):
    """The map, {test: {"text": a digest of the test, "executes": [file, ...]}}, after recording what is missing."""
    digests = {test: hashlib.sha256((ROOT / test).read_bytes()).hexdigest() for test in tests}
    missing = [test for test in tests if known.get(test, {}).get("text") != digests[test]]
    known = {test: known[test] for test in tests if test not in missing}
    if not missing:
        return known
    print(f"recording which files of the library {len(missing)} script tests execute", flush=True)
    with tempfile.TemporaryDirectory(prefix="tide-coverage-") as folder:
        os.chmod(folder, 0o755)
        library = traced_library(Path(folder) / "scripts")
        with ThreadPoolExecutor(cores) as pool:
            for test, files in zip(missing, pool.map(lambda test: record(test, library), missing)):
                known[test] = {"text": digests[test], "executes": files}
    return known


class Coverage:
    """Tests by the files that they cover."""

    def __init__(self, cores=1):
        self.cores = cores
        self.includes = {}

    @cached_property
    def recorded(self):
        """The map of update() for this tree; the program must be built."""
        known = json.loads(MAP.read_text()) if MAP.exists() else {}
        found = update(paths("tests/scripts/*/*_test.lua"), known, self.cores)
        MAP.write_text(json.dumps(found, indent=1))
        return found

    def scripts(self, file, most):
        """The script tests that execute a file of the library; if they are more, those that execute the fewest others."""
        found = [(len(entry["executes"]), test) for test, entry in self.recorded.items() if file in entry["executes"]]
        return [test for _, test in sorted(found)[:most]]

    def headers(self, test):
        """The headers that a C++ test includes, by itself or through those of the tests."""
        found, todo = set(), [test]
        while todo:
            name = todo.pop()
            if name not in self.includes:
                path = ROOT / name
                self.includes[name] = INCLUDE.findall(path.read_text()) if path.exists() else []
            new = set(self.includes[name]) - found
            found |= new
            todo += [each for each in new if each.startswith("tests/")]
        return found

    def cpp_tests(self, path):
        """The C++ tests that include a header, or that of a source, which has the header's name or begins with it."""
        own = {str(header.relative_to(ROOT)) for header in (ROOT / path).parent.glob("*.h")
               if path.stem == header.stem or path.suffix == ".cpp" and path.stem.startswith(header.stem + "_")}
        return [test for test in paths("tests/*/**/*_test.cpp") if own & self.headers(test)]
