"""Checks without a build: formatting, common mistakes and line lengths, with the installed tools."""
import re
import shutil
import subprocess
import time
from dataclasses import dataclass

import counts
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

    def problem(self):
        """Why the tool cannot run here; empty if it can."""
        if not shutil.which(self.tool):
            return f"{self.tool} is not installed: apt-get install {self.package}"
        said = subprocess.run([self.tool, "--version"], capture_output=True, text=True).stdout
        found = re.search(r"(\d+)\.[\d.]+", said)
        if self.version and (not found or found[1] != self.version):
            return f"{self.tool} is {found[0] if found else 'unknown'}: the sources have the form of {self.version}"
        return ""


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


def checks():
    return [
        Check("clang-format", "clang-format", ["clang-format", "--dry-run", "--Werror"], tracked("*.cpp", "*.h"),
              FORMAT_VERSION),
        Check("luacheck", "lua-check", ["luacheck", "--quiet", "--codes", "--no-color"], tracked("*.lua")),
        Check("shellcheck", "shellcheck", ["shellcheck", f"--exclude={ELSEWHERE}"], shell_scripts()),
        Check("pyflakes3", "pyflakes3", ["pyflakes3"], tracked("*.py")),
    ]


def long_lines():
    """Lines of the library and its programs that are too long."""
    for path in tracked("scripts/tide/*.lua"):
        for number, line in enumerate((ROOT / path).read_text().split("\n"), 1):
            if len(line) > MOST_COLUMNS:
                yield f"{path}:{number}: {len(line)} columns, of which {MOST_COLUMNS} are allowed"


def run():
    """Runs all checks and prints a line for each; returns the numbers passed, failed, and skipped."""
    total = counts.Counts()
    for check in checks():
        begin, problem = time.monotonic(), check.problem()
        if problem:
            print(f"lint: skipped: {problem}")
            total += counts.Counts(skipped=1)
            continue
        outputs, failed = [], False
        for first in range(0, len(check.files), 200):
            done = subprocess.run([*check.command, *check.files[first:first + 200]], cwd=ROOT, capture_output=True,
                                  text=True)
            failed = failed or done.returncode != 0
            outputs.append(done.stdout + done.stderr if done.returncode else "")
        print("".join(outputs), end="")
        print(f"lint: {check.tool}: {len(check.files)} files, {'failed' if failed else 'passed'} "
              f"({time.monotonic() - begin:.0f} s)")
        total += counts.Counts(failed=1) if failed else counts.Counts(passed=1)
    long = list(long_lines())
    print("\n".join(long + [f"lint: lengths of lines: {'failed' if long else 'passed'}"]))
    return total + (counts.Counts(failed=1) if long else counts.Counts(passed=1))
