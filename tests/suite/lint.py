"""Checks without a build: layout of the tree, documents, words, line lengths, and the installed tools."""
import re
import shutil
import subprocess
import time
from dataclasses import dataclass

import changed
import counts
import documents
import layout
import words
from parts import ROOT

# Other versions of clang-format format differently.
FORMAT_VERSION = "14"
# Warnings of shellcheck on names from .ci/setup.sh, and on scripts for other shells.
ELSEWHERE = "SC1091,SC2016,SC2154"
MOST_COLUMNS = 120  # of Lua; clang-format and the tests of documents count the others


@dataclass
class Check:
    """A tool run on files; fails if its exit status is not 0."""
    tool: str
    package: str  # of Debian
    command: list
    files: list
    version: str = ""  # required version, if any
    after: tuple = ()  # words after the files

    def problem(self):
        """Why the tool cannot run here; empty if it can."""
        if not shutil.which(self.tool):
            return f"{self.tool} is not installed: apt-get install {self.package}"
        said = subprocess.run([self.tool, "--version"], capture_output=True, text=True).stdout
        found = re.search(r"(\d+)\.[\d.]+", said)
        if self.version and (not found or found[1] != self.version):
            return f"{self.tool} is {found[0] if found else 'unknown'}: the sources have the form of {self.version}"
        return ""


def problem_of_git():
    """Why the files of the repository cannot be listed; empty if they can."""
    if not shutil.which("git"):
        return "git is not installed: apt-get install git"
    inside = subprocess.run(["git", "rev-parse", "--git-dir"], cwd=ROOT, capture_output=True, text=True)
    return inside.stderr.strip() if inside.returncode else ""


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *patterns], cwd=ROOT,
                            check=True, capture_output=True, text=True).stdout
    return [path for path in listed.split("\0") if path and (ROOT / path).is_file()]


def shell_scripts():
    def begins_as_one(path):
        with open(ROOT / path, "rb") as file:
            return re.match(rb"#!.*\b(ba)?sh\b", file.readline(200)) is not None
    return [path for path in tracked() if "." not in path.rsplit("/", 1)[-1].lstrip(".") or path.endswith(".sh")
            if begins_as_one(path)]


def changed_sources():
    """The C++ sources that differ from the last commit: clang-tidy takes seconds for each."""
    return [path for path in changed.changed_files()
            if path.startswith(("runtime/", "bindings/", "interpreter/")) and path.endswith(".cpp")
            and (ROOT / path).exists()]


def checks():
    return [
        Check("clang-format", "clang-format", ["clang-format", "--dry-run", "--Werror"], tracked("*.cpp", "*.h"),
              FORMAT_VERSION),
        Check("luacheck", "lua-check", ["luacheck", "--quiet", "--codes", "--no-color"], tracked("*.lua")),
        Check("shellcheck", "shellcheck", ["shellcheck", f"--exclude={ELSEWHERE}"], shell_scripts()),
        Check("pyflakes3", "pyflakes3", ["pyflakes3"], tracked("*.py")),
        Check("clang-tidy-19", "clang-tidy-19", ["clang-tidy-19", "--quiet"], changed_sources(),
              after=("--", "-std=c++20", "-I.", '-DTIDE_VERSION=""')),
    ]


def long_lines(files):
    for path, text in files.items():
        for number, line in enumerate(text.split("\n"), 1):
            if path.startswith("scripts/tide/") and path.endswith(".lua") and len(line) > MOST_COLUMNS:
                yield f"{path}:{number}: {len(line)} columns, at most {MOST_COLUMNS}"


def texts():
    """The tracked files that are text, as {path: text}."""
    found = {}
    for path in tracked():
        try:
            found[path] = (ROOT / path).read_text()
        except UnicodeDecodeError:
            found[path] = ""
    return found


OWN_CHECKS = {"layout": layout.problems, "documents": documents.problems, "words": words.problems,
              "lengths of lines": long_lines}


def own_checks():
    """Whether each of the checks that need no tool has passed, as pairs of its name and its lines about problems."""
    files = texts()
    for name, problems in OWN_CHECKS.items():
        yield name, list(problems(files))


def run_tool(check):
    """What a tool prints about its files if it fails; an empty text if they pass."""
    outputs = []
    for first in range(0, len(check.files), 200):
        command = [*check.command, *check.files[first:first + 200], *check.after]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            outputs.append(done.stdout + done.stderr or f"{check.tool} ended with {done.returncode}\n")
    return "".join(outputs)


def run():
    """Runs all checks and prints a line for each; returns the numbers passed, failed, and skipped."""
    total = counts.Counts()
    if missing := problem_of_git():
        print(f"lint: skipped: {missing}")
        return counts.Counts(skipped=1)

    def report(name, failed, text, begin):
        nonlocal total
        print(text, end="")
        print(f"lint: {name}: {'failed' if failed else 'passed'} ({time.monotonic() - begin:.0f} s)", flush=True)
        total += counts.Counts(failed=1) if failed else counts.Counts(passed=1)

    begin = time.monotonic()
    for name, lines in own_checks():
        report(name, bool(lines), "".join(line + "\n" for line in lines), begin)
        begin = time.monotonic()
    for check in checks():
        begin, problem = time.monotonic(), check.problem()
        if problem:
            print(f"lint: skipped: {problem}")
            total += counts.Counts(skipped=1)
        else:
            text = run_tool(check)
            report(f"{check.tool}, {len(check.files)} files", bool(text), text, begin)
    return total
