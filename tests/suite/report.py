"""The final table: parts and their budgets, and the slowest tests."""
import re

import counts
from parts import RELEASE, ROOT

SLOWEST = 20
LINES_OF_FAILURE = 60


def budgets():
    """The budget of each part in CPU seconds, from the table of docs/testing.md."""
    rows = re.findall(r"^\| ([^|]+?) \| (\d+) \|", (ROOT / "docs/testing.md").read_text(), re.M)
    return {name: int(seconds) for name, seconds in rows}


def table(outcomes, build_cpu_seconds):
    """A line for each group of parts, with CPU seconds."""
    groups = {}
    for outcome in outcomes:
        found, cpu = groups.get(outcome.part.group, (counts.Counts(), 0))
        groups[outcome.part.group] = found + outcome.counts, cpu + outcome.cpu_seconds
    limit = budgets()
    lines = [f"{'part':24}{'passed':>8}{'failed':>8}{'skipped':>8}{'assertions':>12}{'CPU s':>8}{'budget':>8}"]

    def add(name, found, cpu):
        over = "  over budget" if cpu > limit.get(name, float("inf")) else ""
        lines.append(f"{name:24}{found.passed:8}{found.failed:8}{found.skipped:8}{found.assertions:12}{cpu:8.0f}"
                     f"{limit.get(name, ''):>8}{over}")

    add("build", counts.Counts(), build_cpu_seconds)
    for name, (found, cpu) in groups.items():
        add(name, found, cpu)
    total = sum((found for found, _ in groups.values()), counts.Counts())
    add("all", total, build_cpu_seconds + sum(cpu for _, cpu in groups.values()))
    return "\n".join(lines)


def failures(outcomes):
    """The end of what each failed part printed: the log of a long run is often cut."""
    texts = []
    for outcome in outcomes:
        if outcome.output:
            lines = outcome.output.split("\n")[-LINES_OF_FAILURE:]
            texts.append("\n".join([f"== failed: {outcome.part.group}, {outcome.part.name}", *lines, ""]))
    return "\n".join(texts)


def slowest_tests(outcomes):
    seconds_of = {}
    for outcome in outcomes:
        seconds_of.update(outcome.counts.seconds_of)
    return ranking("slowest tests, s", seconds_of)


def slowest_sources(since):
    """Of the files that the release build compiled after its log was `since` bytes long."""
    try:
        log = (RELEASE / ".ninja_log").read_bytes()[since:].decode(errors="replace")
    except OSError:
        return ""
    seconds_of = {}
    for line in log.split("\n"):
        fields = line.split("\t")
        if len(fields) == 5 and fields[0].isdigit():
            seconds_of[fields[3].replace("CMakeFiles/", "")] = (int(fields[1]) - int(fields[0])) / 1000
    return ranking("slowest to build, s", seconds_of)


def ranking(title, seconds_of):
    slowest = sorted(seconds_of.items(), key=lambda row: -row[1])[:SLOWEST]
    return "\n".join([title] + [f"{seconds:8.1f}  {name}" for name, seconds in slowest]) if slowest else ""
