"""Parses the output of test programs: the numbers of tests and assertions, and their times."""
import re
from dataclasses import dataclass, field

# Tests may print such lines, too: only lines without indentation count.
CATCH_PASSED = re.compile(r"^All tests passed \((\d+) assertions? in (\d+) test cases?\)", re.M)
CATCH_MIXED = re.compile(r"^test cases: (.*)\nassertions: (.*)", re.M)
CATCH_SKIPPED = re.compile(r"^skipped: (\d+) test cases", re.M)
CATCH_SECONDS = re.compile(r"^([\d.]+) s: (.+)$", re.M)
SCRIPT_SUMMARY = re.compile(r"^(?:all +)?(\d+) passed,? +(\d+) failed(?:, (\d+) skipped)?")
SCRIPT_SECONDS = re.compile(r"^(\S+_test\.lua): .*\(([\d.]+) s\)$", re.M)


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    assertions: int = 0
    seconds_of: dict = field(default_factory=dict)

    def __add__(self, other):
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped,
                      self.assertions + other.assertions, {**self.seconds_of, **other.seconds_of})


def number_before(text, word):
    found = re.search(rf"(\d+) {word}", text)
    return int(found[1]) if found else 0


def without_times(output):
    """The output without Catch's lines of times, which hide a failure."""
    return re.sub(CATCH_SECONDS.pattern + r"\n?", "", output, flags=re.M)


def read(output, status, part):
    """The counts of a part that ended with this status. A part that fails silently counts as one failure."""
    counts = Counts()
    if status == part.skip_status:
        counts.skipped = 1
        return counts
    for assertions, cases in CATCH_PASSED.findall(output):
        counts.passed += int(cases)
        counts.assertions += int(assertions)
    for cases, assertions in CATCH_MIXED.findall(output):
        counts.passed += number_before(cases, "passed")
        counts.failed += number_before(cases, "failed")
        counts.assertions += number_before(assertions, "passed") + number_before(assertions, "failed")
    lines = output.rstrip("\n").split("\n")
    summary = SCRIPT_SUMMARY.match(lines[-1])
    if summary:
        passed, failed, skipped = (int(number or 0) for number in summary.groups())
        counts.passed += passed
        counts.failed += failed
        counts.skipped += skipped
    # Catch2 counts skipped test cases as passed.
    left_out = sum(map(int, CATCH_SKIPPED.findall(output)))
    counts.passed -= left_out
    counts.skipped += left_out
    if part.counts_itself and status == 0:
        counts.passed += 1
    if status and not counts.failed:
        counts.failed = 1
    for seconds, name in CATCH_SECONDS.findall(output):
        counts.seconds_of[f"{part.name}: {name}"] = float(seconds)
    for name, seconds in SCRIPT_SECONDS.findall(output):
        where = " (cuda)" if part.group.startswith("cuda") else ""
        counts.seconds_of[name + where] = float(seconds)
    return counts
